//! What the integration tests and the tests inside of the crate share: a server with a client, scenarios, random numbers.

pub mod batch;
pub mod raw;
pub mod rng;
pub mod scenario;
pub mod scratch;
pub mod server;
pub mod time;
pub mod wait;
