//! The body of an entity group transaction: a batch that contains one changeset, whose parts have bodies, or one query.

use crate::rules::batch::{BatchPart, boundary, headers, is_http, malformed, request, sections};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::lookup;

/// The most changes in a changeset.
pub const MOST_CHANGES: usize = 100;

/// The content of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    Query(BatchPart),
    /// There may be none (recorded).
    Changes(Vec<Change>),
}

/// A request of a changeset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The request. Its id is the Content-ID in its own headers: the response repeats only that one (recorded).
    pub part: BatchPart,
    /// The text before the next delimiter.
    pub body: String,
}

/// Parses a transaction.
///
/// # Errors
/// 400 InvalidHeaderValue for a Content-Type that is not `multipart/mixed` with a boundary; 400 InvalidInput for a body that is neither
/// one changeset nor one query.
pub fn parse(content_type: &str, body: &[u8]) -> Result<Group, StorageError> {
    let boundary = boundary(content_type)?;
    let text = std::str::from_utf8(body).map_err(|_| malformed("the body is not UTF-8"))?;
    let outside = sections(text.lines(), boundary)?;
    let [section] = &outside[..] else { return Err(malformed("a transaction is one changeset or one query")) };
    let mut lines = section.iter().copied();
    let own_headers = headers(&mut lines)?;
    let kind = lookup(&own_headers, "content-type").unwrap_or_default();
    if is_http(kind) {
        let change = change(section)?;
        return match change.part.method.as_str() {
            "GET" => Ok(Group::Query(change.part)),
            _ => Err(malformed("a change outside of a changeset")),
        };
    }
    let boundary = crate::rules::batch::boundary(kind).map_err(|_| malformed(format!("a part is {kind:?}")))?;
    let sections = sections(lines, boundary)?;
    let changes = sections.iter().map(|lines| change(lines)).collect::<Result<Vec<Change>, StorageError>>()?;
    if changes.iter().any(|change| change.part.method == "GET") {
        return Err(malformed("a query inside of a changeset"));
    }
    Ok(Group::Changes(changes))
}

/// Checks the number of changes.
///
/// # Errors
/// 400 InvalidInput.
pub fn check_count(changes: &[Change]) -> Result<(), StorageError> {
    if changes.len() <= MOST_CHANGES {
        return Ok(());
    }
    Err(ErrorCode::InvalidInput.with_message(format!(
        "{}:The batch request operation exceeds the maximum {MOST_CHANGES} changes per change set.",
        MOST_CHANGES - 1
    )))
}

fn change(lines: &[&str]) -> Result<Change, StorageError> {
    let mut lines = lines.iter().copied();
    let (_, mut part) = request(&mut lines)?;
    part.id = part.header("content-id").map(str::to_owned);
    let body: Vec<&str> = lines.collect();
    Ok(Change { part, body: body.join("\n").trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KIND: &str = "multipart/mixed; boundary=batch_1";
    const HTTP: &str = "Content-Type: application/http\nContent-Transfer-Encoding: binary\n";

    fn batch(changes: &str) -> String {
        format!("--batch_1\nContent-Type: multipart/mixed; boundary=cs\n\n{changes}--cs--\n--batch_1--\n")
    }

    fn insert(more: &str) -> String {
        format!("--cs\n{HTTP}\nPOST http://h/a/t HTTP/1.1\nContent-Type: application/json\n{more}\n{{\"a\":\n1}}\n")
    }

    #[test]
    fn reads_what_clients_send() {
        let delete = format!("--cs\n{HTTP}Content-ID: 7\n\nDELETE /a/t(PartitionKey='p',RowKey='r') HTTP/1.1\nIf-Match: *\n\n\n");
        let body = batch(&(insert("Content-ID: 1\nContent-Length: 8\n") + &delete + &insert("")));
        let crlf = body.replace('\n', "\r\n");
        let blank = body.replace("--cs--\n", "--cs--\n\n");
        for body in [&body, &crlf, &blank, &format!("preamble\n{body}epilogue")] {
            let Ok(Group::Changes(changes)) = parse(KIND, body.as_bytes()) else { panic!("{body}") };
            let seen: Vec<_> = changes
                .iter()
                .map(|change| (&*change.part.method, &*change.part.target, change.part.id.as_deref(), &*change.body))
                .collect();
            assert_eq!(
                seen,
                [
                    ("POST", "/a/t", Some("1"), "{\"a\":\n1}"),
                    ("DELETE", "/a/t(PartitionKey='p',RowKey='r')", None, ""),
                    ("POST", "/a/t", None, "{\"a\":\n1}"),
                ]
            );
            assert_eq!(changes[1].part.header("if-match"), Some("*"));
        }
        assert_eq!(parse(KIND, batch("").as_bytes()), Ok(Group::Changes(Vec::new())));
        let query = format!("--batch_1\n{HTTP}\nGET http://h/a/t()?$top=1 HTTP/1.1\nAccept: application/json\n\n--batch_1--");
        let Ok(Group::Query(part)) = parse(KIND, query.as_bytes()) else { panic!("{query}") };
        assert_eq!(part.target, "/a/t()?$top=1");
    }

    #[test]
    fn refuses_what_is_neither_changeset_nor_query() {
        let get = format!("--batch_1\n{HTTP}\nGET /t HTTP/1.1\n\n");
        for body in [
            String::new(),
            "--batch_1--".to_owned(),
            format!("{get}{get}--batch_1--"),
            get.clone() + &batch(&insert("")),
            format!("{}--batch_1--", get.replace("GET", "DELETE")),
            batch(&insert("").replace("POST", "GET")),
            batch(&insert("")).replace("--cs--\n", ""),
            batch(&insert("")).replace("boundary=cs", "border=cs"),
            batch("--cs\nContent-Type: text/plain\n\nPOST /t HTTP/1.1\n\n"),
            batch(&format!("--cs\n{HTTP}\nPOST\n\n")),
        ] {
            assert_eq!(parse(KIND, body.as_bytes()).expect_err(&body).code(), ErrorCode::InvalidInput, "{body}");
        }
        assert_eq!(parse("application/json", b"").unwrap_err().code(), ErrorCode::InvalidHeaderValue);
    }

    #[test]
    fn a_hundred_changes_are_enough() {
        let Ok(Group::Changes(changes)) = parse(KIND, batch(&insert("").repeat(101)).as_bytes()) else { panic!() };
        assert_eq!(check_count(&changes[..100]), Ok(()));
        assert!(
            check_count(&changes).unwrap_err().message().starts_with("99:The batch request operation exceeds the maximum 100")
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(text in r"(--batch_1(--)?|--cs(--)?|\n|Content-Type: (application/http|multipart/mixed; boundary=cs)|POST /t HTTP/1\.1|[ -~]){0,14}") {
            let _ = parse(KIND, text.as_bytes());
        }
    }
}
