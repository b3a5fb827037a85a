//! List Paths.

use super::{check, check_in, lake, names};
use lazuli::ServiceKind;

#[tokio::test]
async fn paths_are_listed_depth_first() {
    let server = lake(&[]).await;
    for path in ["a/z", "a-b", "b/c/d", "b/e", "b c"] {
        check_in(&server, &format!("PUT /box/{}?resource=file → 201", path.replace(' ', "%20"))).await;
    }
    for (query, expected) in [
        ("recursive=true", "a/ a/z a-b b/ b/c/ b/c/d b/e b c"),
        ("recursive=false", "a/ a-b b/ b c"),
        ("recursive=false&directory=b", "b/c/ b/e"),
        ("recursive=true&directory=/b/", "b/c/ b/c/d b/e"),
        ("recursive=true&directory=b/c", "b/c/d"),
        ("recursive=true&directory=b/e", "b/e"),
        ("recursive=true&directory=/", "a/ a/z a-b b/ b/c/ b/c/d b/e b c"),
        ("recursive=true&beginFrom=b", "b/ b/c/ b/c/d b/e b c"),
        ("recursive=true&beginFrom=b/c/d", "b/c/d b/e b c"),
        ("recursive=true&beginFrom=aa", "b/ b/c/ b/c/d b/e b c"),
        ("recursive=true&directory=b&beginFrom=d", "b/e"),
    ] {
        let found = names(&server, &format!("/box?resource=filesystem&{query}")).await.join(" ");
        assert_eq!(found, expected, "{query}");
    }
}

#[tokio::test]
async fn a_list_has_pages() {
    let server = lake(&[]).await;
    for number in 0..7 {
        check_in(&server, &format!("PUT /box/d{}/f{number}?resource=file → 201", number / 3)).await;
    }
    for (query, top) in [("recursive=true", ""), ("recursive=false", ""), ("recursive=true&directory=d1", "d1")] {
        let whole = names(&server, &format!("/box?resource=filesystem&{query}")).await;
        for size in 1..=3 {
            let (mut found, mut next) = (Vec::new(), String::new());
            loop {
                let target = format!("/box?resource=filesystem&{query}&maxResults={size}{next}");
                let page = names(&server, &target).await;
                assert!(page.len() <= size, "{target}");
                found.extend(page);
                let answer = server.request("GET", &target).of(ServiceKind::DataLake).send().await;
                let token = answer.header("x-ms-continuation");
                if token.is_empty() {
                    break;
                }
                next = format!("&continuation={}", token.replace('=', "%3D").replace('+', "%2B"));
            }
            assert_eq!(found, whole, "{query} of {top:?} in pages of {size}");
        }
    }
}

#[tokio::test]
async fn entries_are_texts() {
    let server = lake(&[]).await;
    let list = "/box?resource=filesystem&recursive=true";
    let empty = server.request("GET", list).of(ServiceKind::DataLake).send().await;
    assert_eq!(empty.text(), "{\"paths\":[]}\n");
    assert_eq!((empty.header("content-type"), empty.header("content-length")), ("application/json;charset=utf-8", ""));
    check_in(
        &server,
        "PUT /box/d?resource=directory → 201
         PUT /box/f?resource=file | x-ms-encryption-context: con → 201",
    )
    .await;
    let listed = server.request("GET", list).of(ServiceKind::DataLake).send().await;
    let document: serde_json::Value = serde_json::from_slice(&listed.body).unwrap();
    let keys = |at: usize| document["paths"][at].as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ");
    assert_eq!(keys(0), "contentLength creationTime etag expiryTime group isDirectory lastModified name owner permissions");
    assert_eq!(keys(1), "EncryptionContext contentLength creationTime etag expiryTime group lastModified name owner permissions");
    for path in document["paths"].as_array().unwrap() {
        assert!(path.as_object().unwrap().values().all(serde_json::Value::is_string), "{path}");
    }
}

#[tokio::test]
async fn refused_lists() {
    check(
        "PUT /box/f?resource=file → 201
         GET /box?resource=filesystem → 400 MissingRequiredQueryParameter
         GET /box?resource=filesystem&recursive=maybe → 400 InvalidQueryParameterValue
         GET /box?resource=filesystem&recursive=true&maxResults=0 → 400 OutOfRangeQueryParameterValue
         GET /box?resource=filesystem&recursive=true&maxResults=9000&upn=true → 200
         GET /box?resource=filesystem&recursive=true&continuation=%23 → 400 InvalidQueryParameterValue
         GET /box?resource=filesystem&recursive=true&directory=none → 404 PathNotFound
         GET /none?resource=filesystem&recursive=true&directory=none → 404 FilesystemNotFound",
    )
    .await;
}
