//! OData as the Table service speaks it: system query options, levels of metadata, and errors in JSON and XML.

use crate::operation::{Fields, FromRequest, Input, OperationSpec, Query, xml};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;

/// How much metadata an answer has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metadata {
    None,
    /// What a client cannot compute.
    #[default]
    Minimal,
    Full,
}

/// The levels by their names in `odata=`. The service no longer supports `verbose`.
const LEVELS: [(&str, Option<Metadata>); 3] =
    [("nometadata", Some(Metadata::None)), ("fullmetadata", Some(Metadata::Full)), ("verbose", None)];

const FORMAT: &str = "$format";

/// The format that a client accepts. Parsing it checks the query options of the request, as [`QueryOptions`] does.
impl FromRequest for Metadata {
    const INPUTS: &'static [Input] = &[Input::query(FORMAT), Input::header("accept")];

    fn from_request(fields: &Fields<'_>) -> Result<Metadata, StorageError> {
        QueryOptions::from_request(fields)?;
        Metadata::read(fields.query(FORMAT), fields.header("accept").unwrap_or_default())
    }
}

parsed_input! {
    /// The query options of an operation that answers without a body: `$format` is allowed, and has no effect.
    pub QueryOptions(()) = [Input::query(FORMAT)], |fields| check_options(&fields.query, fields.spec)
}

/// Refuses system query options that the operation does not read.
///
/// # Errors
/// 501 NotImplemented for those of OData; 400 InvalidInput for others that begin with `$`.
fn check_options(query: &Query, spec: &OperationSpec) -> Result<(), StorageError> {
    const KNOWN: [&str; 11] = [
        "$apply",
        "$count",
        "$expand",
        "$filter",
        "$inlinecount",
        "$orderby",
        "$search",
        "$select",
        "$skip",
        "$skiptoken",
        "$top",
    ];
    match query.names().find(|name| name.starts_with('$') && !spec.reads(name)) {
        None => Ok(()),
        Some(name) if KNOWN.contains(&name) => Err(ErrorCode::NotImplemented.with_reason(format!("the query option {name}"))),
        Some(name) => Err(ErrorCode::InvalidInput.with_message(format!(
            "The query parameter '{name}' begins with a system-reserved '$' character but is not recognized."
        ))),
    }
}

impl Metadata {
    /// Reads the level that a client wants from `$format`, or else from `Accept`.
    ///
    /// # Errors
    /// 415 AtomFormatNotSupported for Atom, and for neither, which once meant Atom; JsonVerboseFormatNotSupported;
    /// MediaTypeNotSupported for anything else.
    pub fn read(format: Option<&str>, accept: &str) -> Result<Metadata, StorageError> {
        let accepted = format.filter(|format| !format.is_empty()).unwrap_or(accept);
        let mut error = ErrorCode::AtomFormatNotSupported;
        for (index, media) in accepted.split(',').enumerate() {
            let mut words = media.split(';').map(str::trim);
            let media = words.next().unwrap_or_default();
            let is = |known: &[&str]| known.iter().any(|known| media.eq_ignore_ascii_case(known));
            if is(&["application/json", "json", "*/*", "application/*"]) {
                let level = words.find_map(|word| word.strip_prefix("odata=")).unwrap_or_default().trim_matches('"');
                match LEVELS.iter().find(|(name, _)| level.eq_ignore_ascii_case(name)) {
                    Some((_, Some(metadata))) => return Ok(*metadata),
                    Some((_, None)) => error = ErrorCode::JsonVerboseFormatNotSupported,
                    None => return Ok(Metadata::Minimal),
                }
            } else if index == 0 && !is(&["application/atom+xml", "atom", ""]) {
                error = ErrorCode::MediaTypeNotSupported;
            }
        }
        Err(error.into())
    }

    /// The Content-Type of an answer.
    pub const fn content_type(self) -> &'static str {
        match self {
            Metadata::None => "application/json;odata=nometadata;streaming=true;charset=utf-8",
            Metadata::Minimal => "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
            Metadata::Full => "application/json;odata=fullmetadata;streaming=true;charset=utf-8",
        }
    }
}

/// The message of an error, with the id and the time of the request.
pub fn message(error: &StorageError, request_id: &str, now: Timestamp) -> String {
    format!("{}\nRequestId:{request_id}\nTime:{}", error.message(), now.iso())
}

/// An error in JSON.
pub fn error(error: &StorageError, request_id: &str, now: Timestamp) -> String {
    let message = serde_json::json!({ "lang": "en-US", "value": message(error, request_id, now) });
    serde_json::json!({ "odata.error": { "code": error.code().name(), "message": message } }).to_string()
}

/// An error in XML.
pub fn error_xml(error: &StorageError, request_id: &str, now: Timestamp) -> String {
    const NAMESPACE: &str = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata";
    let mut xml = xml::Writer::new();
    xml.open_with("m:error", &[("xmlns:m", NAMESPACE)]).leaf("m:code", error.code().name());
    xml.leaf_with("m:message", &[("xml:lang", "en-US")], message(error, request_id, now)).close("m:error");
    xml.finish().trim_start_matches('\u{feff}').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_and_accept_choose_the_level_of_metadata() {
        for (format, accept, expected) in [
            ("", "application/json", Ok(Metadata::Minimal)),
            ("", "application/json;odata=nometadata", Ok(Metadata::None)),
            ("", "application/json; odata=fullmetadata; charset=utf-8", Ok(Metadata::Full)),
            ("", "application/atom+xml,application/json;odata=minimalmetadata", Ok(Metadata::Minimal)),
            ("", "*/*", Ok(Metadata::Minimal)),
            ("application/json;odata=nometadata", "application/json", Ok(Metadata::None)),
            ("json", "", Ok(Metadata::Minimal)),
            ("", "", Err(ErrorCode::AtomFormatNotSupported)),
            ("", "application/atom+xml", Err(ErrorCode::AtomFormatNotSupported)),
            ("atom", "application/json", Err(ErrorCode::AtomFormatNotSupported)),
            ("", "application/json;odata=verbose", Err(ErrorCode::JsonVerboseFormatNotSupported)),
            ("", "text/html", Err(ErrorCode::MediaTypeNotSupported)),
        ] {
            assert_eq!(Metadata::read(Some(format), accept).map_err(|error| error.code()), expected, "{format} {accept}");
        }
        assert_eq!(Metadata::read(None, "").unwrap_err().code(), ErrorCode::AtomFormatNotSupported);
    }

    #[test]
    fn errors_are_written_as_recorded() {
        let now = Timestamp::parse_iso("2021-06-08T02:27:58.1749862Z").unwrap();
        let refusal = ErrorCode::InvalidXmlDocument.into();
        assert_eq!(
            error_xml(&refusal, "id", now),
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><m:error xmlns:m=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\">\
             <m:code>InvalidXmlDocument</m:code><m:message xml:lang=\"en-US\">XML specified is not syntactically valid.\nRequestId:id\n\
             Time:2021-06-08T02:27:58.1749862Z</m:message></m:error>"
        );
        assert_eq!(
            error(&refusal, "id", now),
            r#"{"odata.error":{"code":"InvalidXmlDocument","message":{"lang":"en-US","value":"XML specified is not syntactically valid.\nRequestId:id\nTime:2021-06-08T02:27:58.1749862Z"}}}"#
        );
    }
}
