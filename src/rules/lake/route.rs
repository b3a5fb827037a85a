//! Which API a request is for. The Blob service and Data Lake share accounts, containers and ports.
//!
//! The host of a request is a hint, and not enough: clients derive one host from the other by text, and with an IP address they send both
//! kinds of requests to the same base URL. [`LINES`] is the whole rule; the first line that decides wins.

/// An API on an account's containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    Blob,
    Lake,
}

/// What a request shows of the API that it is for.
pub struct RequestFacts<'a> {
    /// The method on the wire, in upper case.
    pub method: &'a str,
    /// The API that the host names: `account.dfs.…` or `account.blob.…`.
    pub host: Option<Api>,
    /// Whether the request came to a listener for Data Lake only.
    pub is_lake_listener: bool,
    /// Returns true if the query has this parameter. Names are in lower case.
    pub has_query: &'a dyn Fn(&str) -> bool,
    /// Returns the value of a header, if it is there and not empty. Names are in lower case.
    pub header: &'a dyn Fn(&str) -> Option<&'a str>,
}

impl RequestFacts<'_> {
    /// The method that the client means. hadoop-azure sends a PATCH as a PUT with a header, because Java's own client knows no PATCH.
    pub fn method(&self) -> &str {
        let is_patch = |method: &str| method.trim().eq_ignore_ascii_case("PATCH");
        match self.method == "PUT" && (self.header)("x-http-method-override").is_some_and(is_patch) {
            true => "PATCH",
            false => self.method,
        }
    }

    fn has_any_query(&self, names: &[&str]) -> bool {
        names.iter().any(|name| (self.has_query)(name))
    }

    fn has_any_header(&self, names: &[&str]) -> bool {
        names.iter().any(|name| (self.header)(name).is_some())
    }
}

/// A line of the rule: the API, if this line decides.
type Line = fn(&RequestFacts<'_>) -> Option<Api>;

/// The rule. Lines 1 to 6 decide by what only one of the APIs has; the others are for a plain GET, HEAD or DELETE of a path.
const LINES: [Line; 9] = [
    // 1
    |request| (request.method() == "PATCH").then_some(Api::Lake),
    // 2
    |request| {
        let is_action = request.has_any_query(&["action"]) && !request.has_any_query(&["comp"]);
        (is_action || request.has_any_query(&["resource"])).then_some(Api::Lake)
    },
    // 3: a rename, which hadoop-azure and OpenDAL send without `mode`.
    |request| (request.has_any_header(&["x-ms-rename-source"]) && !request.has_any_query(&["comp"])).then_some(Api::Lake),
    // 4
    |request| {
        let is_lease = request.method == "POST" && request.has_any_header(&["x-ms-lease-action"]);
        (is_lease && !request.has_any_query(&["comp"])).then_some(Api::Lake)
    },
    // 5
    |request| {
        let is_blob = request.has_any_query(&["comp", "restype", "snapshot", "versionid", "deletetype"])
            || request.has_any_header(&["x-ms-blob-type", "x-ms-copy-source", "x-ms-delete-snapshots"]);
        is_blob.then_some(Api::Blob)
    },
    // 6
    |request| match request.method {
        "DELETE" => request.has_any_query(&["recursive", "continuation", "paginated"]).then_some(Api::Lake),
        "HEAD" => request.has_any_query(&["upn"]).then_some(Api::Lake),
        _ => None,
    },
    // 7
    |request| request.host,
    // 8
    |request| request.is_lake_listener.then_some(Api::Lake),
    // 9: clients of Data Lake accept JSON in every request, those of blobs XML.
    |request| {
        let accept = (request.header)("accept").unwrap_or_default();
        accept.to_ascii_lowercase().contains("application/json").then_some(Api::Lake)
    },
];

impl Api {
    /// The API that a request is for; Blob if no line decides. Preflight requests are for the Blob service, whose CORS rules apply to both.
    pub fn of(request: &RequestFacts<'_>) -> Api {
        if request.method == "OPTIONS" {
            return Api::Blob;
        }
        LINES.iter().find_map(|line| line(request)).unwrap_or(Api::Blob)
    }
}

/// The source of a rename without the account that Go's azdatalake and others put before it on a path-style URL: `/account/fs/path`.
///
/// `source` is the header's value, percent-encoded or not. It is unchanged if the account has a file system of that name.
pub fn source_without_account<'a>(source: &'a str, account: &str, is_file_system: impl Fn(&str) -> bool) -> &'a str {
    match first_segment(source) {
        Some((first, rest)) if first == account && rest.len() > 1 && !is_file_system(first) => rest,
        _ => source,
    }
}

/// The account of a rename whose URL names none, although its host does not either: `/fs/path` with the source `/account/fs/path`, as the
/// SDKs for JavaScript and C++ send it. Such a request is signed like one of host style, over `/account` and the path of the URL.
pub fn account_of_rename<'a>(url_path: &str, source: &'a str, is_account: impl Fn(&str) -> bool) -> Option<&'a str> {
    let names_account = first_segment(url_path).is_some_and(|(first, _)| is_account(first));
    let (account, _) = first_segment(source).filter(|(_, rest)| rest.len() > 1)?;
    (!names_account && is_account(account)).then_some(account)
}

/// The first segment of a path, and the rest with its slash.
fn first_segment(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix('/')?;
    let end = path.find('/').unwrap_or(path.len());
    Some(path.split_at(end)).filter(|(first, _)| !first.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request from `METHOD query header=value …`; a query is `-` or parameters such as `comp=list&x=1`.
    fn api_at(text: &str, host: Option<Api>, is_lake_listener: bool) -> (Api, String) {
        let mut words = text.split(' ');
        let (method, query) = (words.next().unwrap(), words.next().unwrap());
        let headers: Vec<(&str, &str)> = words.map(|word| word.split_once('=').unwrap()).collect();
        let has_query = |name: &str| query.split('&').any(|pair| pair.split('=').next() == Some(name));
        let header = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let facts = RequestFacts { method, host, is_lake_listener, has_query: &has_query, header: &header };
        (Api::of(&facts), facts.method().to_owned())
    }

    fn api(text: &str) -> Api {
        api_at(text, None, false).0
    }

    const JSON: &str = "accept=application/json";
    const XML: &str = "accept=application/xml";

    #[test]
    fn each_line_decides() {
        for (line, text, expected) in [
            (1, "PATCH -", Api::Lake),
            (1, "PATCH comp=x", Api::Lake),
            (1, "PUT - x-http-method-override=patch", Api::Lake),
            (1, "POST - x-http-method-override=PATCH", Api::Blob),
            (2, "PUT resource=file", Api::Lake),
            (2, "GET resource=account", Api::Lake),
            (2, "HEAD action=getStatus", Api::Lake),
            (2, "HEAD action=getStatus&comp=metadata", Api::Blob),
            (3, "PUT - x-ms-rename-source=/fs/a", Api::Lake),
            (3, "PUT comp=copy x-ms-rename-source=/fs/a", Api::Blob),
            (4, "POST - x-ms-lease-action=acquire", Api::Lake),
            (4, "PUT comp=lease x-ms-lease-action=acquire", Api::Blob),
            (4, "POST comp=lease x-ms-lease-action=acquire", Api::Blob),
            (5, "GET comp=list accept=application/json", Api::Blob),
            (5, "PUT comp=undelete accept=application/json", Api::Blob),
            (5, "GET restype=container accept=application/json", Api::Blob),
            (5, "DELETE snapshot=x&recursive=true accept=application/json", Api::Blob),
            (5, "GET versionid=x accept=application/json", Api::Blob),
            (5, "DELETE deletetype=permanent accept=application/json", Api::Blob),
            (5, "PUT - x-ms-blob-type=BlockBlob", Api::Blob),
            (5, "PUT - x-ms-copy-source=u accept=application/json", Api::Blob),
            (5, "DELETE - x-ms-delete-snapshots=include accept=application/json", Api::Blob),
            (6, "DELETE recursive=false", Api::Lake),
            (6, "DELETE continuation=x", Api::Lake),
            (6, "DELETE paginated=true", Api::Lake),
            (6, "HEAD upn=false", Api::Lake),
            (6, "GET upn=false", Api::Blob),
            (9, "GET - accept=application/json", Api::Lake),
            (9, "DELETE - accept=Application/JSON;odata=x,text/plain", Api::Lake),
            (9, "GET - accept=application/xml", Api::Blob),
            (10, "GET - accept=*/*", Api::Blob),
            (10, "DELETE -", Api::Blob),
            (10, "OPTIONS - origin=http://a", Api::Blob),
        ] {
            assert_eq!(api(text), expected, "line {line}: {text}");
        }
    }

    #[test]
    fn the_host_and_the_listener_decide_only_what_the_request_leaves_open() {
        for (text, host, is_lake_listener, expected) in [
            ("DELETE -", Some(Api::Lake), false, Api::Lake),
            ("GET - accept=application/json", Some(Api::Blob), true, Api::Blob),
            ("GET - accept=application/xml", Some(Api::Lake), false, Api::Lake),
            ("GET - accept=application/xml", None, true, Api::Lake),
            ("GET comp=list", Some(Api::Lake), true, Api::Blob),
            ("PUT resource=file", Some(Api::Blob), false, Api::Lake),
            ("DELETE recursive=true", Some(Api::Blob), false, Api::Lake),
            ("OPTIONS resource=filesystem", Some(Api::Lake), true, Api::Blob),
        ] {
            assert_eq!(api_at(text, host, is_lake_listener).0, expected, "{text} {host:?}");
        }
    }

    #[test]
    fn an_overridden_method_is_the_one_that_is_meant() {
        for (text, method) in [
            ("PUT - x-http-method-override=PATCH", "PATCH"),
            ("PUT - x-http-method-override=Patch", "PATCH"),
            ("PUT - x-http-method-override=DELETE", "PUT"),
            ("GET - x-http-method-override=PATCH", "GET"),
            ("PATCH -", "PATCH"),
        ] {
            assert_eq!(api_at(text, None, false).1, method, "{text}");
        }
    }

    /// The requests of clients on a path-style URL, without a hint of the host.
    #[test]
    fn requests_of_clients() {
        for (client, blob, lake) in [
            (
                "Python, az storage fs",
                &[
                    "PUT restype=container",
                    "GET restype=container",
                    "GET comp=list",
                    "HEAD -",
                    "PUT comp=lease",
                    "PUT comp=expiry",
                ][..],
                &[
                    "PUT resource=file",
                    "PATCH action=append&position=0",
                    "PATCH action=flush&position=3",
                    "DELETE recursive=true",
                ][..],
            ),
            (
                ".NET",
                &["PUT restype=container", "GET -", "PUT comp=metadata", "PUT comp=undelete"],
                &["PUT resource=directory", "GET resource=filesystem&recursive=false&upn=false", "DELETE recursive=true"],
            ),
            (
                "Java",
                &["PUT restype=container"],
                &["PUT resource=file if-none-match=*", "PATCH action=flush&close=false", "DELETE recursive=true"],
            ),
            (
                "JS",
                &["HEAD -", "PUT restype=container"],
                &["PUT resource=directory", "PUT mode=legacy x-ms-rename-source=/acc/fs/a/f"],
            ),
            (
                "Go",
                &["PUT restype=container"],
                &["DELETE recursive=false", "DELETE recursive=true", "PUT mode=legacy x-ms-rename-source=/acc/fs/a"],
            ),
            (
                "pyarrow",
                &["PUT - x-ms-blob-type=BlockBlob", "PUT comp=block", "PUT comp=blocklist", "PUT comp=lease"],
                &[
                    "HEAD action=getAccessControl",
                    "PUT resource=directory if-none-match=*",
                    "PUT mode=legacy x-ms-rename-source=/acc/fs/a/f",
                    "DELETE paginated=false&recursive=true",
                    "GET resource=filesystem&recursive=true",
                ],
            ),
            ("adlfs", &["GET restype=container", "GET restype=container&comp=list", "DELETE -"], &[]),
            (
                "ABFS",
                &[],
                &[
                    "HEAD upn=false&action=getAccessControl accept=application/json,application/octet-stream",
                    "PUT resource=filesystem accept=application/json,application/octet-stream",
                    "PUT action=append&position=0 x-http-method-override=PATCH",
                    "PUT - x-ms-rename-source=/fs/a if-none-match=*",
                    "POST - x-ms-lease-action=acquire",
                    "GET - accept=application/json,application/octet-stream",
                ],
            ),
            ("OpenDAL", &[], &["PUT resource=directory", "PATCH action=append&position=0", "PATCH action=flush&close=true"]),
            (
                "delta-rs, object_store, rclone",
                &["GET restype=container&comp=list&startfrom=x", "GET -", "PUT - x-ms-blob-type=BlockBlob"],
                &[],
            ),
            (
                "azcopy",
                &["HEAD -", "GET restype=container&comp=list", "PUT comp=metadata"],
                &["PATCH action=flush&position=8&retainuncommitteddata=true", "DELETE recursive=true"],
            ),
        ] {
            for text in blob {
                assert_eq!(api(&format!("{text} {XML}")), Api::Blob, "{client}: {text}");
            }
            for text in lake {
                assert_eq!(api(text), Api::Lake, "{client}: {text}");
                let accepting = if text.contains("accept=") { (*text).to_owned() } else { format!("{text} {JSON}") };
                assert_eq!(api(&accepting), Api::Lake, "{client}: {accepting}");
            }
        }
        // The plain deletion of OpenDAL and C++ needs a host or a listener of Data Lake.
        assert_eq!(api("DELETE - accept=*/*"), Api::Blob);
        assert_eq!(api_at("DELETE - accept=*/*", None, true).0, Api::Lake);
    }

    #[test]
    fn renames_with_an_account_too_many_or_too_few() {
        let accounts = |name: &str| ["acc", "other"].contains(&name);
        let file_systems = |name: &str| ["fs", "other"].contains(&name);
        for (client, url, source, account, cleaned) in [
            ("Python", "/acc/fs/a/g", "/fs/a/f", None, "/fs/a/f"),
            ("Go", "/acc/fs/a/g", "/acc/fs/a/f", None, "/fs/a/f"),
            ("JS", "/fs/a/g", "/acc/fs/a/f", Some("acc"), "/fs/a/f"),
            ("C++", "/fs/a/g", "/acc/fs/a%20f?sig=/acc/x", Some("acc"), "/fs/a%20f?sig=/acc/x"),
            ("an unknown account", "/fs/a/g", "/nobody/fs/a/f", None, "/nobody/fs/a/f"),
            ("no source path", "/fs/a/g", "/acc", None, "/acc"),
            ("no source path", "/fs/a/g", "/acc/", None, "/acc/"),
            ("no path", "fs", "fs/a", None, "fs/a"),
            ("no segment", "/", "//", None, "//"),
        ] {
            assert_eq!(account_of_rename(url, source, accounts), account, "{client}");
            assert_eq!(source_without_account(source, "acc", file_systems), cleaned, "{client}");
        }
        // A file system may have the name of the account.
        assert_eq!(source_without_account("/other/a/f", "other", file_systems), "/other/a/f");
    }
}
