//! What a signed request needs beside the correct string: a well-formed header, the correct key and account, a date within the skew.

use super::signed::{GET, OTHER_KEY, SignedRequest};
use super::{path, send, server_with_blob};
use crate::server::TestServer;
use lazuli::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};

/// A header over several lines is obsolete in HTTP, and refused before authorization.
#[tokio::test]
async fn a_folded_header_is_refused() {
    let server = server_with_blob().await;
    let row = SignedRequest {
        headers: &[("x-ms-date", "{date}"), ("x-ms-fold", "one\r\n  two"), ("x-ms-version", "2021-12-02")],
        signs: "x-ms-date:{date}|x-ms-fold:one two|x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1/box/blob",
        ..GET
    };
    assert_eq!(row.verdict(&server).await, "400");
}

#[tokio::test]
async fn a_wrong_signature_is_answered_with_what_the_server_signed() {
    let server = server_with_blob().await;
    let answer = GET.send_as(&server, WELL_KNOWN_ACCOUNT, OTHER_KEY).await;
    assert_eq!(answer.verdict(), "403 AuthenticationFailed");
    let date = server.machine_time().rfc1123();
    let detail = answer.element("AuthenticationErrorDetail");
    let signed = format!(
        "Server used following string to sign: 'GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:{date}\nx-ms-version:2021-12-02\n\
         /devstoreaccount1/devstoreaccount1/box/blob'."
    );
    assert!(detail.starts_with("The MAC signature found in the HTTP request '") && detail.ends_with(&signed), "{detail}");
    assert_eq!(answer.header("www-authenticate"), "");
}

#[tokio::test]
async fn both_keys_of_an_account_sign() {
    let server = TestServer::with(&[&format!("--account=two:{WELL_KNOWN_KEY}:{OTHER_KEY}"), "--account=one"]).await;
    let row =
        SignedRequest { target: "/two?comp=list", signs: "x-ms-date:{date}|x-ms-version:2021-12-02|/two/two|comp:list", ..GET };
    for (account, key, verdict) in [
        ("two", WELL_KNOWN_KEY, "200"),
        ("two", OTHER_KEY, "200"),
        ("two", "bm90IGEga2V5", "403 AuthenticationFailed"),
        ("one", WELL_KNOWN_KEY, "403 AuthenticationFailed"),
    ] {
        assert_eq!(row.send_as(&server, account, key).await.verdict(), verdict, "{account} {key}");
    }
    let unknown = SignedRequest { target: "/nobody?comp=list", ..row };
    assert_eq!(unknown.send_as(&server, "nobody", WELL_KNOWN_KEY).await.verdict(), "404 ResourceNotFound");
}

#[tokio::test]
async fn what_the_authorization_header_may_hold() {
    let server = server_with_blob().await;
    let malformed = "400 InvalidAuthenticationInfo";
    for (value, verdict) in [
        ("SharedKey", malformed),
        ("SharedKey devstoreaccount1", malformed),
        ("SharedKey devstoreaccount1:", malformed),
        ("SharedKey :c2ln", malformed),
        ("Basic dXNlcjpwYXNz", malformed),
        ("nonsense", malformed),
        ("SharedKey devstoreaccount1:c2ln", "403 AuthenticationFailed"),
        ("SharedKey devstoreaccount1:not*base64", "403 AuthenticationFailed"),
    ] {
        let date = server.machine_time().rfc1123();
        let headers = [("Authorization", value), ("x-ms-date", date.as_str()), ("x-ms-version", "2021-12-02")];
        assert_eq!(send(&server, "GET", GET.target, &headers, "").await.verdict(), verdict, "{value}");
    }
    for value in ["Bearer abc.def.ghi", "bearer abc", "Bearer"] {
        let headers = [("Authorization", value), ("x-ms-version", "2021-12-02")];
        let answer = send(&server, "GET", GET.target, &headers, "").await;
        assert_eq!(answer.status, 401, "{value}");
        assert!(answer.header("www-authenticate").starts_with("Bearer authorization_uri=https://"), "{answer:?}");
    }
}

/// Moving the server's clock makes no date invalid: clients use the date of the machine, or that of the answers.
#[tokio::test]
async fn the_date_is_within_a_quarter_of_an_hour_of_a_clock() {
    let server = server_with_blob().await;
    let wrong = "403 AuthenticationFailed";
    for moved in [0, 86_400] {
        server.wait(moved);
        for clock in [server.machine_time(), server.now()] {
            for (seconds, verdict) in [(0, "200"), (-900, "200"), (900, "200"), (-901, wrong), (901, wrong)] {
                let date = clock.moved(seconds).rfc1123();
                for headers in [
                    [("x-ms-date", date.as_str()), ("x-ms-version", "2021-12-02")],
                    [("Date", &date), ("x-ms-version", "2021-12-02")],
                ] {
                    let signs = match headers[0].0 {
                        "Date" => format!("GET||||||{date}||||||x-ms-version:2021-12-02|{}", path("/devstoreaccount1/box/blob")),
                        _ => GET.signs.replace("{date}", &date),
                    };
                    let row = SignedRequest { headers: &headers, signs: &signs, ..GET };
                    let about = format!("{} {seconds} s off {}, clock moved by {moved} s", headers[0].0, clock.rfc1123());
                    assert_eq!(row.verdict(&server).await, verdict, "{about}");
                }
            }
        }
    }
    let version = ("x-ms-version", "2021-12-02");
    for headers in [&[version][..], &[("x-ms-date", "yesterday"), version], &[("x-ms-date", ""), version]] {
        let signs = match headers {
            [_] => "x-ms-version:2021-12-02|/devstoreaccount1/devstoreaccount1/box/blob".to_owned(),
            _ => GET.signs.replace("{date}", headers[0].1),
        };
        let row = SignedRequest { headers, signs: &signs, ..GET };
        assert_eq!(row.verdict(&server).await, "403 AuthenticationFailed", "{headers:?}");
    }
}
