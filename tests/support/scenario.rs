//! Scenarios: requests and their expected answers, one per line, in order.
//!
//! ```text
//! # the subject of the lines below
//! METHOD target | header: value; header: value | body → verdict | header: value | check | check
//! wait 15
//! ```
//!
//! - The verdict is the status and the error code, as `Answer::verdict` returns it.
//! - An expected header is `+` for any value, `-` if it must be absent, and `$name` to store its value under a name.
//! - A check is the full text of the body, `~text` for what it must contain, `!text` for what it must not contain, `{}` for no body, and
//!   `$name=Element` to store the text of the first such element under a name.
//! - Everywhere, `{name}` is a stored value; `{at}`, `{at-60}` and `{at+60}` are dates by the server's clock; `{A}`, `{B}` and `{C}` are
//!   lease ids; `{64*x}` is a repeated letter.

use super::server::TestServer;
use lazuli::ServiceKind;
use std::collections::HashMap;

/// Three lease ids that a scenario calls `{A}`, `{B}` and `{C}`.
pub const LEASES: [(&str, &str); 3] = [
    ("A", "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"),
    ("B", "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"),
    ("C", "cccccccc-cccc-cccc-cccc-cccccccccccc"),
];

/// Plays a scenario on a server of its own, and fails with every line that was not answered as written.
pub async fn check(rows: &str) {
    check_in(&TestServer::new().await, rows).await;
}

/// Plays a scenario on a server that may have data already.
pub async fn check_in(server: &TestServer, rows: &str) {
    check_of(server, ServiceKind::Blob, rows).await;
}

/// Plays a scenario that is about another service than the blobs.
pub async fn check_of(server: &TestServer, kind: ServiceKind, rows: &str) {
    let mut scenario = Scenario { server, kind, kept: HashMap::new(), failures: Vec::new() };
    for (name, id) in LEASES {
        scenario.kept.insert(name.to_owned(), id.to_owned());
    }
    let mut about = "";
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        match row.split_once(' ') {
            Some(("#", text)) => about = text,
            Some(("wait", seconds)) => server.wait(seconds.parse().unwrap_or_else(|_| panic!("not a row: {row}"))),
            _ => scenario.row(about, row).await,
        }
    }
    assert!(scenario.failures.is_empty(), "\n{}\n", scenario.failures.join("\n"));
}

struct Scenario<'a> {
    server: &'a TestServer,
    kind: ServiceKind,
    kept: HashMap<String, String>,
    failures: Vec<String>,
}

impl Scenario<'_> {
    async fn row(&mut self, about: &str, row: &str) {
        let (request, answer) = row.split_once('→').unwrap_or_else(|| panic!("not a row: {row}"));
        let mut parts = request.splitn(3, " |").map(|part| self.fill(part.trim()));
        let line = parts.next().unwrap_or_default();
        let (method, target) = line.split_once(' ').unwrap_or_else(|| panic!("not a row: {row}"));
        let mut request = self.server.request(method, target).of(self.kind);
        for (name, value) in headers(&parts.next().unwrap_or_default()) {
            request = request.header(name, value);
        }
        let got = request.body(parts.next().unwrap_or_default()).send().await;

        let mut wanted = answer.split(" |").map(str::trim);
        let mut wrong = Vec::new();
        let verdict = wanted.next().unwrap_or_default();
        if got.verdict() != verdict {
            wrong.push(format!("answered {:?}: {}", got.verdict(), String::from_utf8_lossy(&got.body)));
        }
        for (name, value) in headers(wanted.next().unwrap_or_default()) {
            let has = got.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            let as_wanted = match (value, &has) {
                ("+", has) => has.is_some(),
                ("-", has) => has.is_none(),
                (keep, Some(has)) if keep.starts_with('$') => {
                    self.kept.insert(keep[1..].to_owned(), has.clone());
                    true
                }
                (value, has) => has.as_deref() == Some(self.fill(value).as_str()),
            };
            if !as_wanted {
                wrong.push(format!("{name} was {has:?}, not {:?}", self.fill(value)));
            }
        }
        for text in wanted {
            let body = String::from_utf8_lossy(&got.body);
            let body = body.trim_start_matches('\u{feff}');
            if let Some((name, element)) = text.strip_prefix('$').and_then(|keep| keep.split_once('=')) {
                let found = got.element(element);
                self.kept.insert(name.to_owned(), found.to_owned());
                if found.is_empty() {
                    wrong.push(format!("there is no {element} in {body:?}"));
                }
                continue;
            }
            let text = self.fill(text);
            let as_wanted = match (text.strip_prefix('~'), text.strip_prefix('!')) {
                (Some(part), _) => body.contains(part),
                (_, Some(part)) => !body.contains(part),
                _ => body == if text == "{}" { "" } else { &text },
            };
            if !as_wanted {
                wrong.push(format!("the body was {body:?}, not {text:?}"));
            }
        }
        if !wrong.is_empty() {
            self.failures.push(format!("[{about}] {row}\n    {}", wrong.join("\n    ")));
        }
    }

    /// A text with its `{…}` replaced; unknown names remain.
    fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').unwrap_or_else(|| panic!("an open brace: {text}"));
            filled.push_str(before);
            // A brace of JSON, with another inside.
            if name.contains('{') {
                filled.push('{');
                rest = after;
                continue;
            }
            filled.push_str(&self.value(name).unwrap_or_else(|| format!("{{{name}}}")));
            rest = behind;
        }
        filled + rest
    }

    fn value(&self, name: &str) -> Option<String> {
        if let Some((times, letter)) = name.split_once('*') {
            return Some(letter.repeat(times.parse().ok()?));
        }
        let now = self.server.now();
        match name.strip_prefix("at") {
            Some("") => Some(now.rfc1123()),
            Some(moved) if moved.starts_with(['+', '-']) => Some(now.moved(moved.parse().ok()?).rfc1123()),
            _ => self.kept.get(name).cloned(),
        }
    }
}

/// `name: value; name: value`.
fn headers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = text.trim().trim_end_matches(';').split("; ").map(str::trim).filter(|pair| !pair.is_empty());
    pairs.map(move |pair| {
        let (name, value) = pair.split_once(':').unwrap_or_else(|| panic!("not a header: {pair:?} in {text:?}"));
        (name, value.trim())
    })
}
