//! Concurrent changes of directories: each outcome is one that some order of the requests has, and nothing is lost.

use super::{lake, names};
use crate::race::at_once;
use crate::server::TestServer;
use lazuli::ServiceKind;
use std::collections::BTreeSet;
use std::sync::Arc;

const ALL: &str = "/box?resource=filesystem&recursive=true";

/// Sends a request, `METHOD target`, with a rename source and a body, both of which may be empty.
async fn send(server: &TestServer, request: &str, source: &str, body: &str) -> String {
    let (method, target) = request.split_once(' ').unwrap();
    let request = server.request(method, target).of(ServiceKind::DataLake).body(body.to_owned());
    let request = if source.is_empty() { request } else { request.header("x-ms-rename-source", source) };
    request.send().await.verdict()
}

/// Sends requests with their rename sources one after another, each of which succeeds.
async fn prepare(server: &TestServer, requests: &[(&str, &str)]) {
    for (request, source) in requests {
        let verdict = send(server, request, source, "").await;
        assert!(verdict.starts_with('2'), "{request} {source}: {verdict}");
    }
}

/// Sends requests with their rename sources at once, several of each, and returns the verdicts in this order.
async fn race(server: &Arc<TestServer>, requests: &[(&str, &str)], of_each: usize) -> Vec<String> {
    let requests: Vec<(String, String)> =
        requests.iter().map(|(request, source)| ((*request).to_owned(), (*source).to_owned())).collect();
    at_once(requests.len() * of_each, |n| {
        let (server, (request, source)) = (server.clone(), requests[n % requests.len()].clone());
        async move { send(&server, &request, &source, "").await }
    })
    .await
}

/// The file system's paths, each of which has its parent in the list.
async fn all(server: &TestServer) -> Vec<String> {
    let all = names(server, ALL).await;
    for path in &all {
        let above = path.trim_end_matches('/').rsplit_once('/').map(|(above, _)| format!("{above}/"));
        assert!(above.is_none_or(|above| all.contains(&above)), "{path} has no parent: {all:?}");
    }
    all
}

fn count(verdicts: &[String], verdict: &str) -> usize {
    verdicts.iter().filter(|other| *other == verdict).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_two_renames_make_a_cycle() {
    let server = Arc::new(lake(&[]).await);
    for round in 0..20 {
        prepare(&server, &[("PUT /box/a/f?resource=file", ""), ("PUT /box/b/g?resource=file", "")]).await;
        let renames = [("PUT /box/b/x?mode=legacy", "/box/a"), ("PUT /box/a/x?mode=legacy", "/box/b")];
        let verdicts = race(&server, &renames, 6).await;
        assert_eq!(count(&verdicts, "201"), 1, "{round}: {verdicts:?}");
        let refusals = count(&verdicts, "404 SourcePathNotFound") + count(&verdicts, "404 RenameDestinationParentPathNotFound");
        assert_eq!(refusals, 11, "{round}: {verdicts:?}");
        let a_is_below = verdicts.iter().position(|verdict| verdict == "201").unwrap() % 2 == 0;
        let expected = if a_is_below { ["b/", "b/g", "b/x/", "b/x/f"] } else { ["a/", "a/f", "a/x/", "a/x/g"] };
        assert_eq!(all(&server).await, expected, "{round}");
        prepare(&server, &[(if a_is_below { "DELETE /box/b?recursive=true" } else { "DELETE /box/a?recursive=true" }, "")]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_created_in_a_directory_that_moves_is_somewhere() {
    let server = Arc::new(lake(&[]).await);
    for round in 0..20 {
        prepare(&server, &[("PUT /box/a/f?resource=file", "")]).await;
        let creations: Vec<String> = (0..12).map(|n| format!("PUT /box/a/d{n}/f?resource=file")).collect();
        let mut requests: Vec<(&str, &str)> = creations.iter().map(|request| (request.as_str(), "")).collect();
        requests.insert(6, ("PUT /box/b?mode=legacy", "/box/a"));
        let verdicts = race(&server, &requests, 1).await;
        assert_eq!(count(&verdicts, "201"), 13, "{round}: {verdicts:?}");
        let paths = all(&server).await;
        assert!(paths.contains(&"b/f".to_owned()) && !paths.contains(&"a/f".to_owned()), "{round}: {paths:?}");
        for n in 0..12 {
            let places = ["a", "b"].map(|above| paths.contains(&format!("{above}/d{n}/f")));
            assert_eq!(places.iter().filter(|has| **has).count(), 1, "{round}: d{n} in {paths:?}");
        }
        send(&server, "DELETE /box/a?recursive=true", "", "").await;
        prepare(&server, &[("DELETE /box/b?recursive=true", "")]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_directory_is_renamed_or_deleted() {
    let server = Arc::new(lake(&[]).await);
    for round in 0..20 {
        prepare(&server, &[("PUT /box/a/d/f?resource=file", "")]).await;
        let requests = [("PUT /box/b?mode=legacy", "/box/a"), ("DELETE /box/a?recursive=true", "")];
        let verdicts = race(&server, &requests, 4).await;
        let (renamed, deleted) = (count(&verdicts, "201"), count(&verdicts, "200"));
        assert_eq!((renamed + deleted, count(&verdicts, "404 SourcePathNotFound")), (1, 4 - renamed), "{round}: {verdicts:?}");
        assert_eq!(count(&verdicts, "404 PathNotFound"), 4 - deleted, "{round}: {verdicts:?}");
        let expected: &[&str] = if renamed == 1 { &["b/", "b/d/", "b/d/f"] } else { &[] };
        assert_eq!(all(&server).await, expected, "{round}");
        send(&server, "DELETE /box/b?recursive=true", "", "").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_renames_onto_one_path_no_content_is_lost() {
    let server = Arc::new(lake(&[]).await);
    for round in 0..10 {
        for n in 0..12 {
            prepare(&server, &[(&format!("PUT /box/s{n}?resource=file"), "")]).await;
            let append = format!("PATCH /box/s{n}?action=append&position=0&flush=true");
            assert_eq!(send(&server, &append, "", &format!("content of {n}")).await, "202");
        }
        let is_conditional = round % 2 == 0;
        let verdicts = at_once(12, |n| {
            let server = server.clone();
            async move {
                let request = server.request("PUT", "/box/d?mode=legacy").of(ServiceKind::DataLake);
                let request = request.header("x-ms-rename-source", format!("/box/s{n}"));
                let request = if is_conditional { request.header("if-none-match", "*") } else { request };
                request.send().await.verdict()
            }
        })
        .await;
        let paths = all(&server).await;
        let content = server.request("GET", "/box/d").of(ServiceKind::DataLake).send().await;
        let moved: usize = content.text().strip_prefix("content of ").unwrap().parse().unwrap();
        assert_eq!(verdicts[moved], "201");
        if is_conditional {
            assert_eq!(count(&verdicts, "409 PathAlreadyExists"), 11, "{round}: {verdicts:?}");
            let rest: BTreeSet<String> =
                (0..12).filter(|n| *n != moved).map(|n| format!("s{n}")).chain(["d".to_owned()]).collect();
            assert_eq!(paths.into_iter().collect::<BTreeSet<_>>(), rest, "{round}");
        } else {
            assert_eq!((count(&verdicts, "201"), paths), (12, vec!["d".to_owned()]), "{round}: {verdicts:?}");
        }
        prepare(&server, &[("DELETE /box/d", "")]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn creations_beside_the_deletion_of_their_directory_leave_no_orphan() {
    let server = Arc::new(lake(&[]).await);
    for (round, recursive) in [true, false].into_iter().cycle().take(20).enumerate() {
        prepare(&server, &[("PUT /box/p?resource=directory", "")]).await;
        let creations: Vec<String> = (0..12).map(|n| format!("PUT /box/p/d{n}/f?resource=file")).collect();
        let delete = format!("DELETE /box/p?recursive={recursive}");
        let mut requests: Vec<(&str, &str)> = creations.iter().map(|request| (request.as_str(), "")).collect();
        requests.insert(6, (&delete, ""));
        let verdicts = race(&server, &requests, 1).await;
        assert_eq!(count(&verdicts, "201"), 12, "{round}: {verdicts:?}");
        let paths = all(&server).await;
        match (recursive, verdicts[6].as_str()) {
            (true, "200") => {}
            // All are there, whichever came before the deletion.
            (false, "200" | "409 DirectoryNotEmpty") => assert_eq!(paths.len(), 25, "{round}: {paths:?}"),
            (_, verdict) => panic!("{round}: {verdict}"),
        }
        for n in 0..12 {
            let is_listed = paths.contains(&format!("p/d{n}/f"));
            let status = server.request("HEAD", &format!("/box/p/d{n}/f")).of(ServiceKind::DataLake).send().await.status;
            assert_eq!(status == 200, is_listed, "{round}: d{n}");
        }
        send(&server, "DELETE /box/p?recursive=true", "", "").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn appends_move_with_their_file() {
    let server = Arc::new(lake(&[]).await);
    for round in 0..20 {
        prepare(&server, &[("PUT /box/a/f?resource=file", "")]).await;
        let verdicts = at_once(13, |n| {
            let server = server.clone();
            async move {
                match n {
                    6 => send(&server, "PUT /box/b?mode=legacy", "/box/a", "").await,
                    _ => send(&server, &format!("PATCH /box/a/f?action=append&position={n}"), "", &format!("{n:x}")).await,
                }
            }
        })
        .await;
        assert_eq!(verdicts[6], "201");
        // Those that found the file where it was moved with it; the others are sent again.
        for (n, verdict) in verdicts.iter().enumerate() {
            match (n, verdict.as_str()) {
                (6, _) | (_, "404 PathNotFound") => {
                    let again = format!("PATCH /box/b/f?action=append&position={n}");
                    assert_eq!(send(&server, &again, "", &format!("{n:x}")).await, "202", "{round}");
                }
                (_, verdict) => assert_eq!(verdict, "202", "{round}"),
            }
        }
        assert_eq!(send(&server, "PATCH /box/b/f?action=flush&position=13", "", "").await, "200", "{round}: {verdicts:?}");
        assert_eq!(server.request("GET", "/box/b/f").send().await.text(), "0123456789abc");
        prepare(&server, &[("DELETE /box/b?recursive=true", "")]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn renames_between_file_systems_do_not_wait_for_each_other() {
    let server = Arc::new(lake(&[]).await);
    server.container("other").await;
    prepare(&server, &[("PUT /box/a/f?resource=file", ""), ("PUT /other/b/g?resource=file", "")]).await;
    for round in 0..20 {
        let ([a, b], [to_a, to_b]) = match round % 2 {
            0 => (["/box/a", "/other/b"], ["PUT /other/a?mode=legacy", "PUT /box/b?mode=legacy"]),
            _ => (["/other/a", "/box/b"], ["PUT /box/a?mode=legacy", "PUT /other/b?mode=legacy"]),
        };
        let renames = [(to_a, a), (to_b, b), ("PUT /box/c/f?resource=file", ""), ("PUT /other/c/f?resource=file", "")];
        let verdicts = race(&server, &renames, 4).await;
        assert_eq!((count(&verdicts, "201"), count(&verdicts, "404 SourcePathNotFound")), (2 + 8, 6), "{round}: {verdicts:?}");
    }
    assert_eq!(all(&server).await, ["a/", "a/f", "c/", "c/f"]);
    assert_eq!(names(&server, "/other?resource=filesystem&recursive=true").await, ["b/", "b/g", "c/", "c/f"]);
}
