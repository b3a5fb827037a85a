//! Concurrent requests: exactly one succeeds where only one can, no write is partial, and a reader gets the state that it began to read.

use crate::raw::Raw;
use crate::server::TestServer;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::future::join_all;
use lazuli::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

async fn server() -> Arc<TestServer> {
    let server = TestServer::new().await;
    server.container("box").await;
    Arc::new(server)
}

/// Runs this many tasks at once, on all threads, and returns their results in order.
pub async fn at_once<T, F>(count: usize, task: impl Fn(usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let tasks: Vec<_> = (0..count).map(|n| tokio::spawn(task(n))).collect();
    join_all(tasks).await.into_iter().map(Result::unwrap).collect()
}

/// The one task whose verdict is `success`; all others must have been refused with `refusal`.
fn winner(verdicts: &[String], success: &str, refusal: &str) -> usize {
    let winners: Vec<usize> = verdicts.iter().enumerate().filter(|(_, verdict)| *verdict == success).map(|(n, _)| n).collect();
    assert_eq!(winners.len(), 1, "{verdicts:?}");
    let losers = verdicts.iter().filter(|verdict| *verdict != success);
    assert!(losers.clone().all(|verdict| verdict == refusal), "{verdicts:?}");
    winners[0]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_creator_wins() {
    let server = server().await;
    for round in 0..5 {
        let verdicts = at_once(40, |n| {
            let server = server.clone();
            async move {
                let request = server.request("PUT", &format!("/box/{round}")).header("x-ms-blob-type", "BlockBlob");
                request.header("if-none-match", "*").body(format!("by {n}")).send().await.verdict()
            }
        })
        .await;
        let winner = winner(&verdicts, "201", "409 BlobAlreadyExists");
        assert_eq!(server.request("GET", &format!("/box/{round}")).send().await.text(), format!("by {winner}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_container_is_created_and_whoever_deletes_it_finds_it_gone() {
    let server = server().await;
    let request = |method: &'static str| {
        let server = server.clone();
        at_once(40, move |_| {
            let server = server.clone();
            async move { server.request(method, "/race?restype=container").send().await.verdict() }
        })
    };
    winner(&request("PUT").await, "201", "409 ContainerAlreadyExists");
    // A container that is being deleted can be deleted again, without effect (recorded).
    assert!(request("DELETE").await.iter().all(|verdict| verdict == "202"));
    assert_eq!(server.request("HEAD", "/race?restype=container").send().await.verdict(), "404 ContainerNotFound");
    winner(&request("PUT").await, "201", "409 ContainerAlreadyExists");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_those_who_saw_the_same_state_one_changes_it() {
    let server = server().await;
    let mut etag = server.blob("/box/b", "0").await;
    for _ in 0..5 {
        let verdicts = at_once(40, |n| {
            let (server, etag) = (server.clone(), etag.clone());
            async move {
                let metadata = server.request("PUT", "/box/b?comp=metadata").header("x-ms-meta-by", n);
                metadata.header("if-match", etag).send().await.verdict()
            }
        })
        .await;
        let winner = winner(&verdicts, "200", "412 ConditionNotMet");
        let now = server.request("HEAD", "/box/b").send().await;
        assert_eq!(now.header("x-ms-meta-by"), winner.to_string());
        assert_ne!(now.header("etag"), etag);
        etag = now.header("etag").to_owned();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_takes_the_lease() {
    let server = server().await;
    server.blob("/box/b", "x").await;
    for target in ["/box/b?comp=lease", "/box?restype=container&comp=lease"] {
        let verdicts = at_once(40, |_| {
            let server = server.clone();
            async move {
                let acquire = [("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "-1")];
                server.request("PUT", target).headers(&acquire).send().await.verdict()
            }
        })
        .await;
        winner(&verdicts, "201", "409 LeaseAlreadyPresent");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_lists_of_blocks_one_is_last_and_whole() {
    let server = server().await;
    // Each client puts the same two blocks and commits them in its own order. The first commit removes the uncommitted blocks, so the
    // later ones name those of the blob. Whichever is last, the blob is one of the lists and never a mixture.
    for (id, content) in [("QQ==", "A"), ("Qg==", "B")] {
        let put = server.request("PUT", &format!("/box/b?comp=block&blockid={id}")).body(content.repeat(1000)).send().await;
        assert_eq!(put.verdict(), "201");
    }
    let (ab, ba) = ("<Latest>QQ==</Latest><Latest>Qg==</Latest>", "<Latest>Qg==</Latest><Latest>QQ==</Latest>");
    let verdicts = at_once(40, |n| {
        let server = server.clone();
        async move {
            let list = format!("<BlockList>{}</BlockList>", if n % 2 == 0 { ab } else { ba });
            server.request("PUT", "/box/b?comp=blocklist").body(list).send().await.verdict()
        }
    })
    .await;
    assert!(verdicts.iter().all(|verdict| verdict == "201"), "{verdicts:?}");
    let got = server.request("GET", "/box/b").send().await;
    let orders = [("A".repeat(1000) + &"B".repeat(1000)), ("B".repeat(1000) + &"A".repeat(1000))];
    assert!(orders.iter().any(|order| order == got.text()), "a mixture of two lists");
    let blocks = server.request("GET", "/box/b?comp=blocklist&blocklisttype=all").send().await;
    assert_eq!((blocks.elements("Block").len(), blocks.header("etag")), (2, got.header("etag")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn blocks_put_at_once_are_all_there() {
    let server = server().await;
    let id = |n: usize| STANDARD.encode(format!("{n:02}"));
    let verdicts = at_once(40, |n| {
        let server = server.clone();
        async move {
            server.request("PUT", &format!("/box/b?comp=block&blockid={}", id(n))).body(format!("{n:02}")).send().await.verdict()
        }
    })
    .await;
    assert!(verdicts.iter().all(|verdict| verdict == "201"), "{verdicts:?}");
    let list: String = (0..40).map(|n| format!("<Uncommitted>{}</Uncommitted>", id(n))).collect();
    let made = server.request("PUT", "/box/b?comp=blocklist").body(format!("<BlockList>{list}</BlockList>")).send().await;
    assert_eq!(made.verdict(), "201");
    let wanted: String = (0..40).map(|n| format!("{n:02}")).collect();
    assert_eq!(server.request("GET", "/box/b").send().await.text(), wanted);
}

/// Azurite's snapshots have milliseconds for names, and of two in one there is one left.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn snapshots_taken_at_once_are_all_kept() {
    const SNAPSHOTS: usize = 40;
    let server = server().await;
    server.blob("/box/b", "x").await;
    let mut names = at_once(SNAPSHOTS, |_| {
        let server = server.clone();
        async move { server.request("PUT", "/box/b?comp=snapshot").send().await.header("x-ms-snapshot").to_owned() }
    })
    .await;
    names.sort_unstable();
    let listed = server.request("GET", "/box?restype=container&comp=list&include=snapshots").send().await;
    assert_eq!(listed.elements("Snapshot"), names);
    names.dedup();
    assert_eq!(names.len(), SNAPSHOTS);
}

#[tokio::test]
async fn a_download_goes_on_over_the_version_it_began_with() {
    const SIZE: usize = 16 << 20;
    let server = server().await;
    for change in ["overwritten", "deleted", "its container deleted"] {
        server.blob("/box/big", vec![b'o'; SIZE]).await;
        let mut raw = Raw::get(&server, "/box/big").await;
        let head = raw.head().await;
        assert!(head.starts_with("HTTP/1.1 200 ") && head.to_lowercase().contains("content-length: 16777216"), "{head}");
        let half = raw.bytes(SIZE / 2).await;
        match change {
            "overwritten" => {
                server.blob("/box/big", vec![b'n'; SIZE]).await;
            }
            "deleted" => assert_eq!(server.request("DELETE", "/box/big").send().await.verdict(), "202"),
            _ => assert_eq!(server.request("DELETE", "/box?restype=container").send().await.verdict(), "202"),
        }
        let rest = raw.bytes(SIZE - half.len()).await;
        assert!(half.iter().chain(&rest).all(|byte| *byte == b'o'), "{change}: bytes of another version");
        match change {
            "overwritten" => assert!(server.request("GET", "/box/big").send().await.body.iter().all(|byte| *byte == b'n')),
            _ => assert_eq!(server.request("GET", "/box/big").send().await.status, 404),
        }
    }
}

#[tokio::test]
async fn a_list_goes_on_over_the_version_it_began_with() {
    let server = server().await;
    let name = |n: usize| format!("{n:04}{}", "n".repeat(900));
    for n in 0..3000 {
        server.blob(&format!("/box/{}", name(n)), "").await;
    }
    // A list of some megabytes, which no socket takes in at once.
    let mut raw = Raw::get(&server, "/box?restype=container&comp=list").await;
    let head = raw.head().await.to_lowercase();
    let length: usize = head.split("content-length: ").nth(1).unwrap().split('\r').next().unwrap().parse().unwrap();
    assert!(length > 4 << 20, "{length} bytes might wait in buffers");
    let mut body = raw.bytes(1000).await;
    assert_eq!(server.request("DELETE", &format!("/box/{}", name(2999))).send().await.verdict(), "202");
    server.blob("/box/9999", "").await;
    body.extend(raw.bytes(length - 1000).await);
    let text = String::from_utf8(body).unwrap();
    assert_eq!(text.matches("<Name>").count(), 3000);
    assert!(text.contains(&name(2999)) && !text.contains("<Name>9999</Name>"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_listed_at_once_with_writers_is_some_version() {
    let server = server().await;
    // Two blobs swap places in one order only: `a` is made before `b` is removed, so every version holds one of them.
    server.blob("/box/b", "").await;
    let over = Arc::new(AtomicBool::new(false));
    let swapper = tokio::spawn({
        let (server, over) = (server.clone(), over.clone());
        async move {
            for n in 0..100 {
                let (make, remove) = if n % 2 == 0 { ("/box/a", "/box/b") } else { ("/box/b", "/box/a") };
                server.blob(make, "").await;
                assert_eq!(server.request("DELETE", remove).send().await.verdict(), "202");
            }
            over.store(true, Ordering::Release);
        }
    });
    let mut lists = 0;
    while !over.load(Ordering::Acquire) {
        let list = server.request("GET", "/box?restype=container&comp=list").send().await;
        assert!(!list.elements("Name").is_empty(), "a version that never was");
        lists += 1;
    }
    swapper.await.unwrap();
    assert!(lists > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_write_outlives_its_container() {
    let server = server().await;
    for round in 0..20 {
        let writers = at_once(12, |n| {
            let server = server.clone();
            async move {
                if n == 6 {
                    let gone = server.request("DELETE", "/box?restype=container").send().await.verdict();
                    // Made again at once, while others still write to what was there.
                    let made =
                        server.request("PUT", "/box?restype=container").header("x-ms-meta-new", round).send().await.verdict();
                    return (n, format!("{gone} {made}"), String::new());
                }
                let put = server
                    .request("PUT", &format!("/box/{n}"))
                    .header("x-ms-blob-type", "BlockBlob")
                    .body(format!("{round}"))
                    .send()
                    .await;
                (n, put.verdict(), put.header("etag").to_owned())
            }
        })
        .await;
        assert_eq!(writers[6].1, "202 201");
        // Each blob in the new container was written to it in this round, and has the ETag that its writer received.
        let list = server.request("GET", "/box?restype=container&comp=list").send().await;
        for name in list.elements("Name") {
            let (_, verdict, etag) = &writers[name.parse::<usize>().unwrap()];
            let got = server.request("GET", &format!("/box/{name}")).send().await;
            assert_eq!((verdict.as_str(), got.text(), got.header("etag")), ("201", round.to_string().as_str(), etag.as_str()));
        }
        let refused = writers
            .iter()
            .filter(|(n, ..)| *n != 6)
            .all(|(_, verdict, _)| verdict == "201" || verdict == "404 ContainerNotFound");
        assert!(refused, "{writers:?}");
        let cleared = server.request("DELETE", "/box?restype=container").send().await.verdict();
        assert_eq!(cleared, "202");
        server.container("box").await;
    }
}

#[tokio::test]
async fn a_write_that_began_before_its_container_was_removed_is_refused() {
    let server = server().await;
    for again in [false, true] {
        let mut late = Raw::put(&server, "/box/late", 4).await;
        late.write(b"la").await;
        assert_eq!(server.request("DELETE", "/box?restype=container").send().await.verdict(), "202");
        if again {
            server.container("box").await;
        }
        late.write(b"te").await;
        let head = late.head().await;
        assert!(head.starts_with("HTTP/1.1 404 ") && head.contains("ContainerNotFound"), "{head}");
        let wanted = if again { "404 BlobNotFound" } else { "404 ContainerNotFound" };
        assert_eq!(server.request("GET", "/box/late").send().await.verdict(), wanted);
        if !again {
            server.container("box").await;
        }
    }
}

#[tokio::test]
async fn a_write_counts_from_the_end_of_its_body() {
    let server = server().await;
    let mut slow = Raw::put(&server, "/box/b", 4).await;
    // A blob does not exist until its body is complete; another write in between succeeds, and is then overwritten.
    slow.write(b"sl").await;
    assert_eq!(server.request("GET", "/box/b").send().await.verdict(), "404 BlobNotFound");
    server.blob("/box/b", "quick").await;
    assert_eq!(server.request("GET", "/box/b").send().await.text(), "quick");
    slow.write(b"ow").await;
    let head = slow.head().await;
    assert!(head.starts_with("HTTP/1.1 201 "), "{head}");
    assert_eq!(server.request("GET", "/box/b").send().await.text(), "slow");
    // A body that breaks off leaves nothing.
    let mut cut = Raw::put(&server, "/box/b", 4).await;
    cut.write(b"cu").await;
    drop(cut);
    assert_eq!(server.request("GET", "/box/b").send().await.text(), "slow");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_was_written_before_a_deletion_is_there_after_the_restore() {
    let account = format!("{WELL_KNOWN_ACCOUNT}:{WELL_KNOWN_KEY},container-retention=1");
    let server = Arc::new(TestServer::with(&["--account", &account]).await);
    server.container("box").await;
    for round in 0..5 {
        let verdicts = at_once(41, |n| {
            let server = server.clone();
            async move {
                if n == 20 {
                    return server.request("DELETE", "/box?restype=container").send().await.verdict();
                }
                let put = server.request("PUT", &format!("/box/{round}-{n}")).header("x-ms-blob-type", "BlockBlob");
                put.body("x").send().await.verdict()
            }
        })
        .await;
        assert_eq!(verdicts[20], "202");
        server.wait(30);
        let list = server.request("GET", "/?comp=list&include=deleted").send().await;
        let version = list.element("Version");
        let back = || {
            let request =
                server.request("PUT", "/box?restype=container&comp=undelete").header("x-ms-deleted-container-name", "box");
            request.header("x-ms-deleted-container-version", version).send()
        };
        // One of two who bring it back does.
        let verdicts_back = futures::join!(back(), back());
        winner(&[verdicts_back.0.verdict(), verdicts_back.1.verdict()], "201", "409 ContainerAlreadyExists");
        for (n, verdict) in verdicts.iter().enumerate().filter(|(n, _)| *n != 20) {
            let there = server.request("HEAD", &format!("/box/{round}-{n}")).send().await.status;
            match verdict.as_str() {
                "201" => assert_eq!(there, 200, "{round}-{n} was lost"),
                refused => assert_eq!((refused, there), ("404 ContainerNotFound", 404), "{round}-{n}"),
            }
        }
    }
}
