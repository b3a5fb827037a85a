//! The string to sign of Shared Key and of Shared Key Lite.
//!
//! The client and the service write the request in the same canonical form, and compute its HMAC-SHA256 with the account key; if both are
//! equal, the request is authentic. This file writes the form; the caller, who has the key, computes the HMAC. Source: "Authorize with
//! Shared Key" in the REST reference.
//!
//! Blob, queue, file and Data Lake requests share one dialect, table requests have a shorter one.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::lookup;
use crate::rules::versions::Version;
use crate::rules::wire_name::{WireName, wire_enum};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The largest difference in seconds between the date of a signed request and the clock of the service.
pub const SKEW_SECONDS: u64 = 900;

wire_enum! {
    /// The scheme in the Authorization header.
    Scheme {
        /// Signs the standard headers, the `x-ms-` headers and all of the query.
        SharedKey "SharedKey",
        /// Signs few standard headers, and only `comp` of the query.
        SharedKeyLite "SharedKeyLite",
    }
}

/// The two canonical forms of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Blob, queue, file and Data Lake.
    Storage,
    /// Table: no `x-ms-` headers, and always a date.
    Table,
}

/// The parts of a request that a signature covers.
#[derive(Clone, Copy, Debug)]
pub struct SignedRequest<'a> {
    pub method: &'a str,
    pub account: &'a str,
    /// The percent-encoded path. In a path-style URL it contains the account, which is then signed twice.
    pub path: &'a str,
    /// The decoded names and values of the query, in order.
    pub query: &'a [(String, String)],
    /// The headers with names in lower case, in order; a name may occur several times.
    pub headers: &'a [(&'a str, &'a str)],
    pub version: Version,
}

impl<'a> SignedRequest<'a> {
    /// The trimmed value of a header; empty if it is absent.
    fn header(&self, name: &str) -> &'a str {
        self.headers.iter().find(|(header, _)| *header == name).map_or("", |(_, value)| value.trim())
    }

    /// The line of a standard header in the string to sign.
    fn standard(&self, dialect: Dialect, name: &str) -> &'a str {
        match (name, self.header(name)) {
            ("content-length", "0") if self.version >= Version::V2015_02_21 => "",
            ("date", date) => match (dialect, self.header("x-ms-date")) {
                (_, "") => date,
                (Dialect::Storage, _) => "",
                (Dialect::Table, instead) => instead,
            },
            (_, value) => value,
        }
    }

    /// The `x-ms-` headers in this order of names; those of the same name remain in their order.
    fn sorted_headers(&self, order: fn(&str, &str) -> Ordering) -> Vec<(&'a str, &'a str)> {
        let mut headers: Vec<_> = self.headers.iter().copied().filter(|(name, _)| name.starts_with("x-ms-")).collect();
        if self.version < Version::V2016_05_31 {
            headers.retain(|(_, value)| !value.trim().is_empty());
        }
        headers.sort_by(|(one, _), (other, _)| order(one, other));
        headers
    }
}

/// The string to sign, with headers in the order of the service.
pub fn string_to_sign(scheme: Scheme, dialect: Dialect, request: &SignedRequest<'_>) -> String {
    write(scheme, dialect, request, &request.sorted_headers(culture_order))
}

/// The strings that a client may have signed, the most likely first, without duplicates.
///
/// The service and most SDKs sort headers by culture, but some SDKs sort them by byte. The results differ only for names like
/// `x-ms-meta-a_` and `x-ms-meta-a1`, so there is nearly always one string.
pub fn strings_to_sign(scheme: Scheme, dialect: Dialect, request: &SignedRequest<'_>) -> Vec<String> {
    let mut orders = vec![request.sorted_headers(culture_order), request.sorted_headers(str::cmp)];
    orders.dedup();
    let mut strings: Vec<String> = orders.iter().map(|headers| write(scheme, dialect, request, headers)).collect();
    strings.dedup();
    strings
}

fn write(scheme: Scheme, dialect: Dialect, request: &SignedRequest<'_>, headers: &[(&str, &str)]) -> String {
    let standard: &[&str] = match (dialect, scheme) {
        (Dialect::Storage, Scheme::SharedKey) => &[
            "content-encoding",
            "content-language",
            "content-length",
            "content-md5",
            "content-type",
            "date",
            "if-modified-since",
            "if-match",
            "if-none-match",
            "if-unmodified-since",
            "range",
        ],
        (Dialect::Storage, Scheme::SharedKeyLite) | (Dialect::Table, Scheme::SharedKey) => {
            &["content-md5", "content-type", "date"]
        }
        (Dialect::Table, Scheme::SharedKeyLite) => &["date"],
    };
    let mut text = String::with_capacity(512);
    if (dialect, scheme) != (Dialect::Table, Scheme::SharedKeyLite) {
        text.push_str(request.method);
        text.push('\n');
    }
    for name in standard {
        text.push_str(request.standard(dialect, name));
        text.push('\n');
    }
    if dialect == Dialect::Storage {
        push_headers(&mut text, headers);
    }
    let path = if request.path.is_empty() { "/" } else { request.path };
    text.extend(["/", request.account, path]);
    match (dialect, scheme) {
        (Dialect::Storage, Scheme::SharedKey) => push_query(&mut text, request.query),
        _ => push_comp(&mut text, request.query),
    }
    text
}

/// CanonicalizedHeaders: `name:value\n` each, the values of one name joined by commas.
fn push_headers(text: &mut String, headers: &[(&str, &str)]) {
    for same in headers.chunk_by(|(one, _), (other, _)| one == other) {
        let values: Vec<_> = same.iter().map(|(_, value)| folded(value)).collect();
        text.extend(same.first().map(|(name, _)| format!("{name}:{}\n", values.join(","))));
    }
}

/// The value of a header, trimmed, with one space for each line break and the white space around it.
fn folded(value: &str) -> Cow<'_, str> {
    if value.contains(['\r', '\n']) {
        Cow::Owned(value.split(['\r', '\n']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
    } else {
        Cow::Borrowed(value.trim())
    }
}

/// The query in the full CanonicalizedResource: `\nname:value` each, the values of one name sorted and joined by commas.
fn push_query(text: &mut String, query: &[(String, String)]) {
    let mut pairs: Vec<(String, &str)> = query.iter().map(|(name, value)| (name.to_lowercase(), value.as_str())).collect();
    pairs.sort();
    for same in pairs.chunk_by(|(one, _), (other, _)| one == other) {
        let values: Vec<_> = same.iter().map(|(_, value)| *value).collect();
        text.extend(same.first().map(|(name, _)| format!("\n{name}:{}", values.join(","))));
    }
}

/// The query in the short CanonicalizedResource: `?comp=value` or nothing.
fn push_comp(text: &mut String, query: &[(String, String)]) {
    text.extend(lookup(query, "comp").map(|value| format!("?comp={value}")));
}

/// Compares lower-case names of headers by the culture rules of .NET, as the service does: punctuation, then digits, then letters; hyphens
/// and apostrophes only if everything else is equal. Source: the collation tables of the JavaScript SDK (`SharedKeyComparator`).
fn culture_order(one: &str, other: &str) -> Ordering {
    weights(one).cmp(weights(other)).then_with(|| one.bytes().map(late).cmp(other.bytes().map(late)))
}

/// The weights of the characters of a name in the first comparison.
fn weights(name: &str) -> impl Iterator<Item = usize> {
    const EARLY: &[u8] = b"!#$%&*.^_`|~+";
    name.bytes().filter(|byte| late(*byte) == 0).map(|byte| match byte {
        b'0'..=b'9' | b'a'..=b'z' => EARLY.len() + usize::from(byte),
        _ => EARLY.iter().position(|early| *early == byte).unwrap_or(0),
    })
}

/// The weight of a character in the second comparison, of names that are equal in the first.
fn late(byte: u8) -> u8 {
    match byte {
        b'\'' => 1,
        b'-' => 2,
        _ => 0,
    }
}

/// The date that is compared with the clock: `x-ms-date`, or else `Date`. A request without both cannot be authenticated.
pub fn date_to_check<'a>(headers: &[(&'a str, &'a str)]) -> Option<&'a str> {
    let value = |wanted: &str| headers.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    value("x-ms-date").or_else(|| value("date"))
}

/// The value of an Authorization header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credential<'a> {
    pub scheme: Scheme,
    pub account: &'a str,
    /// The HMAC in base64, not verified yet.
    pub signature: &'a str,
}

/// Parses `SharedKey account:signature`.
///
/// # Errors
/// 400 InvalidAuthenticationInfo, also for a `Bearer` token.
pub fn parse_authorization(value: &str) -> Result<Credential<'_>, StorageError> {
    let read = || {
        let (scheme, rest) = value.trim().split_once(' ')?;
        let (account, signature) = rest.trim().split_once(':')?;
        let whole = !account.is_empty() && !signature.is_empty() && !rest.trim().contains(' ');
        whole.then_some(Credential { scheme: Scheme::parse_exact(scheme)?, account, signature })
    };
    read().ok_or_else(|| ErrorCode::InvalidAuthenticationInfo.with_reason("Authorization is not \"SharedKey account:signature\""))
}

/// The error for a signature that matches no key of the account. It has the string to sign, so that the client can compare.
pub fn mismatch(signature: &str, string_to_sign: &str) -> StorageError {
    ErrorCode::AuthenticationFailed.with_detail(
        "AuthenticationErrorDetail",
        format!(
            "The MAC signature found in the HTTP request '{signature}' is not the same as any computed signature. \
             Server used following string to sign: '{string_to_sign}'."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::auth::shared_key::Dialect::{Storage, Table};
    use crate::rules::auth::shared_key::Scheme::{SharedKey, SharedKeyLite};

    fn pairs(query: &[(&str, &str)]) -> Vec<(String, String)> {
        query.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    fn get<'a>(path: &'a str, query: &'a [(String, String)], headers: &'a [(&'a str, &'a str)]) -> SignedRequest<'a> {
        SignedRequest { method: "GET", account: "myaccount", path, query, headers, version: Version::V2019_12_12 }
    }

    /// The examples of the REST reference.
    #[test]
    fn signs_the_published_examples() {
        let query = pairs(&[("restype", "container"), ("comp", "metadata"), ("timeout", "20")]);
        let headers = [("x-ms-version", "2015-02-21"), ("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"), ("content-length", "0")];
        assert_eq!(
            string_to_sign(SharedKey, Storage, &get("/mycontainer", &query, &headers)),
            "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n\
             /myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20"
        );

        let headers = [
            ("x-ms-date", "Sun, 20 Sep 2009 20:36:40 GMT"),
            ("x-ms-meta-m2", "v2"),
            ("x-ms-meta-m1", "v1"),
            ("content-type", "text/plain; charset=UTF-8"),
        ];
        let put = SignedRequest { method: "PUT", ..get("/mycontainer/hello.txt", &[], &headers) };
        assert_eq!(
            string_to_sign(SharedKeyLite, Storage, &put),
            "PUT\n\ntext/plain; charset=UTF-8\n\nx-ms-date:Sun, 20 Sep 2009 20:36:40 GMT\nx-ms-meta-m1:v1\nx-ms-meta-m2:v2\n\
             /myaccount/mycontainer/hello.txt"
        );

        let headers = [("date", "Sun, 11 Oct 2009 19:52:39 GMT")];
        let tables = get("/Tables", &[], &headers);
        assert_eq!(string_to_sign(SharedKeyLite, Table, &tables), "Sun, 11 Oct 2009 19:52:39 GMT\n/myaccount/Tables");
        assert_eq!(string_to_sign(SharedKey, Table, &tables), "GET\n\n\nSun, 11 Oct 2009 19:52:39 GMT\n/myaccount/Tables");
    }

    #[test]
    fn writes_the_resource_in_two_forms() {
        let list = pairs(&[
            ("include", "snapshots"),
            ("Restype", "container"),
            ("include", "metadata"),
            ("COMP", "list"),
            ("include", "uncommittedblobs"),
        ]);
        let metadata = pairs(&[("timeout", "5"), ("comp", "metadata")]);
        for (scheme, dialect, path, query, resource) in [
            (
                SharedKey,
                Storage,
                "/c",
                &list,
                "/myaccount/c\ncomp:list\ninclude:metadata,snapshots,uncommittedblobs\nrestype:container",
            ),
            (SharedKey, Storage, "/myaccount/c/a%20b", &metadata, "/myaccount/myaccount/c/a%20b\ncomp:metadata\ntimeout:5"),
            (SharedKeyLite, Storage, "/c", &metadata, "/myaccount/c?comp=metadata"),
            (SharedKey, Table, "/t()", &metadata, "/myaccount/t()?comp=metadata"),
            (SharedKey, Storage, "", &Vec::new(), "/myaccount/"),
        ] {
            let text = string_to_sign(scheme, dialect, &get(path, query, &[]));
            assert_eq!(text.trim_start_matches("GET").trim_start_matches('\n'), resource);
        }
    }

    #[test]
    fn puts_each_standard_header_on_its_line() {
        let headers = [
            ("content-encoding", "e"),
            ("content-language", "l"),
            ("content-length", "12"),
            ("content-md5", "m"),
            ("content-type", "t"),
            ("date", "d"),
            ("if-modified-since", "ims"),
            ("if-match", "im"),
            ("if-none-match", "inm"),
            ("if-unmodified-since", "ius"),
            ("range", "r"),
        ];
        let text = string_to_sign(SharedKey, Storage, &get("/", &[], &headers));
        assert_eq!(text, "GET\ne\nl\n12\nm\nt\nd\nims\nim\ninm\nius\nr\n/myaccount/");
        for (version, length) in [(Version::V2013_08_15, "0"), (Version::V2015_02_21, "")] {
            let request = SignedRequest { version, ..get("/", &[], &[("content-length", "0")]) };
            assert_eq!(string_to_sign(SharedKey, Storage, &request), format!("GET\n\n\n{length}\n\n\n\n\n\n\n\n\n/myaccount/"));
        }
    }

    #[test]
    fn canonicalizes_headers() {
        let headers = [
            ("x-ms-meta-b", "  two \r\n  lines  "),
            ("x-ms-empty", ""),
            ("accept", "*/*"),
            ("x-ms-meta-a", "1"),
            ("x-ms-meta-a", "0"),
        ];
        for (version, empty) in [(Version::parse("2015-12-11").unwrap(), ""), (Version::V2016_05_31, "x-ms-empty:\n")] {
            let request = SignedRequest { version, ..get("/", &[], &headers) };
            assert_eq!(
                string_to_sign(SharedKeyLite, Storage, &request),
                format!("GET\n\n\n\n{empty}x-ms-meta-a:1,0\nx-ms-meta-b:two lines\n/myaccount/")
            );
        }
    }

    #[test]
    fn dates_by_x_ms_date_first() {
        let both = [("date", "d"), ("x-ms-date", "x")];
        let request = get("/", &[], &both);
        assert_eq!(string_to_sign(SharedKeyLite, Storage, &request), "GET\n\n\n\nx-ms-date:x\n/myaccount/");
        assert_eq!(string_to_sign(SharedKeyLite, Table, &request), "x\n/myaccount/");
        assert_eq!(date_to_check(&both), Some("x"));
        assert_eq!(date_to_check(&[("date", "d")]), Some("d"));
        assert_eq!(date_to_check(&[]), None);
    }

    /// The first row is the JavaScript SDK's own test of its order.
    #[test]
    fn sorts_names_as_the_service_does() {
        for sorted in [
            &["x-ms-meta-a", "x-ms-meta-a_b", "x-ms-meta-ab", "x-ms-meta-a-b"][..],
            &["x-ms-meta-_", "x-ms-meta-1", "x-ms-meta-a1", "x-ms-meta-aa"],
            &["x-ms-blob-type", "x-ms-client-request-id", "x-ms-date", "x-ms-lease-id", "x-ms-meta-x", "x-ms-version"],
            &["x-ms-meta-ab", "x-ms-meta-ab-", "x-ms-meta-a'b", "x-ms-meta-a-b", "x-ms-meta-abc"],
        ] {
            assert!(sorted.is_sorted_by(|one, other| culture_order(one, other) == Ordering::Less), "{sorted:?}");
        }
        let both = [("x-ms-meta-a1", "1"), ("x-ms-meta-a_", "2"), ("x-ms-date", "d")];
        let strings = strings_to_sign(SharedKeyLite, Storage, &get("/", &[], &both));
        assert_eq!(strings.len(), 2);
        assert_eq!(strings[0], "GET\n\n\n\nx-ms-date:d\nx-ms-meta-a_:2\nx-ms-meta-a1:1\n/myaccount/");
        assert_eq!(strings[1], "GET\n\n\n\nx-ms-date:d\nx-ms-meta-a1:1\nx-ms-meta-a_:2\n/myaccount/");
        assert_eq!(strings_to_sign(SharedKeyLite, Table, &get("/", &[], &both)).len(), 1);
        assert_eq!(strings_to_sign(SharedKey, Storage, &get("/", &[], &both[..1])).len(), 1);
    }

    #[test]
    fn reads_the_authorization_header() {
        let read = parse_authorization("SharedKeyLite devstoreaccount1:c2ln=").unwrap();
        assert_eq!(read, Credential { scheme: SharedKeyLite, account: "devstoreaccount1", signature: "c2ln=" });
        for value in
            ["", "SharedKey", "SharedKey a", "SharedKey a:", "SharedKey :s", "sharedkey a:s", "Bearer a:s", "SharedKey a:s t"]
        {
            assert_eq!(parse_authorization(value).unwrap_err().code(), ErrorCode::InvalidAuthenticationInfo, "{value}");
        }
    }
}
