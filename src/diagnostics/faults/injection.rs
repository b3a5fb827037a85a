//! What happens to one request.

use crate::diagnostics::faults::rule::{Action, Cut, Drip, Rule};
use crate::rules::error::{ErrorCode, StorageError};
use std::time::Duration;

/// The faults of one request.
#[derive(Clone, Debug, Default)]
pub struct Injection {
    /// The ids of the rules.
    pub ids: Vec<u64>,
    /// How long the request waits before anything else happens.
    pub delay: Duration,
    /// The numbers of the account's keys that are switched off, from 1.
    pub keys_off: Vec<usize>,
    /// By how many seconds the secondary endpoint is behind the primary.
    pub lag: Option<u64>,
    /// How the request ends; `None`: as it would without faults.
    pub ending: Option<Ending>,
}

/// How a request with a fault ends.
#[derive(Clone, Debug)]
pub enum Ending {
    /// With this error, and without any effect.
    Refused(StorageError),
    /// Without any effect, and without an answer.
    CutBefore,
    /// With its effect, and without an answer.
    CutAfter,
    /// With its effect and an answer whose body breaks off after this many bytes.
    Truncated(u64),
    /// With its effect and an answer whose body comes in pieces of this many bytes, each after a pause.
    Dripping { bytes: usize, pause: Duration },
}

impl Injection {
    /// Returns true if the end of the request is decided.
    pub(super) fn is_decided(&self) -> bool {
        self.ending.is_some()
    }

    pub(super) fn add(&mut self, rule: &Rule) {
        self.ids.push(rule.id());
        match rule.action() {
            Action::Delay { milliseconds } => self.delay += Duration::from_millis(*milliseconds),
            Action::KeyOff { key } => self.keys_off.push(*key),
            Action::Lag { seconds } => self.lag = self.lag.max(Some(*seconds)),
            Action::Error { .. } | Action::Throttle { .. } => {
                self.ending = Some(Ending::Refused(rule.action().refusal(rule.id())));
            }
            Action::Cut(Cut::Before) => self.ending = Some(Ending::CutBefore),
            Action::Cut(Cut::After) => self.ending = Some(Ending::CutAfter),
            Action::Truncate { bytes } => self.ending = Some(Ending::Truncated(*bytes)),
            Action::Drip(Drip { bytes, milliseconds }) => {
                self.ending = Some(Ending::Dripping { bytes: *bytes, pause: Duration::from_millis(*milliseconds) });
            }
        }
    }

    /// The ids as text, for the header and the log.
    pub fn names(&self) -> String {
        self.ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// The error with which the request ends before it has any effect.
    ///
    /// # Errors
    /// That error. A connection that is cut gets no answer: the error is only for the log.
    pub fn refuse(&self) -> Result<(), StorageError> {
        match &self.ending {
            Some(Ending::Refused(error)) => Err(error.clone()),
            Some(Ending::CutBefore) => {
                Err(ErrorCode::InternalError
                    .with_reason(format!("fault {}: the connection is cut before the request", self.names())))
            }
            _ => Ok(()),
        }
    }
}
