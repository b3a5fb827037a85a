//! The declaration of a control request. Routing, `docs/reference/control.md` and `openapi.json` read it.

use crate::control::error::ControlError;
use crate::control::state::ControlState;
use axum::body::Body;
use http::{HeaderMap, HeaderValue, Response, header};
use http_body_util::{BodyExt, Limited};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

/// The prefix of all paths. No account name contains a `_`, so these paths do not collide with accounts.
pub const PREFIX: &str = "/_lazuli";

/// The declaration of a control request.
pub struct ControlSpec {
    pub method: &'static str,
    /// The path behind [`PREFIX`]. `{name}` stands for one segment.
    pub path: &'static str,
    pub access: Access,
    /// What the request does, in one sentence.
    pub summary: &'static str,
    /// The parameters in the query, and those in the path.
    pub parameters: &'static [Parameter],
    /// The body, if the request has one.
    pub body: Option<Document>,
    pub answer: Document,
    pub handle: Handler,
}

/// Answers a request.
pub type Handler = fn(ControlRequest) -> Pin<Box<dyn Future<Output = Result<Response<Body>, ControlError>> + Send>>;

/// Who may send a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everyone, from any page.
    Everyone,
    /// Everyone, but no page of another site.
    SameSite,
    /// Clients on this machine, and with `--control` all others; no page but the console.
    Local,
    /// Everyone, if the server has `--control`; no page but the console.
    Control,
}

impl Access {
    /// Who it is, for pages.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Everyone => "everyone",
            Access::SameSite => "everyone but pages of other sites",
            Access::Local => "clients on this machine; with `--control` everyone; no pages but the console",
            Access::Control => "with `--control` everyone but pages; the console may",
        }
    }
}

/// A parameter of a request.
#[derive(Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub kind: ParameterKind,
    pub required: bool,
    pub meaning: &'static str,
}

/// The values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    Text,
    /// 1 to 64 letters, digits, dots, dashes and underscores.
    Name,
    /// A whole number up to this one.
    Number(u64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The name of one of the server's accounts.
    Account,
    /// The name of an operation, in any letter case.
    Operation,
    /// A status such as `404`, or a class such as `4xx`.
    Status,
}

/// A body of a request or an answer.
#[derive(Debug)]
pub struct Document {
    pub content_type: &'static str,
    pub meaning: &'static str,
    /// An example in JSON, or a text; empty if there is none.
    pub example: &'static str,
}

impl Document {
    /// A JSON document.
    pub const fn json(meaning: &'static str, example: &'static str) -> Document {
        Document { content_type: "application/json", meaning, example }
    }
}

impl Parameter {
    /// An optional parameter in the query.
    pub const fn optional(name: &'static str, kind: ParameterKind, meaning: &'static str) -> Parameter {
        Parameter { name, kind, required: false, meaning }
    }

    pub const fn required(name: &'static str, kind: ParameterKind, meaning: &'static str) -> Parameter {
        Parameter { name, kind, required: true, meaning }
    }

    /// Checks a value.
    fn check(&self, value: &str, state: &ControlState) -> Result<(), ControlError> {
        let name = self.name;
        let is_valid = match self.kind {
            ParameterKind::Text => !value.is_empty(),
            ParameterKind::Name => is_name(value),
            ParameterKind::Number(most) => value.parse::<u64>().is_ok_and(|number| number <= most),
            ParameterKind::Choice(values) => values.contains(&value),
            ParameterKind::Account => return state.find_account(value).map(drop),
            ParameterKind::Operation => return state.check_operation(value),
            ParameterKind::Status => is_status(value),
        };
        match is_valid {
            true => Ok(()),
            false => Err(ControlError::invalid(format!("{name} is {value:?}, and has to be {}", self.kind.expected()))),
        }
    }
}

impl ParameterKind {
    /// The values in words.
    pub fn expected(self) -> String {
        match self {
            ParameterKind::Text => "a text".to_owned(),
            ParameterKind::Name => "1 to 64 letters, digits, dots, dashes and underscores".to_owned(),
            ParameterKind::Number(u64::MAX) => "a whole number".to_owned(),
            ParameterKind::Number(most) => format!("a whole number up to {most}"),
            ParameterKind::Choice([value]) => (*value).to_owned(),
            ParameterKind::Choice(values) => format!("one of {}", values.join(", ")),
            ParameterKind::Account => "the name of an account".to_owned(),
            ParameterKind::Operation => "the name of an operation".to_owned(),
            ParameterKind::Status => "a status such as 404, or a class such as 4xx".to_owned(),
        }
    }
}

fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (1..=64).contains(&text.len()) && text.bytes().all(allowed) && !text.bytes().all(|byte| byte == b'.')
}

/// Returns true for three characters, of which the first is a digit and the others are digits or `x`.
fn is_status(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte.eq_ignore_ascii_case(&b'x');
    text.len() == 3 && text.starts_with(|first: char| first.is_ascii_digit()) && text.bytes().all(is_digit)
}

/// The parameters in a path, with their decoded values.
pub type Segments = Vec<(&'static str, String)>;

impl ControlSpec {
    /// The values of the segments in braces, if a path behind [`PREFIX`] is that of this request.
    pub fn segments(&self, path: &str) -> Option<Segments> {
        let (mut own, mut found, mut values) = (self.path.split('/'), path.split('/'), Vec::new());
        loop {
            match (own.next(), found.next()) {
                (None, None) => return Some(values),
                (Some(own), Some(found)) => match own.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                    Some(name) => values.push((name, percent_decode_str(found).decode_utf8_lossy().into_owned())),
                    None if own == found => {}
                    None => return None,
                },
                _ => return None,
            }
        }
    }

    /// Reads the parameters of a request.
    ///
    /// # Errors
    /// 400 for a parameter that is unknown, missing, given twice or malformed; 404 for an account that does not exist.
    pub fn read(
        &self,
        segments: Segments,
        query: &str,
        state: &ControlState,
    ) -> Result<BTreeMap<&'static str, String>, ControlError> {
        let mut values: BTreeMap<&'static str, String> = segments.into_iter().collect();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
            let name = decoded(name);
            let parameter = self.parameters.iter().find(|parameter| parameter.name == name && !self.has_segment(&name));
            let parameter = parameter.ok_or_else(|| self.unknown(&name))?;
            if values.insert(parameter.name, decoded(value)).is_some() {
                return Err(ControlError::invalid(format!("{name} is given twice")));
            }
        }
        for parameter in self.parameters {
            match values.get(parameter.name) {
                Some(value) => parameter.check(value, state)?,
                None if parameter.required => {
                    let (name, meaning) = (parameter.name, parameter.meaning);
                    return Err(ControlError::invalid(format!("?{name}=… is required: {meaning}")));
                }
                None => {}
            }
        }
        Ok(values)
    }

    fn has_segment(&self, name: &str) -> bool {
        self.path.contains(&format!("{{{name}}}"))
    }

    /// Whether a parameter is a segment of the path.
    pub fn is_in_path(&self, parameter: &Parameter) -> bool {
        self.has_segment(parameter.name)
    }

    fn unknown(&self, name: &str) -> ControlError {
        let known: Vec<&str> =
            self.parameters.iter().filter(|parameter| !self.is_in_path(parameter)).map(|parameter| parameter.name).collect();
        ControlError::invalid(match known.is_empty() {
            true => format!("{name:?} is not a parameter: this request has none"),
            false => format!("{name:?} is not a parameter of this request, which has {}", known.join(", ")),
        })
    }
}

/// The longest body of a request, in bytes.
const MAX_BODY: usize = 64 << 20;

/// A request whose parameters are read.
pub struct ControlRequest {
    pub state: Arc<ControlState>,
    pub headers: HeaderMap,
    /// Whether the request came over https.
    pub https: bool,
    pub(super) values: BTreeMap<&'static str, String>,
    pub(super) body: Body,
}

impl ControlRequest {
    /// A parameter.
    pub fn text(&self, name: &str) -> Option<String> {
        self.values.get(name).cloned()
    }

    /// A parameter that is required; empty if it is not.
    pub fn required(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    /// A parameter that is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.values.get(name)?.parse().ok()
    }

    /// Reads the body.
    ///
    /// # Errors
    /// 400 for a body that is too long or breaks off.
    pub async fn bytes(&mut self) -> Result<bytes::Bytes, ControlError> {
        let body = Limited::new(std::mem::take(&mut self.body), MAX_BODY).collect().await;
        Ok(body.map_err(|error| ControlError::invalid(format!("the body cannot be read: {error}")))?.to_bytes())
    }

    /// Reads the body as JSON.
    ///
    /// # Errors
    /// As [`ControlRequest::bytes`]; 400 for a body that is no JSON.
    pub async fn json(&mut self) -> Result<Value, ControlError> {
        let body = self.bytes().await?;
        if body.is_empty() {
            return Err(ControlError::invalid("the body is empty, and has to be JSON"));
        }
        serde_json::from_slice(&body).map_err(|error| ControlError::invalid(format!("the body is not JSON: {error}")))
    }
}

/// An answer with a JSON document. It ends with the line, for people who read it in a terminal.
pub fn json(value: &Value) -> Response<Body> {
    document("application/json", format!("{value}\n"))
}

/// An answer with a document of this type.
pub fn document(content_type: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
