//! The formats of the Table service: the metadata levels of its JSON, and its errors in JSON and XML.

use crate::operation::Query;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use http::HeaderMap;

/// How much metadata a JSON response contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metadata {
    /// None.
    None,
    /// What a client cannot compute itself.
    #[default]
    Minimal,
    /// All.
    Full,
}

/// The metadata levels by their names in `odata=`. `verbose` is a level that the service no longer supports.
const LEVELS: [(&str, Option<Metadata>); 3] =
    [("nometadata", Some(Metadata::None)), ("fullmetadata", Some(Metadata::Full)), ("verbose", None)];

impl Metadata {
    /// The metadata level that a client accepts, by `$format` or else by `Accept`.
    ///
    /// # Errors
    /// 415 AtomFormatNotSupported if the client asks for Atom or for nothing, which used to mean Atom; JsonVerboseFormatNotSupported;
    /// MediaTypeNotSupported for other formats.
    pub fn wanted(query: &Query, headers: &HeaderMap) -> Result<Metadata, StorageError> {
        let accept = headers.get(http::header::ACCEPT).map(|accept| String::from_utf8_lossy(accept.as_bytes()));
        Metadata::read(query, &accept.unwrap_or_default())
    }

    /// As [`Metadata::wanted`], with the text of `Accept`.
    ///
    /// # Errors
    /// As [`Metadata::wanted`].
    pub fn read(query: &Query, accept: &str) -> Result<Metadata, StorageError> {
        let wanted = query.get("$format").filter(|format| !format.is_empty()).unwrap_or(accept);
        let mut error = ErrorCode::AtomFormatNotSupported;
        for (at, media) in wanted.split(',').enumerate() {
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
            } else if at == 0 && !is(&["application/atom+xml", "atom", ""]) {
                error = ErrorCode::MediaTypeNotSupported;
            }
        }
        Err(error.into())
    }

    /// The `Content-Type` of a response.
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
    const SPACE: &str = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata";
    let mut xml = super::xml::Writer::new();
    xml.open_with("m:error", &[("xmlns:m", SPACE)]).leaf("m:code", error.code().name());
    xml.leaf_with("m:message", &[("xml:lang", "en-US")], message(error, request_id, now)).close("m:error");
    xml.finish().trim_start_matches('\u{feff}').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_what_it_asks_for() {
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
            let query = Query::new(&[("$format".to_owned(), format.to_owned())]);
            let mut headers = HeaderMap::new();
            headers.insert("accept", accept.parse().unwrap());
            assert_eq!(Metadata::wanted(&query, &headers).map_err(|error| error.code()), expected, "{format} {accept}");
        }
        assert_eq!(Metadata::wanted(&Query::default(), &HeaderMap::new()).unwrap_err().code(), ErrorCode::AtomFormatNotSupported);
    }

    #[test]
    fn refusals_are_written_as_recorded() {
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
