//! One binary of integration tests: the real server on a real socket, its clock set by hand.
#![allow(clippy::disallowed_methods, reason = "tests read files and clocks")]

mod house;
mod smoke;
