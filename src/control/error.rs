//! Refusals of control requests.

use axum::body::Body;
use http::{HeaderValue, Method, Response, StatusCode, header};
use serde_json::json;

/// A refusal: `{"error":{"code":"…","message":"…"}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlError {
    pub status: StatusCode,
    pub code: &'static str,
    /// What is wrong, with which value, and what to do.
    pub message: String,
    /// The methods that the path has, for 405.
    pub allow: Option<String>,
}

impl ControlError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ControlError {
        ControlError { status, code, message: message.into(), allow: None }
    }

    /// A parameter or a body that is malformed.
    pub fn invalid(message: impl Into<String>) -> ControlError {
        ControlError::new(StatusCode::BAD_REQUEST, "InvalidInput", message)
    }

    /// Something that the request names does not exist.
    pub fn missing(message: impl Into<String>) -> ControlError {
        ControlError::new(StatusCode::NOT_FOUND, "NotFound", message)
    }

    /// The path exists, with other methods.
    pub fn method(method: &Method, allow: &[&str]) -> ControlError {
        let allow = allow.join(", ");
        let message = format!("this path has no {method}, only {allow}");
        ControlError { allow: Some(allow), ..ControlError::new(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message) }
    }

    /// A page of another site may have sent the request.
    pub fn foreign(message: impl Into<String>) -> ControlError {
        ControlError::new(StatusCode::FORBIDDEN, "ForeignRequest", message)
    }

    /// The request needs `--control`.
    pub fn withheld(message: impl Into<String>) -> ControlError {
        ControlError::new(StatusCode::FORBIDDEN, "ControlIsOff", message)
    }

    /// The request needs `--control`, whoever sends it.
    pub fn control_is_off() -> ControlError {
        ControlError::withheld("start the server with --control for this request")
    }

    /// The server could not do it.
    pub fn failed(message: impl Into<String>) -> ControlError {
        ControlError::new(StatusCode::INTERNAL_SERVER_ERROR, "InternalError", message)
    }

    pub fn response(&self) -> Response<Body> {
        let body = format!("{}\n", json!({ "error": { "code": self.code, "message": self.message } }));
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(allow) = self.allow.as_ref().and_then(|allow| HeaderValue::from_str(allow).ok()) {
            response.headers_mut().insert(header::ALLOW, allow);
        }
        response
    }
}
