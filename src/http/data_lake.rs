//! Requests of the Data Lake API, which is not implemented yet. They are recognized and refused, so that none is treated as a request
//! of the Blob service.

use crate::http::target;
use crate::operation::{Query, header_text};
use crate::rules::error::{ErrorCode, StorageError};
use http::{HeaderMap, Method};

/// The header of a rename. No operation of the Blob service has it.
const RENAME: &str = "x-ms-rename-source";

/// The changes of a path, by `action`.
const CHANGES: [&str; 5] = ["append", "flush", "setProperties", "setAccessControl", "setAccessControlRecursive"];
/// The reads of a path, by `action`.
const READS: [&str; 3] = ["getAccessControl", "getStatus", "checkAccess"];

/// The actions about access control, which only accounts with a hierarchical namespace have.
const ACCESS: [&str; 3] = ["getAccessControl", "setAccessControl", "setAccessControlRecursive"];

/// The name in the reference of the Data Lake operation that a request is for. `None` for a request of the Blob service. At an
/// account's Data Lake host, all requests except preflight requests belong to the Data Lake API.
pub fn operation(method: &Method, host: &str, query: &Query, headers: &HeaderMap) -> Option<&'static str> {
    let by_resource = || match (method.as_str(), query.get("resource")?.to_ascii_lowercase().as_str()) {
        ("GET", "account") => Some("Filesystem - List"),
        ("PUT", "filesystem") => Some("Filesystem - Create"),
        ("PATCH", "filesystem") => Some("Filesystem - Set Properties"),
        ("HEAD", "filesystem") => Some("Filesystem - Get Properties"),
        ("DELETE", "filesystem") => Some("Filesystem - Delete"),
        ("GET", "filesystem") => Some("Path - List"),
        ("PUT", "file" | "directory") => Some("Path - Create"),
        _ => None,
    };
    let by_action = || {
        let action = query.get("action")?;
        let is_one_of = |known: &[&str]| known.iter().any(|known| action.eq_ignore_ascii_case(known));
        match method.as_str() {
            "PATCH" if is_one_of(&CHANGES) => Some("Path - Update"),
            "HEAD" if is_one_of(&READS) => Some("Path - Get Properties"),
            _ => None,
        }
    };
    let by_header = || (*method == Method::PUT && header_text(headers, RENAME).is_some()).then_some("Path - Create (rename)");
    let by_host = || match method.as_str() {
        _ if !target::is_lake(host) => None,
        "OPTIONS" => None,
        "PUT" => Some("Path - Create"),
        "PATCH" => Some("Path - Update"),
        "POST" => Some("Path - Lease"),
        "DELETE" => Some("Path - Delete"),
        "HEAD" => Some("Path - Get Properties"),
        _ => Some("Path - Read"),
    };
    by_resource().or_else(by_action).or_else(by_header).or_else(by_host)
}

/// The error for an operation of the Data Lake API: 501 NotImplemented, which no SDK retries. An account without a hierarchical
/// namespace answers access control actions as the service does, because pyarrow, Spark and Trino find out the kind of account by that.
pub fn refusal(operation: &str, query: &Query, hns: bool) -> StorageError {
    let about_access = query.get("action").is_some_and(|action| ACCESS.iter().any(|known| action.eq_ignore_ascii_case(known)));
    if about_access && !hns {
        return ErrorCode::HierarchicalNamespaceNotEnabled
            .with_message("This operation is only supported on a hierarchical namespace account.");
    }
    ErrorCode::NotImplemented.with_message(format!(
        "{operation} is an operation of Data Lake Storage Gen2, which this server does not have yet. Use the Blob API instead."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_of_requests() {
        let (lake, blob) = ("acc.dfs.localhost:10000", "127.0.0.1:10000");
        for (method, host, query, rename, expected) in [
            ("GET", blob, "resource=account", false, Some("Filesystem - List")),
            ("PUT", blob, "resource=filesystem", false, Some("Filesystem - Create")),
            ("GET", blob, "resource=filesystem", false, Some("Path - List")),
            ("DELETE", lake, "resource=filesystem", false, Some("Filesystem - Delete")),
            ("PUT", blob, "resource=directory", false, Some("Path - Create")),
            ("PUT", blob, "mode=legacy", true, Some("Path - Create (rename)")),
            ("PATCH", blob, "action=append", false, Some("Path - Update")),
            ("HEAD", blob, "action=getStatus", false, Some("Path - Get Properties")),
            ("PATCH", blob, "action=foo", false, None),
            ("PUT", blob, "action=append", false, None),
            ("GET", blob, "resource=file", false, None),
            ("PATCH", lake, "action=foo", false, Some("Path - Update")),
            ("GET", blob, "resource=foo", false, None),
            ("GET", lake, "", false, Some("Path - Read")),
            ("DELETE", lake, "recursive=true", false, Some("Path - Delete")),
            ("OPTIONS", lake, "", false, None),
            ("GET", blob, "", false, None),
            ("PUT", blob, "comp=metadata", false, None),
            ("GET", blob, "", true, None),
        ] {
            let pairs: Vec<(String, String)> =
                query.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
            let mut headers = HeaderMap::new();
            headers.extend(rename.then(|| (RENAME.parse().unwrap(), "/c/b".parse().unwrap()))
                as Option<(http::HeaderName, http::HeaderValue)>);
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            assert_eq!(operation(&method, host, &Query::new(&pairs), &headers), expected, "{method} {host} {query}");
        }
    }
}
