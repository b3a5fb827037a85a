//! The body of a batch: `multipart/mixed`, in which each part is an HTTP request.
//!
//! Lines may end in CRLF or LF, because clients send both. Everything else is strict, because a misunderstood part would delete the wrong
//! blob.

pub mod changeset;

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::lookup;

/// The most parts of a batch.
pub const MOST_PARTS: usize = 256;
/// The most bytes of a batch.
pub const LONGEST: u64 = 4 << 20;
/// The longest boundary in MIME.
const LONGEST_BOUNDARY: usize = 70;

/// A request in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchPart {
    /// The Content-ID, which the response repeats.
    pub id: Option<String>,
    pub method: String,
    /// Path and query, with a leading slash.
    pub target: String,
    /// In order.
    pub headers: Vec<(String, String)>,
}

impl BatchPart {
    /// The value of a header, by its name in any letter case.
    pub fn header(&self, name: &str) -> Option<&str> {
        lookup(&self.headers, name)
    }
}

/// Parses a batch.
///
/// # Errors
/// 400 InvalidHeaderValue for a Content-Type that is not `multipart/mixed` with a boundary; 400 InvalidInput for two boundaries, or a
/// malformed or empty body; 400 ExceedsMaxBatchRequestCount; 400 AllBatchSubRequestsShouldBeSameApi for different methods.
pub fn parse(content_type: &str, body: &[u8]) -> Result<Vec<BatchPart>, StorageError> {
    let boundary = boundary(content_type)?;
    let text = std::str::from_utf8(body).map_err(|_| malformed("the body is not UTF-8"))?;
    let sections = sections(text.lines(), boundary)?;
    if sections.len() > MOST_PARTS {
        return Err(ErrorCode::ExceedsMaxBatchRequestCount.into());
    }
    let parts = sections.iter().map(|lines| part(lines)).collect::<Result<Vec<BatchPart>, StorageError>>()?;
    let Some(first) = parts.first() else { return Err(malformed("there is no part")) };
    if parts.iter().any(|part| part.method != first.method) {
        return Err(ErrorCode::AllBatchSubRequestsShouldBeSameApi.into());
    }
    Ok(parts)
}

/// The lines between the delimiters. Lines before the first delimiter and after the last are ignored.
fn sections<'a>(mut lines: impl Iterator<Item = &'a str>, boundary: &str) -> Result<Vec<Vec<&'a str>>, StorageError> {
    let mut sections = Vec::new();
    let mut mark = lines.by_ref().find_map(|line| Boundary::of(line, boundary));
    while mark == Some(Boundary::Next) {
        let mut end = None;
        let inside = lines.by_ref().take_while(|line| {
            end = Boundary::of(line, boundary);
            end.is_none()
        });
        sections.push(inside.collect());
        mark = end;
    }
    mark.map(|_| sections).ok_or_else(|| malformed("the last delimiter is missing"))
}

/// A line between parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Boundary {
    /// `--boundary`
    Next,
    /// `--boundary--`
    End,
}

impl Boundary {
    fn of(line: &str, boundary: &str) -> Option<Boundary> {
        match line.strip_prefix("--")?.strip_prefix(boundary)?.trim_end() {
            "" => Some(Boundary::Next),
            "--" => Some(Boundary::End),
            _ => None,
        }
    }
}

/// The boundary in a Content-Type, with or without quotes.
fn boundary(content_type: &str) -> Result<&str, StorageError> {
    let unusable = || StorageError::invalid_header("Content-Type", content_type);
    let (kind, parameters) = content_type.split_once(';').ok_or_else(unusable)?;
    if !kind.trim().eq_ignore_ascii_case("multipart/mixed") {
        return Err(unusable());
    }
    let mut boundaries = parameters.split(';').filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim())
    });
    let value = boundaries.next().ok_or_else(unusable)?;
    if boundaries.next().is_some() {
        return Err(malformed("the Content-Type has two boundaries"));
    }
    let value = value.strip_prefix('"').map_or(Some(value), |quoted| quoted.strip_suffix('"')).ok_or_else(unusable)?;
    let fits = (1..=LONGEST_BOUNDARY).contains(&value.len());
    let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte));
    if fits && plain { Ok(value) } else { Err(unusable()) }
}

fn part(lines: &[&str]) -> Result<BatchPart, StorageError> {
    let mut lines = lines.iter().copied();
    let (own_headers, part) = request(&mut lines)?;
    // The operations of a batch have no bodies.
    if part.header("content-length").is_some_and(|length| length != "0") || lines.any(|line| !line.is_empty()) {
        return Err(malformed("a part has a body"));
    }
    Ok(BatchPart { id: lookup(&own_headers, "content-id").map(str::to_owned), ..part })
}

/// Returns true if a part with this Content-Type is an HTTP request.
fn is_http(kind: &str) -> bool {
    kind.split_once(';').map_or(kind, |(kind, _)| kind).trim().eq_ignore_ascii_case("application/http")
}

/// The headers of a part, and its request without the body.
fn request<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Result<(Vec<(String, String)>, BatchPart), StorageError> {
    let own_headers = headers(lines)?;
    let kind = lookup(&own_headers, "content-type").unwrap_or_default();
    if !is_http(kind) {
        return Err(malformed(format!("a part is {kind:?}")));
    }
    if lookup(&own_headers, "content-transfer-encoding").is_some_and(|encoding| !encoding.eq_ignore_ascii_case("binary")) {
        return Err(malformed("a part is encoded"));
    }
    let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let (method, target) = match words[..] {
        [method, target, "HTTP/1.1" | "HTTP/1.0"] if is_token(method) && target.bytes().all(|b| b.is_ascii_graphic()) => {
            (method, target)
        }
        _ => return Err(malformed("a part has no request line")),
    };
    let target = relative(target)?.to_owned();
    Ok((own_headers, BatchPart { id: None, method: method.to_owned(), target, headers: headers(lines)? }))
}

/// The header lines up to an empty line.
fn headers<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Result<Vec<(String, String)>, StorageError> {
    let read = |line: &str| {
        let (name, value) = line.split_once(':').filter(|(name, _)| is_token(name))?;
        let value = value.trim();
        (!value.contains(|c: char| c.is_control() && c != '\t')).then(|| (name.to_owned(), value.to_owned()))
    };
    let until_empty = lines.take_while(|line| !line.is_empty());
    until_empty.map(|line| read(line).ok_or_else(|| malformed("a part has a line that is no header"))).collect()
}

/// Path and query of a target, which is a URL for some clients.
fn relative(target: &str) -> Result<&str, StorageError> {
    let path = match target.split_once("://") {
        Some(("http" | "https", rest)) => rest.find('/').and_then(|at| rest.get(at..)),
        _ => Some(target),
    };
    path.filter(|path| path.starts_with('/')).ok_or_else(|| malformed("a part's target is no path"))
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Reasons are logged, so they must not quote a request, which may contain a signature.
fn malformed(reason: impl Into<String>) -> StorageError {
    ErrorCode::InvalidInput.with_reason(reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KIND: &str = "multipart/mixed; boundary=b";
    const HEAD: &str = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n";

    fn one(part: &str) -> String {
        format!("--b\r\n{part}\r\n--b--\r\n")
    }

    #[test]
    fn reads_what_clients_send() {
        let python = format!(
            "--===============1114621032==\r\n{HEAD}Content-ID: 0\r\n\r\nDELETE /c/b1? HTTP/1.1\r\nx-ms-delete-snapshots: only\r\n\
             Authorization: SharedKey name:k=\r\n\r\n\r\n--===============1114621032==--\r\n"
        );
        let parts = parse("multipart/mixed; boundary================1114621032==", python.as_bytes()).unwrap();
        assert_eq!(
            parts,
            [BatchPart {
                id: Some("0".into()),
                method: "DELETE".into(),
                target: "/c/b1?".into(),
                headers: vec![
                    ("x-ms-delete-snapshots".into(), "only".into()),
                    ("Authorization".into(), "SharedKey name:k=".into())
                ],
            }]
        );
        let two = format!("--b\r\n{HEAD}\r\nDELETE /c/1 HTTP/1.1\r\n\r\n--b\r\n{HEAD}\r\nDELETE /c/2 HTTP/1.1\r\n\r\n--b--");
        for (kind, body) in [
            (KIND, two.clone()),
            (KIND, two.replace("\r\n", "\n")),
            ("Multipart/Mixed;Boundary=\"b\"", two.clone()),
            ("multipart/mixed; charset=utf-8; boundary=b", format!("preamble\r\n\r\n{two}\r\nepilogue")),
            (KIND, two.replace("--b\r\n", "--b \t\r\n")),
            (KIND, two.replace(" /c/", " http://account.blob.core.windows.net/c/")),
            (KIND, two.replace(HEAD, "content-type: application/http; msgtype=request\r\n")),
            (KIND, two.replace("1.1\r\n", "1.1\r\nContent-Length: 0\r\n")),
            // Without the empty line after the last header.
            (KIND, two.replace("1.1\r\n\r\n", "1.1\r\n")),
        ] {
            let parts = parse(kind, body.as_bytes()).unwrap_or_else(|error| panic!("{kind} {body:?}: {error}"));
            let seen: Vec<_> = parts.iter().map(|part| (part.target.as_str(), part.id.as_deref())).collect();
            assert_eq!(seen, [("/c/1", None), ("/c/2", None)], "{kind} {body:?}");
        }
    }

    #[test]
    fn refuses_what_is_no_batch() {
        for kind in [
            "",
            "multipart/mixed",
            "multipart/mixed; boundary=",
            "multipart/mixed; boundary=\"b",
            "multipart/mixed; boundary=b\u{e9}",
            "multipart/form-data; boundary=b",
            "application/http",
            &format!("multipart/mixed; boundary={}", "b".repeat(71)),
        ] {
            assert_eq!(parse(kind, b"--b--").unwrap_err().code(), ErrorCode::InvalidHeaderValue, "{kind}");
        }
        let two = "multipart/mixed; boundary=b; boundary=c";
        assert_eq!(parse(two, b"--b--").unwrap_err().code(), ErrorCode::InvalidInput);
        let request = "DELETE /c/b HTTP/1.1\r\n";
        for body in [
            String::new(),
            "--b--\r\n".into(),
            "--c\r\n--c--\r\n".into(),
            format!("--b\r\n{HEAD}\r\n{request}\r\n"),
            format!("--b\r\n{HEAD}\r\n{request}\r\n--bb--\r\n"),
            "--b\r\n--b--\r\n".into(),
            one(HEAD),
            one(&format!("\r\n{request}")),
            one(&format!("Content-Type: text/plain\r\n\r\n{request}")),
            one(&format!("Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n{HEAD}\r\n{request}\r\n--c--")),
            one(&format!("Content-Transfer-Encoding: base64\r\nContent-Type: application/http\r\n\r\n{request}")),
            one(&format!("{HEAD} folded\r\n\r\n{request}")),
            one(&format!("{HEAD}no header\r\n\r\n{request}")),
            one(&format!("{HEAD}\r\nDELETE /c/b\r\n")),
            one(&format!("{HEAD}\r\nDELETE  /c/b HTTP/1.1\r\n")),
            one(&format!("{HEAD}\r\nDELETE /c/a b HTTP/1.1\r\n")),
            one(&format!("{HEAD}\r\nDELETE /c/\u{e9} HTTP/1.1\r\n")),
            one(&format!("{HEAD}\r\nDELETE c/b HTTP/1.1\r\n")),
            one(&format!("{HEAD}\r\nDELETE ftp://host/c/b HTTP/1.1\r\n")),
            one(&format!("{HEAD}\r\nDELETE http://host HTTP/1.1\r\n")),
            one(&format!("{HEAD}\r\nDELETE /c/b HTTP/2\r\n")),
            one(&format!("{HEAD}\r\nDEL ETE /c/b HTTP/1.1\r\n")),
            one(&format!("{HEAD}\r\n{request}x-ms-meta-a: b\u{0}\r\n")),
            one(&format!("{HEAD}\r\n{request}: b\r\n")),
            one(&format!("{HEAD}\r\n{request}Content-Length: 1\r\n\r\nx")),
            one(&format!("{HEAD}\r\n{request}\r\nbody")),
        ] {
            assert_eq!(parse(KIND, body.as_bytes()).expect_err(&body).code(), ErrorCode::InvalidInput, "{body:?}");
        }
        assert_eq!(parse(KIND, b"--b\r\n\xff\r\n--b--").unwrap_err().code(), ErrorCode::InvalidInput);
    }

    #[test]
    fn has_bounds() {
        let part = |method: &str| format!("--b\r\n{HEAD}\r\n{method} /c/b HTTP/1.1\r\n\r\n");
        let many = |count: usize| part("DELETE").repeat(count) + "--b--";
        assert_eq!(parse(KIND, many(256).as_bytes()).map(|parts| parts.len()), Ok(256));
        assert_eq!(parse(KIND, many(257).as_bytes()).unwrap_err().code(), ErrorCode::ExceedsMaxBatchRequestCount);
        let mixed = part("DELETE") + &part("PUT") + "--b--";
        assert_eq!(parse(KIND, mixed.as_bytes()).unwrap_err().code(), ErrorCode::AllBatchSubRequestsShouldBeSameApi);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(text in r"(--b(--)?|\r|\n|Content-Type: application/http|DELETE /c/b HTTP/1\.1|[ -~é]){0,12}") {
            let _ = parse(KIND, text.as_bytes());
        }
    }
}
