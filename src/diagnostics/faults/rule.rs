//! A rule: which requests it concerns, and what happens to them.

use crate::environment::SplitMix;
use crate::operation::ServiceKind;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::pattern;
use crate::rules::time::Timestamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

/// Why a rule is refused.
#[derive(Debug, Error)]
pub enum RuleError {
    #[error("{0}")]
    Malformed(String),
    #[error("{0:?} is not an error code of Azure Storage that this server knows")]
    UnknownCode(String),
    #[error("a rule has to be an object, such as {{\"operation\":\"Put Blob\",\"do\":{{\"cut\":\"after\"}}}}")]
    NotAnObject,
    #[error("do has to be an object with one action: {ACTIONS}")]
    NotAnAction,
    #[error("the value of {0} has to be an object")]
    NotAnActionObject(String),
    #[error("rule {position}: {error}")]
    InArray { position: usize, error: Box<RuleError> },
    #[error("{name} is {value}, and has to be {expected}")]
    OutOfRange { name: &'static str, value: String, expected: &'static str },
}

impl RuleError {
    /// The error with the position of its rule, if there are several.
    pub(super) fn at(self, index: usize, count: usize) -> RuleError {
        match count {
            1 => self,
            _ => RuleError::InArray { position: index + 1, error: Box::new(self) },
        }
    }
}

/// The names of the actions, for messages.
const ACTIONS: &str = "error, throttle, delay, cut, truncate, drip, lag or key_off";

/// The facts of a request that rules look at.
#[derive(Clone, Copy, Debug)]
pub struct FaultRequest<'a> {
    pub service: ServiceKind,
    pub operation: &'a str,
    pub method: &'a str,
    pub account: &'a str,
    /// The container, queue, table or share.
    pub container: Option<&'a str>,
    /// The path below the account, as sent.
    pub path: &'a str,
    pub secondary: bool,
    /// Whether it is a part of a batch, which has no connection of its own.
    pub part: bool,
    pub now: Timestamp,
}

/// A rule as clients send it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Form {
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<ServiceName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// How many matching requests pass before the first fault.
    #[serde(default)]
    after: u64,
    /// How many faults there are at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    #[serde(default = "certain")]
    probability: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// For how long the rule exists, by the server's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<u64>,
    #[serde(rename = "do")]
    action: Action,
}

const fn certain() -> f64 {
    1.0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum ServiceName {
    Blob,
    Queue,
    Table,
    File,
    Dfs,
}

/// What happens to a request.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// The request is refused with an error of the service.
    Error {
        code: String,
        /// The status, if it is not the usual one of the code.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// The request is refused with 503 ServerBusy and `Retry-After`.
    Throttle { retry_after: u64 },
    /// The request waits.
    Delay { milliseconds: u64 },
    /// The connection is closed without an answer.
    Cut(Cut),
    /// The body of the answer breaks off after this many bytes.
    Truncate { bytes: u64 },
    /// The body of the answer comes in pieces.
    Drip(Drip),
    /// The secondary endpoint is behind the primary.
    Lag { seconds: u64 },
    /// One of the account's keys is switched off.
    KeyOff { key: usize },
}

/// When a connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cut {
    /// Before the request has an effect.
    Before,
    /// After it took effect, as durably as if it had been answered.
    After,
}

/// The pieces of a body that comes slowly.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Drip {
    pub bytes: usize,
    pub milliseconds: u64,
}

/// The longest delay or pause, in milliseconds: ten minutes.
const MAX_PAUSE: u64 = 600_000;

impl Action {
    /// Returns true if it decides how a request ends. Only one such action has its effect.
    pub(super) fn is_decisive(&self) -> bool {
        !matches!(self, Action::Delay { .. } | Action::Lag { .. } | Action::KeyOff { .. })
    }

    /// By how many seconds the secondary is behind.
    pub(super) fn lag(&self) -> Option<u64> {
        match self {
            Action::Lag { seconds } => Some(*seconds),
            _ => None,
        }
    }

    /// Returns true if it can happen to the request.
    fn suits(&self, request: &FaultRequest<'_>) -> bool {
        match self {
            Action::Lag { .. } => request.secondary,
            Action::Cut(_) | Action::Truncate { .. } | Action::Drip { .. } => !request.part,
            _ => true,
        }
    }

    /// The error of a refusal.
    pub(super) fn refusal(&self, id: u64) -> StorageError {
        let error: StorageError = match self {
            Action::Throttle { retry_after } => {
                StorageError::from(ErrorCode::ServerBusy).with_header("retry-after", retry_after.to_string())
            }
            Action::Error { code, status, message } => {
                let error = StorageError::from(ErrorCode::named(code).unwrap_or(ErrorCode::InternalError));
                let error = status.map_or(error.clone(), |status| error.with_status(status));
                message.clone().map_or(error.clone(), |message| error.with_message(message))
            }
            _ => ErrorCode::InternalError.into(),
        };
        error.with_reason(format!("fault {id}"))
    }

    fn check(&self) -> Result<(), RuleError> {
        let range = |name, value: u64, is_valid: bool, expected| match is_valid {
            true => Ok(()),
            false => Err(RuleError::OutOfRange { name, value: value.to_string(), expected }),
        };
        match self {
            Action::Error { code, status, .. } => {
                ErrorCode::named(code).ok_or_else(|| RuleError::UnknownCode(code.clone()))?;
                let status = status.unwrap_or(400);
                range("status", status.into(), (400..=599).contains(&status) || status == 304, "304, or from 400 to 599")
            }
            Action::Delay { milliseconds } => range("milliseconds", *milliseconds, *milliseconds <= MAX_PAUSE, "at most 600000"),
            Action::Drip(Drip { bytes, milliseconds }) => {
                range("bytes", *bytes as u64, *bytes > 0, "at least 1")?;
                range("milliseconds", *milliseconds, *milliseconds <= MAX_PAUSE, "at most 600000")
            }
            Action::KeyOff { key } => range("key", *key as u64, matches!(key, 1 | 2), "1 or 2"),
            Action::Throttle { .. } | Action::Cut(_) | Action::Truncate { .. } | Action::Lag { .. } => Ok(()),
        }
    }
}

/// A rule with its state.
#[derive(Debug)]
pub struct Rule {
    id: u64,
    form: Form,
    /// When it ceases to exist.
    ends: Option<Timestamp>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// How many requests it concerned.
    matched: u64,
    /// How many of them had the fault.
    fired: u64,
    rng: SplitMix,
}

impl Rule {
    /// Parses a rule. A rule without a seed gets one, which [`Rule::json`] shows, so that a run can be repeated.
    ///
    /// # Errors
    /// [`RuleError`] for a member that is unknown, missing or out of range.
    pub fn parse(rule: &Value, id: u64, now: Timestamp, seed: &impl Fn() -> u64) -> Result<Rule, RuleError> {
        check_shape(rule)?;
        let mut form: Form = Form::deserialize(rule).map_err(|error| RuleError::Malformed(error.to_string()))?;
        form.action.check()?;
        if !(0.0..=1.0).contains(&form.probability) {
            let value = form.probability.to_string();
            return Err(RuleError::OutOfRange { name: "probability", value, expected: "from 0 to 1" });
        }
        if form.probability < 1.0 {
            form.seed.get_or_insert_with(seed);
        }
        let ends = form.seconds.map(|seconds| now.after_seconds(seconds));
        let rng = SplitMix::new(form.seed.unwrap_or_default());
        Ok(Rule { id, form, ends, state: Mutex::new(State { matched: 0, fired: 0, rng }) })
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    pub fn action(&self) -> &Action {
        &self.form.action
    }

    /// The rule as it was added, with its id, its seed, and how often it was used.
    pub fn json(&self) -> Value {
        let mut json = json!({ "id": self.id });
        if let (Some(members), Ok(Value::Object(form))) = (json.as_object_mut(), serde_json::to_value(&self.form)) {
            members.extend(form);
            let state = self.state.lock();
            members.insert("matched".to_owned(), state.matched.into());
            members.insert("fired".to_owned(), state.fired.into());
        }
        json
    }

    /// Returns true if the request has the fault. Counts the request.
    pub(super) fn fires(&self, request: &FaultRequest<'_>) -> bool {
        if !self.concerns(request) {
            return false;
        }
        let mut state = self.state.lock();
        state.matched += 1;
        let fires = state.matched > self.form.after
            && self.form.times.is_none_or(|times| state.fired < times)
            && (self.form.probability >= 1.0 || state.rng.fraction() < self.form.probability);
        state.fired += u64::from(fires);
        fires
    }

    fn concerns(&self, request: &FaultRequest<'_>) -> bool {
        let Form { service, operation, method, account, container, path, action, .. } = &self.form;
        let fits = |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| pattern::matches(wanted, found));
        self.ends.is_none_or(|ends| request.now < ends)
            && service.is_none_or(|service| service == ServiceName::of(request.service))
            && operation.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(request.operation))
            && method.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(request.method))
            && fits(account, request.account)
            && fits(container, request.container.unwrap_or_default())
            && fits(path, request.path)
            && action.suits(request)
    }
}

/// Checks the parts of a rule whose malformed values the deserializer describes in terms of Rust.
fn check_shape(rule: &Value) -> Result<(), RuleError> {
    let members = rule.as_object().ok_or(RuleError::NotAnObject)?;
    let action = members.get("do").and_then(Value::as_object).filter(|action| action.len() == 1);
    let (name, value) = action.and_then(|action| action.iter().next()).ok_or(RuleError::NotAnAction)?;
    match name != "cut" && !value.is_object() {
        true => Err(RuleError::NotAnActionObject(name.clone())),
        false => Ok(()),
    }
}

impl ServiceName {
    fn of(kind: ServiceKind) -> ServiceName {
        match kind {
            ServiceKind::Blob => ServiceName::Blob,
            ServiceKind::Queue => ServiceName::Queue,
            ServiceKind::Table => ServiceName::Table,
            ServiceKind::File => ServiceName::File,
            ServiceKind::DataLake => ServiceName::Dfs,
        }
    }
}
