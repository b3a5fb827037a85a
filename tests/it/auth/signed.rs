//! Requests whose string to sign is written out, with a `|` for each line feed: no code makes it, so none can have the server's errors.

use super::{Headers, send};
use crate::server::{Answer, TestServer, hmac};
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};

/// A key that no account has by default.
pub const OTHER_KEY: &str = "c2Vjb25kIGtleSBvZiB0aGUgYWNjb3VudA==";
/// The headers that nearly every signed request has; `{date}` is the machine's time.
pub const USUAL: Headers<'static> = &[("x-ms-date", "{date}"), ("x-ms-version", "2021-12-02")];

/// A signed request.
pub struct SignedRequest<'a> {
    pub method: &'a str,
    pub target: &'a str,
    pub headers: Headers<'a>,
    pub body: &'a str,
    pub scheme: &'a str,
    /// The string to sign, or its end: for Shared Key, the method and the empty standard headers are added.
    pub signs: &'a str,
}

pub const GET: SignedRequest<'static> = SignedRequest {
    method: "GET",
    target: "/devstoreaccount1/box/blob",
    headers: USUAL,
    body: "",
    scheme: "SharedKey",
    signs: "x-ms-date:{date}|x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1/box/blob",
};

impl SignedRequest<'_> {
    /// Sends it, signed for this account with this key.
    pub async fn send_as(&self, server: &TestServer, account: &str, key: &str) -> Answer {
        let date = server.machine_time().rfc1123();
        let host = server.host(ServiceKind::Blob);
        let port = host.rsplit(':').next().unwrap();
        let fill = |text: &str| text.replace("{date}", &date).replace("{port}", port);
        let whole = match (self.signs.starts_with(['x', '/']), self.scheme) {
            (false, _) => self.signs.to_owned(),
            (true, "SharedKey") => format!("{}||||||||||||{}", self.method, self.signs),
            (true, _) => format!("{}||||{}", self.method, self.signs),
        };
        let signature = hmac(&fill(&whole).replace('|', "\n"), key);
        let authorization = format!("{} {account}:{signature}", self.scheme);
        let filled: Vec<(&str, String)> = self.headers.iter().map(|(name, value)| (*name, fill(value))).collect();
        let mut headers: Vec<(&str, &str)> = filled.iter().map(|(name, value)| (*name, value.as_str())).collect();
        headers.push(("Authorization", &authorization));
        send(server, self.method, self.target, &headers, self.body).await
    }

    /// The verdict, signed with the default account's key.
    pub async fn verdict(&self, server: &TestServer) -> String {
        self.send_as(server, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY).await.verdict()
    }
}
