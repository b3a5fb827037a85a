//! Shared access signatures of each version and kind: their validity, addresses and protocols, and their limits.

use super::{Headers, path, send, server_with_blob, token};
use crate::server::{Answer, TestServer, VERSION};
use lazuli::WELL_KNOWN_KEY;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

const FAILED: &str = "403 AuthenticationFailed";
const V: (&str, &str) = ("x-ms-version", VERSION);

/// Sends a request to the default account with a SAS.
async fn send_with_sas(server: &TestServer, method: &str, target: &str, sas: &str, headers: Headers<'_>, body: &str) -> Answer {
    let mark = if target.contains('?') { '&' } else { '?' };
    let headers = if headers.is_empty() { &[V] } else { headers };
    send(server, method, &format!("{}{mark}{sas}", path(target)), headers, body).await
}

async fn get(server: &TestServer, target: &str, sas: &str) -> Answer {
    send_with_sas(server, "GET", target, sas, &[], "").await
}

#[tokio::test]
async fn every_era_signs_in_its_own_way() {
    let server = server_with_blob().await;
    let full = "&st=2020-01-01&se=2099-01-01T00:00:00Z&sp=rl&rscc=no-store&rscd=d&rsce=e&rscl=l&rsct=t/t";
    for (sv, more) in [
        ("2012-02-12", ""),
        ("2013-08-15", full),
        ("2014-02-14", full),
        ("2015-02-21", full),
        ("2015-04-05", full),
        ("2018-03-28", full),
        ("2018-11-09", full),
        ("2020-10-02", full),
        ("2020-12-06", full),
        ("2020-12-06", &format!("{full}&ses=scope")),
        ("2024-11-04", full),
        ("2030-01-01", full),
    ] {
        let fields = if more.is_empty() { format!("sv={sv}&se=2099-01-01&sp=rl") } else { format!("sv={sv}{more}") };
        let sip = if sv >= "2015-04-05" { "&sip=127.0.0.1&spr=https,http" } else { "" };
        for fields in [fields.clone(), format!("{fields}{sip}")] {
            for (resource, sr) in [("box", "c"), ("box/blob", "b")] {
                let sas = token::service(resource, &format!("{fields}&sr={sr}"));
                // With its own version, as an SDK of the time sends it, and without: then the signature's version holds.
                for headers in [&[("x-ms-version", sv)][..], &[("accept", "*/*")]] {
                    let answer = send_with_sas(&server, "GET", "/box/blob", &sas, headers, "").await;
                    assert_eq!(answer.verdict(), "200", "{sas}: {}", answer.text());
                    assert_eq!(answer.header("x-ms-version"), sv, "{sas}");
                }
                let wrong = sas.replacen("&sp=rl", "&sp=rw", 1);
                assert_eq!(get(&server, "/box/blob", &wrong).await.verdict(), FAILED, "{wrong}");
            }
        }
        if sv >= "2015-04-05" {
            let sas = token::account(&format!("sv={sv}&ss=bf&srt=sco&st=2020-01-01&se=2099-01-01&sp=rl{sip}"));
            for target in ["/box/blob", "/box?restype=container&comp=list", "?comp=list"] {
                let answer = get(&server, target, &sas).await;
                assert_eq!(answer.verdict(), "200", "{target} {sas}: {}", answer.text());
            }
            let wrong = sas.replacen("sp=rl", "sp=rwl", 1);
            assert_eq!(get(&server, "/box/blob", &wrong).await.verdict(), FAILED, "{wrong}");
        }
    }
}

#[tokio::test]
async fn the_version_is_the_headers_or_the_signatures() {
    let server = server_with_blob().await;
    let container = token::service("box", "sv=2019-02-02&sr=c&sp=r&se=2099-01-01");
    let account = token::account("sv=2019-02-02&ss=b&srt=o&sp=r&se=2099-01-01");
    for (sas, header, version) in [
        (&container, "", "2019-02-02"),
        (&account, "", "2019-02-02"),
        (&format!("{account}&api-version=2018-03-28"), "", "2018-03-28"),
        (&container, "2021-12-02", "2021-12-02"),
        (&account, "2015-04-05", "2015-04-05"),
    ] {
        let headers: Headers<'_> = if header.is_empty() { &[("accept", "*/*")] } else { &[("x-ms-version", header)] };
        let answer = send_with_sas(&server, "GET", "/box/blob", sas, headers, "").await;
        assert_eq!((answer.status, answer.header("x-ms-version")), (200, version), "{sas} {header}");
    }
}

#[tokio::test]
async fn each_kind_of_resource_is_its_own() {
    let server = server_with_blob().await;
    server.container("other").await;
    for blob in ["/box/dir/sub/blob", "/box/dirt/blob", "/other/blob", "/box/dir"] {
        server.blob(blob, "").await;
    }
    let moment = "2020-01-01T00:00:00.0000000Z";
    let level = "The specified signed resource is not allowed for the this resource level";
    let list = "/box?restype=container&comp=list";
    for (resource, fields, target, verdict, detail) in [
        ("box", "sr=c", "/box/blob", "200", ""),
        ("box", "sr=c", "/box/dir/sub/blob", "200", ""),
        ("box", "sr=c", list, "200", ""),
        ("box", "sr=c", "/other/blob", FAILED, "/blob/devstoreaccount1/other\n"),
        ("box", "sr=c", "?comp=list", FAILED, level),
        ("box/blob", "sr=b", "/box/blob", "200", ""),
        ("box/blob", "sr=b", "/box/dir", FAILED, "/blob/devstoreaccount1/box/dir\n"),
        ("box/blob", "sr=b", "/other/blob", FAILED, "/blob/devstoreaccount1/other/blob\n"),
        ("box/blob", "sr=b", list, FAILED, level),
        ("box/blob", "sr=c", "/box/blob", FAILED, ""),
        ("box", "sr=b", "/box/blob", FAILED, ""),
        ("box/dir", "sr=d&sdd=1", "/box/dir/sub/blob", "200", ""),
        ("box/dir", "sr=d&sdd=1", "/box/dir", "200", ""),
        ("box/dir/sub", "sr=d&sdd=2", "/box/dir/sub/blob", "200", ""),
        ("box/dir/sub", "sr=d&sdd=2", "/box/dir", FAILED, level),
        ("box/dir", "sr=d&sdd=1", "/box/dirt/blob", FAILED, ""),
        ("box/dir", "sr=d&sdd=2", "/box/dir/sub/blob", FAILED, ""),
        ("box/dir", "sr=d", "/box/dir/sub/blob", FAILED, "sdd is mandatory. Cannot be empty"),
        ("box/blob", &format!("sr=bs&snapshot={moment}"), "/box/blob", "404 BlobNotFound", ""),
        ("box/blob", &format!("sr=bv&versionid={moment}"), "/box/blob", "404 BlobNotFound", ""),
        ("box/blob", "sr=bv&versionid=nonsense", "/box/blob", "400 InvalidQueryParameterValue", ""),
        ("box/blob", "sr=x", "/box/blob", FAILED, level),
        ("box/blob", "", "/box/blob", FAILED, "sr is mandatory. Cannot be empty"),
    ] {
        let fields = format!("sv=2021-12-02&sp=rl&se=2099-01-01&{fields}");
        let answer = get(&server, target, &token::service(resource, fields.trim_end_matches('&'))).await;
        assert_eq!(answer.verdict(), verdict, "{resource} {fields} {target}: {}", answer.text());
        assert!(answer.element("AuthenticationErrorDetail").contains(detail), "{fields} {target}: {}", answer.text());
    }
    // The signature is valid for the snapshot that it names only.
    for (sr, name) in [("bs", "snapshot"), ("bv", "versionid")] {
        let sas = token::service("box/blob", &format!("sv=2021-12-02&sr={sr}&sp=r&se=2099-01-01&{name}={moment}"));
        assert_eq!(get(&server, "/box/blob", &sas.replace("2020%2D01", "2021%2D01")).await.verdict(), FAILED, "{sas}");
    }
}

#[tokio::test]
async fn a_signature_holds_from_its_start_until_its_expiry() {
    let server = server_with_blob().await;
    let (start, expiry) = (token::moment(&server, 60), token::moment(&server, 120));
    let service = token::service("box", &format!("sv=2021-12-02&sr=c&sp=r&st={start}&se={expiry}"));
    let account = token::account(&format!("sv=2021-12-02&ss=b&srt=o&sp=r&st={start}&se={expiry}"));
    for (wait, verdict) in [(0, FAILED), (59, FAILED), (1, "200"), (59, "200"), (1, FAILED), (3600, FAILED)] {
        server.wait(wait);
        for sas in [&service, &account] {
            let answer = get(&server, "/box/blob", sas).await;
            assert_eq!(answer.verdict(), verdict, "{sas} {wait} s later");
            let said = answer
                .element("AuthenticationErrorDetail")
                .starts_with("Signature not valid in the specified time frame: Start [");
            assert_eq!(said, verdict == FAILED, "{}", answer.text());
        }
    }
}

#[tokio::test]
async fn a_signature_may_be_bound_to_addresses_and_to_https() {
    let server = server_with_blob().await;
    let elsewhere = "403 AuthorizationSourceIPMismatch";
    for (more, verdict) in [
        ("", "200"),
        ("&sip=127.0.0.1", "200"),
        ("&sip=127.0.0.0-127.0.0.255", "200"),
        ("&sip=127.0.0.1-127.0.0.1", "200"),
        ("&sip=10.0.0.1", elsewhere),
        ("&sip=127.0.0.2-127.0.0.255", elsewhere),
        ("&sip=127.0.0.9-127.0.0.2", FAILED),
        ("&sip=localhost", FAILED),
        ("&spr=https,http", "200"),
        ("&spr=https", "403 AuthorizationProtocolMismatch"),
        ("&spr=http", FAILED),
    ] {
        let container = token::service("box", &format!("sv=2021-12-02&sr=c&sp=r&se=2099-01-01{more}"));
        let account = token::account(&format!("sv=2021-12-02&ss=b&srt=o&sp=r&se=2099-01-01{more}"));
        for sas in [container, account] {
            assert_eq!(get(&server, "/box/blob", &sas).await.verdict(), verdict, "{sas}");
        }
    }
}

#[tokio::test]
async fn what_is_tampered_with_is_refused() {
    let server = server_with_blob().await;
    let service = token::service("box", "sv=2021-12-02&sr=c&st=2020-01-01&se=2099-01-01&sp=r&sip=127.0.0.1&rsct=a");
    let account = token::account("sv=2021-12-02&ss=b&srt=o&st=2020-01-01&se=2099-01-01&sp=r&sip=127.0.0.1");
    for (sas, from, to) in [
        (&service, "sp=r", "sp=rw"),
        (&service, "2099", "2098"),
        (&service, "2020", "2019"),
        (&service, "2021", "2022"),
        (&service, "sr=c", "sr=b"),
        (&service, "sip=127%2E0%2E0%2E1", "sip=127%2E0%2E0%2E1-127%2E0%2E0%2E2"),
        (&service, "&sip=127%2E0%2E0%2E1", ""),
        (&service, "rsct=a", "rsct=b"),
        (&service, "sp=r", "sp=r&si=p"),
        (&service, "sp=r", "sp=r&sp=r"),
        (&service, "sp=r", "sp=r&SP=rw"),
        (&service, "sig=", "sig=A"),
        (&service, "sig=", "sig=&other="),
        (&account, "ss=b", "ss=bq"),
        (&account, "srt=o", "srt=co"),
        (&account, "sp=r", "sp=rw"),
        (&account, "srt=o", "srt=o&srt=o"),
        (&account, "2099", "2098"),
    ] {
        assert_eq!(get(&server, "/box/blob", sas).await.verdict(), "200", "{sas}");
        let changed = sas.replacen(from, to, 1);
        assert_ne!(changed, *sas);
        assert_eq!(get(&server, "/box/blob", &changed).await.verdict(), FAILED, "{changed}");
    }
    let stranger = token::service_of("devstoreaccount1", "bm90IGEga2V5", "box", "sv=2021-12-02&sr=c&sp=r&se=2099-01-01");
    let answer = get(&server, "/box/blob", &stranger).await;
    assert_eq!(answer.verdict(), FAILED);
    let signed = "r\n\n2099-01-01\n/blob/devstoreaccount1/box\n\n\n\n2021-12-02\nc\n\n\n\n\n\n\n";
    assert_eq!(answer.element("AuthenticationErrorDetail"), format!("Signature did not match. String to sign used was {signed}"));
    // The signature of an account is valid in that account only.
    let server = TestServer::with(&["--account=one", "--account=two"]).await;
    let sas = token::account_of("one", WELL_KNOWN_KEY, "sv=2021-12-02&ss=b&srt=s&sp=l&se=2099-01-01");
    for (account, verdict) in [("one", "200"), ("two", FAILED)] {
        assert_eq!(send(&server, "GET", &format!("/{account}?comp=list&{sas}"), &[V], "").await.verdict(), verdict, "{account}");
    }
}

#[tokio::test]
async fn response_headers_are_set_by_a_service_sas_alone() {
    let server = server_with_blob().await;
    let over = "rscc=no-store&rscd=attachment; filename=a.txt&rsce=gzip&rscl=de&rsct=text/plain";
    let names = ["cache-control", "content-disposition", "content-encoding", "content-language", "content-type"];
    let set = ["no-store", "attachment; filename=a.txt", "gzip", "de", "text/plain"];
    let own = ["", "", "", "", "application/octet-stream"];
    let service = |sv: &str| token::service("box/blob", &format!("sv={sv}&sr=b&sp=rw&se=2099-01-01&{over}"));
    let account = token::account("sv=2021-12-02&ss=b&srt=o&sp=r&se=2099-01-01");
    let encoded = over.replace("; ", "%3B%20");
    for (method, sas, expected) in [
        ("GET", service("2021-12-02"), set),
        ("HEAD", service("2021-12-02"), set),
        ("GET", service("2013-08-15"), set),
        ("GET", format!("{account}&{encoded}"), own),
    ] {
        let answer = send_with_sas(&server, method, "/box/blob", &sas, &[], "").await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(names.map(|name| answer.header(name)), expected, "{method} {sas}");
    }
    let signed = server.request("GET", &format!("/box/blob?{encoded}")).send().await;
    assert_eq!(names.map(|name| signed.header(name)), own);
    // The answer to a write has no content to describe.
    let put = send_with_sas(&server, "PUT", "/box/blob?comp=metadata", &service("2021-12-02"), &[], "").await;
    assert_eq!((put.status, names.map(|name| put.header(name))), (200, [""; 5]));
}

/// A bare `+` is a space in what is signed and in what is answered; a plus arrives as `%2B`.
#[tokio::test]
async fn a_bare_plus_is_a_space() {
    let server = server_with_blob().await;
    let sas = |name: &str| {
        token::service("box/blob", &format!("sv=2021-12-02&sr=b&sp=r&se=2099-01-01&rscd=attachment; filename={name}"))
    };
    for (name, sent, verdict) in [
        ("a b", "a%20b", "200"),
        ("a b", "a+b", "200"),
        ("a+b", "a%2Bb", "200"),
        ("a+b", "a+b", FAILED),
        ("a b", "a%2Bb", FAILED),
    ] {
        let query = sas(name);
        let written = utf8_percent_encode(name, NON_ALPHANUMERIC).to_string();
        for (query, space) in [(query.clone(), "%20"), (query.replace("%20", "+"), "+")] {
            let query = query.replace(&format!("filename%3D{}", written.replace("%20", space)), &format!("filename%3D{sent}"));
            let answer = get(&server, "/box/blob", &query).await;
            assert_eq!(answer.verdict(), verdict, "{query}");
            let reported = if verdict == "200" { format!("attachment; filename={name}") } else { String::new() };
            assert_eq!(answer.header("content-disposition"), reported, "{query}");
            // The same in the URL of a copy's source.
            if verdict == "200" {
                let url = format!("{}/box/blob?{query}", server.blob_url());
                let copy =
                    server.request("PUT", "/box/copy").header("x-ms-blob-type", "BlockBlob").header("x-ms-copy-source", url);
                assert_eq!(copy.send().await.verdict(), "201", "{query}");
            }
        }
    }
}

/// The letter to create does not permit overwriting; the letter to write permits both; tags need their own letter.
#[tokio::test]
async fn creating_overwriting_and_tagging() {
    let plain: Headers<'_> = &[V, ("x-ms-blob-type", "BlockBlob")];
    let tagged: Headers<'_> = &[V, ("x-ms-blob-type", "BlockBlob"), ("x-ms-tags", "a=b")];
    let (over, denied) = ("403 UnauthorizedBlobOverwrite", "403 AuthorizationPermissionMismatch");
    let service = |sp: &str| token::service("box", &format!("sv=2021-12-02&sr=c&sp={sp}&se=2099-01-01"));
    let account = |sp: &str| token::account(&format!("sv=2021-12-02&ss=b&srt=o&sp={sp}&se=2099-01-01"));
    for by_account in [false, true] {
        let server = server_with_blob().await;
        for (target, sp, headers, verdict) in [
            ("/box/blob", "c", plain, over),
            ("/box/blob", "w", plain, "201"),
            ("/box/blob", "cw", plain, "201"),
            ("/box/new-c", "c", plain, "201"),
            ("/box/new-c", "c", plain, over),
            ("/box/new-w", "w", plain, "201"),
            ("/box/new-r", "r", plain, denied),
            ("/box/tagged", "w", tagged, denied),
            ("/box/tagged", "t", tagged, denied),
            ("/box/tagged", "wt", tagged, "201"),
            ("/box/tagged-new", "ct", tagged, "201"),
        ] {
            let sas = if by_account { account(sp) } else { service(sp) };
            let answer = send_with_sas(&server, "PUT", target, &sas, headers, "").await;
            assert_eq!(answer.verdict(), verdict, "{target} with {sas}");
        }
        assert_eq!(server.request("GET", "/box/tagged").send().await.header("x-ms-tag-count"), "1");
    }
}

/// A malformed snapshot or version is reported only to a caller who may make the request.
#[tokio::test]
async fn malformed_states_are_checked_after_the_permission() {
    let server = server_with_blob().await;
    let sas = token::account("sv=2021-12-02&ss=b&srt=o&sp=r&se=2099-01-01");
    let forged = sas.replace("sp=r", "sp=w");
    let denied = token::account("sv=2021-12-02&ss=b&srt=o&sp=l&se=2099-01-01");
    for target in ["/box/blob?snapshot=x", "/box/blob?versionid=x", "/nowhere/blob?snapshot=x"] {
        for (sas, verdict) in [
            (sas.as_str(), "400 InvalidQueryParameterValue"),
            (&forged, "403 AuthenticationFailed"),
            (&denied, "403 AuthorizationPermissionMismatch"),
        ] {
            assert_eq!(send_with_sas(&server, "GET", target, sas, &[V], "").await.verdict(), verdict, "{target} with {sas}");
        }
        let anonymous = server.request("GET", target).anonymous().send().await;
        assert_eq!(anonymous.status, 401, "{target}: {}", anonymous.verdict());
    }
}
