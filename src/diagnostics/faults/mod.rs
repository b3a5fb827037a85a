//! Faults that are injected into requests, for tests of clients that retry: `/_lazuli/faults`.
//!
//! `rule` parses a rule, and decides which requests it concerns; `injection` is what happens to one request.

mod injection;
mod rule;

use crate::rules::time::Timestamp;
use arc_swap::ArcSwap;
pub use injection::{Ending, Injection};
use parking_lot::Mutex;
pub use rule::{FaultRequest, Rule, RuleError};
use serde_json::Value;
use std::sync::Arc;

/// The fault rules of a server, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Faults {
    rules: ArcSwap<Vec<Arc<Rule>>>,
    /// The id of the last rule. Locked by whoever changes `rules`.
    last: Mutex<u64>,
}

impl Faults {
    /// What happens to a request: nothing, unless a rule concerns it.
    ///
    /// Every rule about keys, the secondary or delays that concerns the request has its effect, and the first of the others.
    pub fn inject(&self, request: &FaultRequest<'_>) -> Option<Box<Injection>> {
        let rules = self.rules.load();
        if rules.is_empty() {
            return None;
        }
        let mut injection = Injection::default();
        for rule in rules.iter() {
            let is_decided = injection.is_decided() && rule.action().is_decisive();
            if !is_decided && rule.fires(request) {
                injection.add(rule);
            }
        }
        (!injection.ids.is_empty()).then(|| Box::new(injection))
    }

    /// The longest lag of a secondary, in seconds; `None` if all secondaries are in sync.
    pub fn longest_lag(&self) -> Option<u64> {
        self.rules.load().iter().filter_map(|rule| rule.action().lag()).max()
    }

    /// Adds rules: all of them, or none if one is malformed.
    ///
    /// # Errors
    /// [`RuleError`] for the first malformed rule.
    pub fn add(&self, rules: &[Value], now: Timestamp, seed: impl Fn() -> u64) -> Result<Vec<Arc<Rule>>, RuleError> {
        let mut last = self.last.lock();
        let parse = |(index, rule)| {
            let parsed = Rule::parse(rule, *last + 1 + index as u64, now, &seed).map(Arc::new);
            parsed.map_err(|error| error.at(index, rules.len()))
        };
        let added: Vec<Arc<Rule>> = rules.iter().enumerate().map(parse).collect::<Result<_, _>>()?;
        *last += added.len() as u64;
        let mut next = Vec::clone(&self.rules.load());
        next.extend(added.iter().cloned());
        self.rules.store(Arc::new(next));
        Ok(added)
    }

    /// All rules.
    pub fn all(&self) -> Arc<Vec<Arc<Rule>>> {
        self.rules.load_full()
    }

    /// Removes the rule with this id. Returns false if there is none.
    pub fn remove(&self, id: u64) -> bool {
        let _last = self.last.lock();
        let rules = self.rules.load();
        let next: Vec<Arc<Rule>> = rules.iter().filter(|rule| rule.id() != id).cloned().collect();
        let found = next.len() < rules.len();
        self.rules.store(Arc::new(next));
        found
    }

    /// Removes all rules.
    pub fn clear(&self) {
        let _last = self.last.lock();
        self.rules.store(Arc::default());
    }
}

#[cfg(test)]
mod tests;
