//! Tasks that continue after their request was answered, and end when the server stops.

use parking_lot::Mutex;
use std::pin::Pin;
use tokio::task::JoinSet;

/// The tasks of one server. Dropping this ends them.
#[derive(Debug, Default)]
pub struct Background(Mutex<JoinSet<()>>);

impl Background {
    /// Starts a task.
    pub fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let mut tasks = self.0.lock();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }
}
