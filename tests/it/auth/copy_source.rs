//! A copy needs the permission to read its source: the permission to write the destination is not enough.

use super::{path, send, token};
use crate::server::TestServer;
use lazuli::{ServiceKind, WELL_KNOWN_KEY};

/// A server with two accounts, each with the containers `box` and `open`, and a blob `blob` in each.
async fn two_accounts() -> TestServer {
    let server = TestServer::with(&["--account=devstoreaccount1", "--account=other"]).await;
    for account in ["devstoreaccount1", "other"] {
        for (container, access) in [("box", None), ("open", Some("blob"))] {
            let request = server.request("PUT", &format!("/{container}?restype=container")).account(account, WELL_KNOWN_KEY);
            let request = access.into_iter().fold(request, |request, access| request.header("x-ms-blob-public-access", access));
            assert_eq!(request.send().await.verdict(), "201");
            let request = server.request("PUT", &format!("/{container}/blob")).account(account, WELL_KNOWN_KEY);
            let put = request.header("x-ms-blob-type", "BlockBlob").body(format!("{account}/{container}")).send().await;
            assert_eq!(put.verdict(), "201");
        }
    }
    server
}

#[tokio::test]
async fn the_source_must_be_readable() {
    let server = two_accounts().await;
    let fields = |sp: &str| format!("sv=2021-12-02&sr=c&sp={sp}&se=2099-01-01");
    let own = |sp: &str| token::service("box", &fields(sp));
    let theirs = |sp: &str| token::service_of("other", WELL_KNOWN_KEY, "box", &fields(sp));
    let late = token::service("box", "sv=2021-12-02&sr=c&sp=r&se=2020-01-01");
    let (here, there) = ("devstoreaccount1/box/blob", "other/box/blob");
    let with = |source: &str, sas: String| format!("{source}?{sas}");
    let (refused, denied) = ("401 CannotVerifyCopySource", "403 CannotVerifyCopySource");
    let missing = "404 BlobNotFound";
    // the copier's SAS (none: the account's key), the source, the verdict
    for (copier, source, verdict) in [
        ("", here.to_owned(), "202"),
        ("", with(here, own("r")), "202"),
        ("", with(here, own("w")), denied),
        ("", with(here, late.clone()), denied),
        // An invalid signature neither gives nor takes away a permission.
        ("", with(here, own("r").replace("sig=", "sig=A")), "202"),
        (&own("w"), with(here, own("r").replace("sig=", "sig=A")), denied),
        ("", "devstoreaccount1/box/none".to_owned(), missing),
        ("", format!("{here}?versionid=2020-01-01T00:00:00.0000000Z"), missing),
        ("", format!("{here}?snapshot=2020-01-01T00:00:00.0000000Z"), missing),
        ("", there.to_owned(), refused),
        ("", with(there, theirs("r")), "202"),
        ("", with(there, own("r")), denied),
        ("", "other/open/blob".to_owned(), "202"),
        (&own("w"), here.to_owned(), refused),
        (&own("rw"), here.to_owned(), refused),
        (&own("w"), with(here, own("r")), "202"),
        (&own("w"), with(here, own("w")), denied),
        (&own("w"), with(here, late), denied),
        (&own("w"), "devstoreaccount1/open/blob".to_owned(), "202"),
        (&own("w"), with(there, theirs("r")), "202"),
        (&own("w"), there.to_owned(), refused),
        (&own("r"), with(here, own("r")), "403 AuthorizationPermissionMismatch"),
        (&token::account("sv=2021-12-02&ss=b&srt=o&sp=rwc&se=2099-01-01"), here.to_owned(), refused),
    ] {
        let url = format!("http://{}/{source}", server.host(ServiceKind::Blob));
        let headers = [("x-ms-copy-source", url.as_str()), ("x-ms-version", "2021-12-02")];
        let answer = match copier {
            "" => server.request("PUT", "/box/copy").headers(&headers).send().await,
            sas => send(&server, "PUT", &format!("{}?{sas}", path("/box/copy")), &headers, "").await,
        };
        assert_eq!(answer.verdict(), verdict, "{copier:?} copies {source}: {}", answer.text());
        let copy = server.request("DELETE", "/box/copy").send().await;
        assert_eq!(copy.status == 202, verdict == "202", "a refused copy leaves nothing");
    }
}

/// The port of a host.
fn port(host: &str) -> &str {
    host.rsplit(':').next().unwrap()
}

/// A file of this server is the source of a blob, and a blob that of a file, by every name that leads there, and is held to the same.
/// Nothing here could be reached over the network by `https`, or by the product's own names.
#[tokio::test]
async fn the_other_service_is_this_server_too() {
    let server = two_accounts().await;
    let file = |method, target: &str| server.request(method, target).of(ServiceKind::File);
    assert_eq!(file("PUT", "/shr?restype=share").send().await.verdict(), "201");
    let made = file("PUT", "/shr/f").headers(&[("x-ms-type", "file"), ("x-ms-content-length", "4")]).send().await;
    assert_eq!(made.verdict(), "201");
    let write = [("x-ms-write", "update"), ("x-ms-range", "bytes=0-3")];
    assert_eq!(file("PUT", "/shr/f?comp=range").headers(&write).body("file").send().await.verdict(), "201");
    let made = file("PUT", "/shr/g").headers(&[("x-ms-type", "file"), ("x-ms-content-length", "4")]).send().await;
    assert_eq!(made.verdict(), "201");

    let (blobs, files) = (server.host(ServiceKind::Blob), server.host(ServiceKind::File));
    let forms = |label: &str, port: &str, rest: &str| {
        [
            format!("https://devstoreaccount1.{label}.core.windows.net/{rest}"),
            format!("https://devstoreaccount1.{label}.core.windows.net:443/{rest}"),
            format!("http://DevStoreAccount1.{label}.core.windows.net/{rest}"),
            format!("https://devstoreaccount1.{label}.localhost:{port}/{rest}"),
            format!("https://127.0.0.1:{port}/devstoreaccount1/{rest}"),
            format!("https://localhost:{port}/devstoreaccount1/{rest}"),
            format!("http://[::1]:{port}/devstoreaccount1/{rest}"),
        ]
    };
    let refused = "401 CannotVerifyCopySource";
    let shared = crate::file::sas::sas("s", "shr", "r", "");
    for url in forms("file", port(&files), "shr/f") {
        for (own, success) in [(("x-ms-blob-type", "BlockBlob"), "201"), (("x-ms-requires-sync", "true"), "202")] {
            let copy = |url: String| server.request("PUT", "/box/copy").headers(&[own]).header("x-ms-copy-source", url).send();
            assert_eq!(copy(format!("{url}?{shared}")).await.verdict(), success, "{url}");
            assert_eq!(server.request("GET", "/box/copy").send().await.text(), "file", "{url}");
            assert_eq!(server.request("DELETE", "/box/copy").send().await.verdict(), "202");
            assert_eq!(copy(url.clone()).await.verdict(), refused, "{url}");
        }
        // Its owner's key opens no file either where the copy goes on in the background.
        let copy = server.request("PUT", "/box/copy").header("x-ms-copy-source", &url).send().await;
        assert_eq!(copy.verdict(), refused, "{url}");
    }
    let reader = token::reader("box");
    server.blob("/box/four", "four").await;
    for url in forms("blob", port(&blobs), "box/four") {
        let range = [("x-ms-source-range", "bytes=0-3")];
        let put =
            |url: String| file("PUT", "/shr/g?comp=range").headers(&write).headers(&range).header("x-ms-copy-source", url).send();
        assert_eq!(put(format!("{url}?{reader}")).await.verdict(), "201", "{url}");
        assert_eq!(file("GET", "/shr/g").send().await.text(), "four", "{url}");
        assert_eq!(put(url.clone()).await.verdict(), refused, "{url}");
        assert_eq!(file("PUT", "/shr/h").header("x-ms-copy-source", &url).send().await.verdict(), refused, "{url}");
        assert_eq!(file("PUT", "/shr/g?comp=range").headers(&write).body("____").send().await.verdict(), "201");
    }
    // The service that the request was sent to refuses a source that has no content.
    let queues = server.host(ServiceKind::Queue);
    let copy =
        server.request("PUT", "/box/copy").header("x-ms-copy-source", format!("http://{queues}/devstoreaccount1/q/messages"));
    assert!(copy.send().await.verdict().ends_with(" CannotVerifyCopySource"));
}

/// A port at which nobody listens.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A source may be named in each valid way, with the same checks.
#[tokio::test]
async fn the_sources_url_is_read_as_any_other() {
    let server = two_accounts().await;
    server.blob("/box/a%20b%2Bc", "spaced").await;
    let host = server.host(ServiceKind::Blob);
    let own = host.replace("127.0.0.1", "devstoreaccount1.blob.localhost");
    let theirs = host.replace("127.0.0.1", "other.blob.localhost");
    for (source, verdict, text) in [
        (format!("http://{own}/box/blob"), "202", "devstoreaccount1/box"),
        (format!("http://{theirs}/open/blob"), "202", "other/open"),
        (format!("http://{theirs}/box/blob"), "401 CannotVerifyCopySource", ""),
        (format!("http://{host}/devstoreaccount1/box/a%20b%2Bc"), "202", "spaced"),
        (format!("http://{host}/devstoreaccount1-secondary/box/blob"), "202", "devstoreaccount1/box"),
        (format!("http://{host}/devstoreaccount1/box"), "404 ContainerNotFound", ""),
        (format!("http://{host}/devstoreaccount1"), "400 InvalidHeaderValue", ""),
        (format!("http://{host}/devstoreaccount1/box/%zz"), "400 InvalidHeaderValue", ""),
        ("no url".to_owned(), "400 InvalidHeaderValue", ""),
        // Azure has no account of the emulator's name; `az` makes such a URL up for a source of the same account.
        ("https://devstoreaccount1.blob.core.windows.net/box/blob".to_owned(), "202", "devstoreaccount1/box"),
        ("https://DevStoreAccount1.blob.core.windows.net:443/box/none".to_owned(), "404 BlobNotFound", ""),
        // The same for each account of this server, and each name of this machine.
        ("https://other.blob.core.windows.net/open/blob".to_owned(), "202", "other/open"),
        ("https://other.blob.core.windows.net/box/blob".to_owned(), "401 CannotVerifyCopySource", ""),
        (format!("http://localhost:{}/devstoreaccount1/box/blob", port(&host)), "202", "devstoreaccount1/box"),
        (format!("https://LocalHost:{}/devstoreaccount1/box/blob", port(&host)), "202", "devstoreaccount1/box"),
        (format!("http://[::1]:{}/devstoreaccount1/box/blob", port(&host)), "202", "devstoreaccount1/box"),
        (format!("http://localhost:{}/other/box/blob", port(&host)), "401 CannotVerifyCopySource", ""),
        (format!("http://localhost:{}/nobody/open/blob", port(&host)), "404 CannotVerifyCopySource", ""),
        // Another server's account of the same name is another account.
        (format!("http://devstoreaccount1.blob.localhost:{}/open/blob", free_port()), "500 CannotVerifyCopySource", ""),
        (format!("http://{host}/nobody/open/blob"), "404 CannotVerifyCopySource", ""),
    ] {
        let answer = server.request("PUT", "/box/copy").header("x-ms-copy-source", &source).send().await;
        assert_eq!(answer.verdict(), verdict, "{source}: {}", answer.text());
        if verdict == "202" {
            assert_eq!(server.request("GET", "/box/copy").send().await.text(), text, "{source}");
        }
    }
}

#[tokio::test]
async fn a_copy_may_create_or_overwrite_as_any_write() {
    let server = two_accounts().await;
    let url = format!("http://{}/devstoreaccount1/open/blob", server.host(ServiceKind::Blob));
    for (name, sp, verdict) in [
        ("new", "c", "202"),
        ("new", "c", "403 UnauthorizedBlobOverwrite"),
        ("new", "w", "202"),
        ("newer", "r", "403 AuthorizationPermissionMismatch"),
    ] {
        let sas = token::service("box", &format!("sv=2021-12-02&sr=c&sp={sp}&se=2099-01-01"));
        let headers = [("x-ms-copy-source", url.as_str()), ("x-ms-version", "2021-12-02")];
        let answer = send(&server, "PUT", &format!("{}?{sas}", path(&format!("/box/{name}"))), &headers, "").await;
        assert_eq!(answer.verdict(), verdict, "{name} with {sp}");
    }
    assert_eq!(server.request("GET", "/box/new").send().await.text(), "devstoreaccount1/open");
}

/// A request with credentials for the source is authorized there by them only. Tokens are not accepted here.
#[tokio::test]
async fn what_is_shown_for_the_source_counts() {
    let server = two_accounts().await;
    let url = format!("http://{}/devstoreaccount1/box/blob", server.host(ServiceKind::Blob));
    let refused = "401 CannotVerifyCopySource";
    for (shown, verdict) in [("Bearer token", refused), ("nonsense", "400 InvalidHeaderValue"), ("", refused)] {
        let request = server.request("PUT", "/box/copy").header("x-ms-requires-sync", "true").header("x-ms-copy-source", &url);
        let request = if shown.is_empty() { request } else { request.header("x-ms-copy-source-authorization", shown) };
        let answer = request.send().await;
        assert_eq!(answer.verdict(), verdict, "{shown:?}: {}", answer.text());
    }
}

/// Who writes to a blob from a URL, a part or the whole of it, needs the right to read there, be it the owner of both; a copy in the
/// background within an account does not.
#[tokio::test]
async fn the_accounts_key_opens_no_source_of_bytes() {
    let server = two_accounts().await;
    server.blob("/box/b", "old").await;
    let make = |name, kind| server.request("PUT", name).header("x-ms-blob-type", kind).header("x-ms-blob-content-length", "512");
    server.blob("/box/page", "p".repeat(512)).await;
    assert_eq!(make("/box/p", "PageBlob").send().await.verdict(), "201");
    assert_eq!(make("/box/a", "AppendBlob").send().await.verdict(), "201");
    let reader = token::service("box", "sv=2021-12-02&sr=c&sp=r&se=2099-01-01");
    let writer = token::service("box", "sv=2021-12-02&sr=c&sp=w&se=2099-01-01");
    let base = server.blob_url();
    let forged = reader.replace("sig=", "sig=A");
    let (refused, denied) = ("401 CannotVerifyCopySource", "403 CannotVerifyCopySource");
    for (target, own, success, trusts) in [
        ("/box/b", &[("x-ms-blob-type", "BlockBlob")][..], "201", false),
        ("/box/b?comp=block&blockid=QQ==", &[], "201", false),
        ("/box/a?comp=appendblock", &[], "201", false),
        ("/box/p?comp=page", &[("x-ms-page-write", "update"), ("x-ms-range", "bytes=0-511")], "201", false),
        ("/box/c", &[("x-ms-requires-sync", "true")], "202", false),
        ("/box/c", &[], "202", true),
    ] {
        for (source, verdict) in [
            (format!("{base}/box/page"), if trusts { success } else { refused }),
            (format!("{base}/box/none"), if trusts { "404 BlobNotFound" } else { refused }),
            (format!("{base}/box/page?{writer}"), denied),
            (format!("{base}/box/page?{reader}"), success),
            // An invalid signature neither gives nor takes away a permission.
            (format!("{base}/box/page?{forged}"), success),
        ] {
            let answer = server.request("PUT", target).headers(own).header("x-ms-copy-source", &source).send().await;
            assert_eq!(answer.verdict(), verdict, "{target} of {source}: {}", answer.text());
        }
    }
    server.request("PUT", "/open/page").header("x-ms-blob-type", "BlockBlob").body("open").send().await;
    let put = server.request("PUT", "/box/b").header("x-ms-blob-type", "BlockBlob");
    assert_eq!(put.header("x-ms-copy-source", format!("{base}/open/page")).send().await.verdict(), "201");
}
