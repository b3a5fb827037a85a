//! The stored form of the progress of a copy. It is part of records and never changes.

use crate::rules::time::Timestamp;
use crate::services::shared::copying;
use crate::services::shared::copying::Outcome;
use serde::{Deserialize, Serialize};

/// The progress of a copy: when it ended, the number of bytes copied, and why it failed.
#[derive(Debug, Serialize, Deserialize)]
pub enum Progress<'a> {
    Pending,
    Success(Timestamp, u64),
    Aborted(Timestamp, u64),
    Failed(Timestamp, u64, &'a str),
}

/// The description of a copy that was pending when the server stopped.
const STOPPED: &str = "500 InternalServerError \"Copy failed when the server was stopped.\"";

impl<'a> From<&'a copying::Progress> for Progress<'a> {
    fn from(progress: &'a copying::Progress) -> Progress<'a> {
        match progress {
            copying::Progress::Pending(_) => Progress::Pending,
            copying::Progress::Over { at, bytes, outcome } => match outcome {
                Outcome::Success => Progress::Success(*at, *bytes),
                Outcome::Aborted => Progress::Aborted(*at, *bytes),
                Outcome::Failed(description) => Progress::Failed(*at, *bytes, description),
            },
        }
    }
}

impl Progress<'_> {
    /// The progress after a restart. A pending copy has failed, at its start for want of a better time.
    pub fn ended(self, started: Timestamp) -> copying::Progress {
        let over = |at, bytes, outcome| copying::Progress::Over { at, bytes, outcome };
        match self {
            Progress::Pending => over(started, 0, Outcome::Failed(STOPPED.into())),
            Progress::Success(at, bytes) => over(at, bytes, Outcome::Success),
            Progress::Aborted(at, bytes) => over(at, bytes, Outcome::Aborted),
            Progress::Failed(at, bytes, description) => over(at, bytes, Outcome::Failed(description.into())),
        }
    }
}
