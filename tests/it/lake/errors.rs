//! Errors of Data Lake: each is JSON with its code, also in a header, whatever step of the request fails.

use super::lake;
use crate::server::Answer;
use lazuli::ServiceKind;

/// The code, the first sentence and the details of an error.
fn parsed(answer: &Answer) -> (String, String, Vec<(String, String)>) {
    assert_eq!(answer.header("content-type"), "application/json;charset=utf-8", "{}", answer.text());
    assert_eq!(answer.header("content-length"), answer.body.len().to_string());
    assert_eq!(answer.header("server"), "Windows-Azure-HDFS/1.0 Microsoft-HTTPAPI/2.0");
    let document: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    let error = &document["error"];
    let code = error["code"].as_str().unwrap();
    assert_eq!(answer.header("x-ms-error-code"), code, "{}", answer.text());
    let message: Vec<&str> = error["message"].as_str().unwrap().split('\n').collect();
    assert_eq!(message.len(), 3, "{message:?}");
    assert_eq!(message[1], format!("RequestId:{}", answer.header("x-ms-request-id")));
    assert!(message[2].starts_with("Time:") && message[2].ends_with('Z'), "{message:?}");
    let details = error["detail"].as_object();
    let pairs = details.into_iter().flatten().map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
    (code.to_owned(), message[0].to_owned(), pairs.collect())
}

const INVALID_HEADER: &str = "The value for one of the HTTP headers is not in the correct format.";

#[tokio::test]
async fn each_step_of_a_request_fails_with_json() {
    let server = lake(&["--oauth=dev"]).await;
    let request = |line: &str| {
        let (method, target) = line.split_once(' ').unwrap();
        server.request(method, target).of(ServiceKind::DataLake)
    };
    let list = "GET /box?resource=filesystem&recursive=true";
    let table = [
        // The head of the request.
        (request(list).header("x-ms-version", "soon").send().await, 400, "UnsupportedRestVersion", "x-ms-version"),
        (request(&format!("{list}&directory=%zz")).send().await, 400, "InvalidQueryParameterValue", "directory"),
        (request("PUT /box/%zz?resource=file").send().await, 400, "InvalidUri", ""),
        (request("PUT /box/a%01?resource=file").send().await, 400, "InvalidResourceName", ""),
        (request("PUT /B?resource=filesystem").send().await, 400, "OutOfRangeInput", ""),
        // The route.
        (request("MERGE /box/f").send().await, 405, "UnsupportedHttpVerb", ""),
        (request("PATCH /box/f?action=none").send().await, 400, "InvalidQueryParameterValue", "action"),
        // Authentication.
        (request(list).anonymous().header("authorization", "Basic x").send().await, 400, "InvalidAuthenticationInfo", ""),
        (
            request(list).anonymous().header("authorization", "SharedKey devstoreaccount1:AAAA").send().await,
            403,
            "AuthenticationFailed",
            "AuthenticationErrorDetail",
        ),
        (
            request(list).anonymous().header("authorization", "Bearer x").send().await,
            401,
            "InvalidAuthenticationInfo",
            "AuthenticationErrorDetail",
        ),
        (request(list).anonymous().send().await, 401, "NoAuthenticationInformation", ""),
        (
            request(&format!("{list}&sv=2020-12-06&sr=c&sp=l&se=2099-01-01&sig=AAAA")).anonymous().send().await,
            403,
            "AuthenticationFailed",
            "AuthenticationErrorDetail",
        ),
        // The input.
        (request("GET /box?resource=filesystem").send().await, 400, "MissingRequiredQueryParameter", "recursive"),
        (request(&format!("{list}&maxResults=0")).send().await, 400, "OutOfRangeQueryParameterValue", "maxresults"),
        (request(&format!("{list}&continuation=!")).send().await, 400, "InvalidQueryParameterValue", "continuation"),
        (
            request("PUT /box/f?resource=file").header("x-ms-lease-id", "x").send().await,
            400,
            "InvalidHeaderValue",
            "x-ms-lease-id",
        ),
        (request("PUT /box/f?resource=file").header("x-ms-properties", "a-b=YQ==").send().await, 400, "InvalidPropertyName", ""),
        (request("PATCH /box/f?action=append&position=0").send().await, 400, "InvalidHeaderValue", "Content-Length"),
        // The state.
        (request("GET /none?resource=filesystem&recursive=true").send().await, 404, "FilesystemNotFound", ""),
        (request("GET /box/none").send().await, 404, "PathNotFound", ""),
        (request("PUT /box?resource=filesystem").send().await, 409, "FilesystemAlreadyExists", ""),
    ];
    let verdicts: Vec<String> = table.iter().map(|(answer, ..)| answer.verdict()).collect();
    let expected: Vec<String> = table.iter().map(|(_, status, code, _)| format!("{status} {code}")).collect();
    assert_eq!(verdicts, expected);
    for (answer, _, code, detail) in table {
        let (found, message, details) = parsed(&answer);
        assert_eq!(found, code);
        assert!(!message.is_empty() && !message.contains("container") && !message.contains("blob"), "{message}");
        let named = details.iter().any(|(name, value)| name == detail || value.eq_ignore_ascii_case(detail));
        assert_eq!(named, !detail.is_empty(), "{code}: {details:?}");
        if code == "InvalidHeaderValue" {
            assert_eq!(message, INVALID_HEADER);
        }
    }
    // An answer to HEAD only has the header.
    let head = request("HEAD /box/none").send().await;
    assert_eq!(
        (head.verdict().as_str(), head.header("content-type"), head.header("content-length")),
        ("404 PathNotFound", "", "")
    );
}
