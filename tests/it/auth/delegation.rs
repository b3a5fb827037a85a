//! User delegation keys, and signatures with them: in the format of each version, within the validity of the key, for the named user.

use super::jwt::{self, ANN, BOB, EVE};
use super::queue_table_delegation::key;
use super::token::{self, moment};
use crate::server::{Answer, TestServer, VERSION};
use lazuli::WELL_KNOWN_ACCOUNT;

const FAILED: &str = "403 AuthenticationFailed";
const KEY_REQUEST: &str = "/?restype=service&comp=userdelegationkey";
const NEWEST: &str = "2026-04-06";

/// A server that accepts tokens, with the container `box`, and in it the blobs `blob` and `dir/sub/blob`.
async fn server() -> TestServer {
    let server = TestServer::with(&["--oauth=dev", "--account=devstoreaccount1", "--account=other"]).await;
    server.container("box").await;
    server.blob("/box/blob", "content").await;
    server.blob("/box/dir/sub/blob", "content").await;
    server
}

/// Gets a key in a version, which is valid from now on for this many seconds, with more elements in the body.
async fn delegation_key(server: &TestServer, version: &str, user: (&str, &str), seconds: i64, more: &str) -> Answer {
    let (start, expiry) = (moment(server, 0), moment(server, seconds));
    let body = format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<KeyInfo><Start>{start}</Start><Expiry>{expiry}</Expiry>{more}</KeyInfo>"
    );
    let request =
        server.request("POST", KEY_REQUEST).anonymous().header("authorization", jwt::of(user)).header("x-ms-version", version);
    request.body(body).send().await
}

async fn get(server: &TestServer, target: &str, sas: &str, headers: &[(&str, &str)]) -> Answer {
    server.request("GET", &format!("{target}?{sas}")).anonymous().headers(headers).send().await
}

#[tokio::test]
async fn a_user_gets_a_delegation_key() {
    let server = server().await;
    let answer = delegation_key(&server, "2020-02-10", ANN, 3600, "").await;
    let (start, expiry) = (moment(&server, 0), moment(&server, 3600));
    let (oid, tid) = ANN;
    let value = answer.element("Value");
    assert_eq!(
        answer.text(),
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><UserDelegationKey><SignedOid>{oid}</SignedOid><SignedTid>{tid}</SignedTid>\
             <SignedStart>{start}</SignedStart><SignedExpiry>{expiry}</SignedExpiry><SignedService>b</SignedService>\
             <SignedVersion>2020-02-10</SignedVersion><Value>{value}</Value></UserDelegationKey>"
        )
    );
    assert_eq!((answer.header("content-type"), value.len()), ("application/xml", 44));
    // The same request returns the same key; that of another user, another one.
    assert_eq!(delegation_key(&server, "2020-02-10", ANN, 3600, "").await.element("Value"), value);
    for (version, user, seconds) in [("2020-04-08", ANN, 3600), ("2020-02-10", BOB, 3600), ("2020-02-10", ANN, 3601)] {
        assert_ne!(delegation_key(&server, version, user, seconds, "").await.element("Value"), value);
    }
    let delegated = format!("<DelegatedUserTid>{}</DelegatedUserTid>", EVE.1);
    assert_eq!(delegation_key(&server, NEWEST, ANN, 60, &delegated).await.element("SignedDelegatedUserTid"), EVE.1);
    assert_eq!(delegation_key(&server, "2026-02-06", ANN, 60, &delegated).await.verdict(), "400 InvalidXmlNodeValue");
}

#[tokio::test]
async fn who_and_what_is_refused_a_key() {
    let server = server().await;
    let now = moment(&server, 0);
    let hour = moment(&server, 3600);
    let (week, longer) = (moment(&server, 7 * 86_400), moment(&server, 7 * 86_400 + 1));
    let node = "400 InvalidXmlNodeValue";
    let document = "400 InvalidXmlDocument";
    for (body, verdict) in [
        (format!("<KeyInfo><Start>{now}</Start><Expiry>{week}</Expiry></KeyInfo>"), "200"),
        (format!("<KeyInfo><Expiry>{hour}</Expiry></KeyInfo>"), "200"),
        (format!("<KeyInfo><Start/><Expiry>{hour}</Expiry></KeyInfo>"), "200"),
        (format!("<KeyInfo><Start>{now}</Start><Expiry>{longer}</Expiry></KeyInfo>"), node),
        (format!("<KeyInfo><Start>{hour}</Start><Expiry>{hour}</Expiry></KeyInfo>"), node),
        (format!("<KeyInfo><Expiry>{now}</Expiry></KeyInfo>"), node),
        (format!("<KeyInfo><Start>soon</Start><Expiry>{hour}</Expiry></KeyInfo>"), node),
        (format!("<KeyInfo><Start>{now}</Start></KeyInfo>"), document),
        (format!("<Info><Expiry>{hour}</Expiry></Info>"), document),
        (String::new(), document),
        ("<KeyInfo>".to_owned(), document),
    ] {
        let request = server.request("POST", KEY_REQUEST).anonymous().header("authorization", jwt::of(ANN));
        let answer = request.body(body.clone()).send().await;
        assert_eq!(answer.verdict(), verdict, "{body}: {}", answer.text());
        if body.contains(&longer) {
            // The service names the node by its value.
            assert_eq!((answer.element("XmlNodeName"), answer.element("XmlNodeValue")), (longer.as_str(), longer.as_str()));
        }
    }
    // An account key or a signature is not enough, and the answer to an anonymous request names where to sign in.
    let body = format!("<KeyInfo><Expiry>{hour}</Expiry></KeyInfo>");
    let sas = token::account("sv=2021-12-02&ss=b&srt=sco&sp=rwdlacup&se=2099-01-01");
    for (request, verdict) in [
        (server.request("POST", KEY_REQUEST), FAILED),
        (server.request("POST", &format!("{KEY_REQUEST}&{sas}")).anonymous(), FAILED),
        (server.request("POST", KEY_REQUEST).anonymous(), "401 NoAuthenticationInformation"),
    ] {
        let answer = request.body(body.clone()).send().await;
        assert_eq!(answer.verdict(), verdict, "{}", answer.text());
        let said = answer.element("AuthenticationErrorDetail") == "Only authentication scheme Bearer is supported";
        assert_eq!(said, verdict == FAILED, "{}", answer.text());
    }
}

/// The signatures of each version, with all their fields. They are invalid if any field is changed afterwards.
#[tokio::test]
async fn every_era_signs_in_its_own_way() {
    let server = server().await;
    let guid = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
    let agents = format!("&saoid={guid}&scid={guid}");
    for (sv, more) in [
        ("2018-11-09", String::new()),
        ("2019-12-12", String::new()),
        ("2020-02-10", agents.clone()),
        ("2020-10-02", agents.clone()),
        ("2020-12-06", format!("{agents}&ses=scope")),
        ("2025-05-05", format!("{agents}&ses=scope")),
        ("2025-07-05", format!("{agents}&ses=scope&sduoid={}", BOB.0)),
        ("2026-02-06", format!("{agents}&ses=scope&sduoid={}", BOB.0)),
        ("2026-04-06", format!("{agents}&ses=scope&sduoid={}&srh=accept,x-ms-version&srq=timeout", BOB.0)),
        ("2030-01-01", format!("{agents}&ses=scope")),
    ] {
        let (value, user_key) = key(&delegation_key(&server, sv, ANN, 3600, "").await);
        let full = "&st=2020-01-01&sip=127.0.0.1&spr=https,http&rscc=no-store&rscd=d&rsce=e&rscl=l&rsct=t/t";
        for (resource, sr, target) in [
            ("box", "c", "/box/blob"),
            ("box/blob", "b", "/box/blob"),
            ("box/dir", "d&sdd=1", "/box/dir/sub/blob"),
            ("box/dir/sub", "d&sdd=2", "/box/dir/sub/blob"),
        ] {
            if sv < "2020-02-10" && sr.starts_with('d') {
                continue;
            }
            let fields = format!("sv={sv}&sr={sr}&sp=r&se={}{full}{user_key}{more}", moment(&server, 600));
            let headers = [("x-ms-version", sv), ("accept", "text/plain")];
            let sas = token::delegated(resource, &fields, &value, &headers, "timeout=30");
            let bob = jwt::of(BOB);
            let with_user: Vec<_> =
                headers.into_iter().chain(more.contains("sduoid").then_some(("authorization", &*bob))).collect();
            let target = |sas: &str| format!("{target}?timeout=30&{sas}");
            let request = |sas: &str, headers: &[(&str, &str)]| server.request("GET", &target(sas)).anonymous().headers(headers);
            let answer = request(&sas, &with_user).send().await;
            assert_eq!(answer.verdict(), "200", "{resource} {fields}: {}", answer.text());
            assert_eq!(answer.header("cache-control"), "no-store", "{fields}");
            for name in fields.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, _)| name) {
                let wrong = sas.replacen(&format!("&{name}="), &format!("&{name}=1"), 1);
                let wrong = if wrong == sas { sas.replacen("sv=20", "sv=21", 1) } else { wrong };
                let answer = request(&wrong, &with_user).send().await;
                assert_eq!(answer.verdict(), FAILED, "{name} changed in {sas}: {}", answer.text());
            }
            if more.contains("srh") {
                let others = [("x-ms-version", sv), ("accept", "text/html"), ("authorization", &bob)];
                assert_eq!(request(&sas, &others).send().await.verdict(), FAILED);
                let later = target(&sas).replace("timeout=30", "timeout=31");
                assert_eq!(server.request("GET", &later).anonymous().headers(&with_user).send().await.verdict(), FAILED);
            }
        }
    }
}

#[tokio::test]
async fn what_an_era_does_not_sign_it_does_not_take() {
    let server = server().await;
    let (value, user_key) = key(&delegation_key(&server, NEWEST, ANN, 3600, "").await);
    for (sv, more) in [
        ("2020-10-02", "ses=scope"),
        ("2019-12-12", "saoid=x"),
        ("2025-05-05", "sduoid=x"),
        ("2026-02-06", "srh=accept"),
        ("2026-02-06", "srq=timeout"),
    ] {
        let fields = format!("sv={sv}&sr=c&sp=r&se={}{user_key}", moment(&server, 600));
        let sas = token::delegated("box", &fields, &value, &[], "");
        assert_eq!(get(&server, "/box/blob", &sas, &[]).await.verdict(), "200", "{sv}");
        let answer = get(&server, "/box/blob", &format!("{sas}&{more}"), &[("authorization", &jwt::of(ANN))]).await;
        // A token that is not required authorizes any user; a signature for one user is checked all the same.
        let verdict = if more.starts_with("sduoid") { FAILED } else { "200" };
        assert_eq!(answer.verdict(), verdict, "{sv} {more}: {}", answer.text());
        assert_eq!(get(&server, "/box/blob", &format!("{sas}&{more}"), &[]).await.verdict(), FAILED, "{sv} {more}");
    }
}

/// A key is for one account, one service and one period, and so are its signatures.
#[tokio::test]
async fn a_signature_holds_where_and_while_its_key_does() {
    let server = server().await;
    let (value, user_key) = key(&delegation_key(&server, VERSION, ANN, 600, "").await);
    let fields = format!("sv={VERSION}&sr=c&sp=rl&se={}{user_key}", moment(&server, 3600));
    let sas = token::delegated("box", &fields, &value, &[], "");
    let wrong_key = token::delegated("box", &fields, lazuli::WELL_KNOWN_KEY, &[], "");
    assert_eq!(get(&server, "/box/blob", &wrong_key, &[]).await.verdict(), FAILED, "the account's key makes none");
    let request = server.request("GET", &format!("/box/blob?{sas}")).account("other", "").anonymous();
    assert_eq!(request.send().await.verdict(), FAILED);
    // A key of another account is not valid here.
    let theirs = server.request("POST", KEY_REQUEST).account("other", "").anonymous().header("authorization", jwt::of(ANN));
    let body = format!("<KeyInfo><Start>{}</Start><Expiry>{}</Expiry></KeyInfo>", moment(&server, 0), moment(&server, 600));
    let (theirs, named) = key(&theirs.body(body).send().await);
    assert_eq!(named, user_key);
    assert_eq!(get(&server, "/box/blob", &token::delegated("box", &fields, &theirs, &[], ""), &[]).await.verdict(), FAILED);
    let other_service = user_key.replace("sks=b", "sks=q");
    let foreign = token::delegated("box", &fields.replace(&user_key, &other_service), &value, &[], "");
    assert_eq!(get(&server, "/box/blob", &foreign, &[]).await.verdict(), FAILED);

    for (wait, verdict) in [(0, "200"), (599, "200"), (1, FAILED), (3600, FAILED)] {
        server.wait(wait);
        let answer = get(&server, "/box/blob", &sas, &[]).await;
        assert_eq!(answer.verdict(), verdict, "{wait} s later");
        let said = answer.element("AuthenticationErrorDetail").starts_with("Signature not valid in the specified time frame");
        assert_eq!(said, verdict == FAILED, "{}", answer.text());
    }
}

#[tokio::test]
async fn a_signature_permits_what_it_says() {
    let server = server().await;
    let (value, user_key) = key(&delegation_key(&server, VERSION, ANN, 3600, "").await);
    let sas = |resource: &str, sr: &str, sp: &str| {
        let fields = format!("sv={VERSION}&sr={sr}&sp={sp}&se={}{user_key}", moment(&server, 600));
        token::delegated(resource, &fields, &value, &[], "")
    };
    let denied = "403 AuthorizationPermissionMismatch";
    let block = &[("x-ms-blob-type", "BlockBlob")][..];
    for (sas, method, target, headers, verdict) in [
        (sas("box", "c", "r"), "GET", "/box/blob?", &[][..], "200"),
        (sas("box", "c", "r"), "PUT", "/box/blob?", block, denied),
        (sas("box", "c", "c"), "PUT", "/box/blob?", block, "403 UnauthorizedBlobOverwrite"),
        (sas("box", "c", "c"), "PUT", "/box/new?", block, "201"),
        (sas("box", "c", "l"), "GET", "/box?restype=container&comp=list&", &[], "200"),
        (sas("box", "c", "racwdxyltfmeopi"), "PUT", "/box?restype=container&", &[], "403 AuthorizationFailure"),
        (sas("box", "c", "racwdxyltfmeopi"), "GET", "/box?restype=container&comp=acl&", &[], "403 AuthorizationFailure"),
        (sas("box/new", "b", "d"), "DELETE", "/box/blob?", &[], FAILED),
        (sas("box/new", "b", "d"), "DELETE", "/box/new?", &[], "202"),
        (sas("box/dir", "d&sdd=1", "d"), "DELETE", "/box/dir/sub/blob?", &[], "202"),
        (sas("box", "c", "r").replace("&sp=r", "&sp=r&si=p"), "GET", "/box/blob?", &[], FAILED),
    ] {
        let answer = server.request(method, &format!("{target}{sas}")).anonymous().headers(headers).send().await;
        assert_eq!(answer.verdict(), verdict, "{method} {target} {sas}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_signature_may_be_for_one_user_alone() {
    let server = server().await;
    let delegated = format!("<DelegatedUserTid>{}</DelegatedUserTid>", EVE.1);
    let here = key(&delegation_key(&server, NEWEST, ANN, 3600, "").await);
    let there = key(&delegation_key(&server, NEWEST, ANN, 3600, &delegated).await);
    for ((value, user_key), meant, user, verdict) in [
        (&here, BOB, Some(BOB), "200"),
        (&here, BOB, Some(ANN), FAILED),
        (&here, BOB, None, FAILED),
        (&here, EVE, Some(EVE), FAILED),
        (&there, EVE, Some(EVE), "200"),
        (&there, BOB, Some(BOB), FAILED),
    ] {
        let fields = format!("sv={NEWEST}&sr=c&sp=r&se={}{user_key}&sduoid={}", moment(&server, 600), meant.0);
        let sas = token::delegated("box", &fields, value, &[], "");
        let authorization = user.map(jwt::of);
        let headers: Vec<_> = authorization.iter().map(|value| ("authorization", value.as_str())).collect();
        assert_eq!(get(&server, "/box/blob", &sas, &headers).await.verdict(), verdict, "{meant:?} {user:?}");
        // The signature limits the user.
        let put = server
            .request("PUT", &format!("/box/blob?{sas}"))
            .anonymous()
            .headers(&headers)
            .header("x-ms-blob-type", "BlockBlob");
        let denied = if verdict == "200" { "403 AuthorizationPermissionMismatch" } else { FAILED };
        assert_eq!(put.send().await.verdict(), denied, "{meant:?} {user:?}");
    }
}

/// A key is not stored: another server with the same account key accepts its signatures.
#[tokio::test]
async fn a_key_outlives_its_server() {
    let first = server().await;
    let (value, user_key) = key(&delegation_key(&first, VERSION, ANN, 3600, "").await);
    let fields = format!("sv={VERSION}&sr=c&sp=r&se={}{user_key}", moment(&first, 600));
    let sas = token::delegated("box", &fields, &value, &[], "");
    drop(first);
    // A server that does not accept tokens accepts the signatures.
    let second = super::server_with_blob().await;
    assert_eq!(get(&second, "/box/blob", &sas, &[]).await.verdict(), "200");
    assert_eq!(second.emulator.endpoint(lazuli::ServiceKind::Blob, WELL_KNOWN_ACCOUNT), Some(second.blob_url()));
}
