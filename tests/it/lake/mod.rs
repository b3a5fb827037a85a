//! Data Lake Storage Gen2 over a socket: file systems, paths, access control, and the view that the Blob API has of them.

mod access;
mod append;
mod blobs;
mod create;
mod delegation;
mod delete;
mod errors;
mod flat;
mod listing;
mod namespaces;
mod race;
mod rename;
mod routing;
mod signatures;

use crate::scenario::check_of;
use crate::server::TestServer;
use lazuli::ServiceKind;

/// A server whose account has a hierarchical namespace and the file system `box`.
pub async fn lake(more: &[&str]) -> TestServer {
    let arguments = [&["--dfs-port=0", "--account=devstoreaccount1,hns"], more].concat();
    let server = TestServer::with(&arguments).await;
    server.container("box").await;
    server
}

/// Plays a scenario of the Data Lake API.
async fn check(rows: &str) {
    check_in(&lake(&[]).await, rows).await;
}

async fn check_in(server: &TestServer, rows: &str) {
    check_of(server, ServiceKind::DataLake, rows).await;
}

/// Makes the service retain deleted paths for 7 days.
async fn retain_deleted_paths(server: &TestServer) {
    let properties = "<StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>7</Days></DeleteRetentionPolicy>\
                      </StorageServiceProperties>";
    let set = server.request("PUT", "/?restype=service&comp=properties").body(properties).send().await;
    assert_eq!(set.verdict(), "202");
}

/// The names of a list of paths, with a slash behind those of directories.
async fn names(server: &TestServer, target: &str) -> Vec<String> {
    let answer = server.request("GET", target).of(ServiceKind::DataLake).send().await;
    assert_eq!(answer.verdict(), "200", "{target}: {}", answer.text());
    let document: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    let name = |path: &serde_json::Value| {
        let slash = if path["isDirectory"] == "true" { "/" } else { "" };
        format!("{}{slash}", path["name"].as_str().unwrap())
    };
    document["paths"].as_array().unwrap().iter().map(name).collect()
}
