//! The program from its start to its end: what it prints, which arguments it refuses, TLS, its health, its control, and how it ends.

mod control;
mod ending;
mod health;
mod output;
mod refusals;
mod tls;

pub use tls::{CERT, KEY};
