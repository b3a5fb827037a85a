//! `lazuli import`: a workspace that Azurite wrote (`tests/data/azurite`) is imported, and then read over the socket.

use crate::process::{command as command_of, lazuli, run};
use crate::scratch::Scratch;
use crate::server::{Answer, TestServer, start_of_time};
use lazuli::ServiceKind;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/azurite")
}

/// Copies the workspace, for changes.
fn copy(to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for below in ["", "__blobstorage__", "__queuestorage__"] {
        std::fs::create_dir_all(to.join(below)).unwrap();
        for entry in std::fs::read_dir(workspace().join(below)).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                std::fs::copy(entry.path(), to.join(below).join(entry.file_name())).unwrap();
            }
        }
    }
}

/// Changes the documents of one collection.
fn change(place: &Path, database: &str, collection: &str, change: impl FnOnce(&mut Vec<Value>)) {
    let path = place.join(format!("__azurite_db_{database}__.json"));
    let mut dump: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let collections = dump["collections"].as_array_mut().unwrap();
    let found = collections.iter_mut().find(|known| known["name"] == collection).unwrap();
    change(found["data"].as_array_mut().unwrap());
    std::fs::write(&path, dump.to_string()).unwrap();
}

/// The output of an import that succeeded, if with warnings.
struct Imported {
    /// What is in the location now.
    summary: String,
    /// What was not imported, and what is to be checked: a line each.
    warnings: Vec<String>,
}

fn bring(from: &Path, to: &Path) -> Imported {
    let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
    let (code, output, warnings) = run(lazuli(), &["import", "--from-azurite", from, "--location", to]);
    let lines: Vec<_> = warnings.lines().map(|line| line.trim_start_matches("lazuli: ").to_owned()).collect();
    assert_eq!(code, i32::from(!lines.is_empty()), "{warnings}");
    let summary = output.trim_end().strip_prefix(&format!("Imported into {to}: ")).unwrap().to_owned();
    Imported { summary, warnings: lines }
}

/// The workspace with messages around today: one was taken, one is plain, one is hidden for ten minutes, one is over.
fn brought() -> (Scratch, Imported) {
    let (from, to) = (Scratch::new("azurite"), Scratch::new("imported"));
    copy(&from.0);
    change(&from.0, "queue", "$MESSAGES_COLLECTION$", |messages| {
        let now = start_of_time();
        for (message, visible) in messages.iter_mut().zip([now, now, now.after_seconds(600), now]) {
            message["timeNextVisible"] = json!(visible.unix_milliseconds());
        }
        messages[3]["expirationTime"] = json!("2020-01-01T00:00:00.000Z");
    });
    let imported = bring(&from.0, &to.0);
    (to, imported)
}

async fn get(server: &TestServer, target: &str) -> Answer {
    let answer = server.request("GET", target).send().await;
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    answer
}

#[tokio::test]
async fn blobs_come_over() {
    let (place, imported) = brought();
    assert_eq!(
        imported.summary,
        "5 blobs, 2 containers, 2 entities, 3 lists of access policies, 3 messages, 1 property of the Blob service, 1 queue, \
         1 snapshot with a new timestamp, 1 table, 2 uncommitted blocks"
    );
    assert_eq!(imported.warnings, ["not imported: 1 message (they had expired), the first: jobs"]);
    let server = TestServer::with(&["--location", place.path()]).await;
    let containers = get(&server, "/?comp=list&include=metadata").await;
    assert_eq!(containers.elements("Name"), ["empty", "pictures"]);
    assert_eq!(containers.element("Owner"), "me");
    let access = get(&server, "/pictures?restype=container&comp=acl").await;
    assert_eq!((access.header("x-ms-blob-public-access"), access.element("Id")), ("blob", "read"));
    assert!(access.element("Expiry").starts_with("2090-01-01T00:00:00"), "{}", access.text());

    let blob = get(&server, "/pictures/a/hello.txt").await;
    assert_eq!(blob.text(), "hello world");
    for (name, value) in [
        ("content-type", "text/plain"),
        ("content-language", "en"),
        ("cache-control", "no-cache"),
        ("content-disposition", "inline"),
        ("content-md5", "XrY7u+Ae7tCTyyK7j1rNww=="),
        ("x-ms-meta-color", "blue"),
        ("x-ms-access-tier", ""),
        ("x-ms-tag-count", "1"),
    ] {
        assert_eq!(blob.header(name), value, "{name}");
    }
    let head = server.request("HEAD", "/pictures/a/hello.txt").send().await;
    assert_eq!((head.header("x-ms-access-tier"), head.header("x-ms-access-tier-inferred")), ("Cool", ""));
    assert_eq!(get(&server, "/pictures/a/hello.txt?comp=tags").await.element("Value"), "v 1");
    let listed = get(&server, "/pictures?restype=container&comp=list&include=snapshots").await;
    assert_eq!(listed.elements("Name"), ["a/hello.txt", "a/hello.txt", "blocks &amp; more ü", "empty", "log", "pages"]);
    let snapshot = get(&server, &format!("/pictures/a/hello.txt?snapshot={}", listed.element("Snapshot"))).await;
    assert_eq!((snapshot.text(), snapshot.header("x-ms-meta-color")), ("hello world", "blue"));

    assert_eq!(get(&server, "/pictures/blocks%20%26%20more%20%C3%BC").await.text(), "block2;block1;");
    let blocks = get(&server, "/pictures/blocks%20%26%20more%20%C3%BC?comp=blocklist&blocklisttype=all").await;
    assert_eq!(blocks.elements("Name"), ["YjI=", "YjE=", "YjM="]);
    assert_eq!(server.request("GET", "/pictures/uncommitted").send().await.verdict(), "404 BlobNotFound");
    let blocks = get(&server, "/pictures/uncommitted?comp=blocklist&blocklisttype=uncommitted").await;
    assert_eq!(blocks.elements("Name"), ["eno="]);

    let pages = get(&server, "/pictures/pages").await;
    assert_eq!((pages.body.len(), pages.header("x-ms-blob-sequence-number")), (2048, "7"));
    assert!(pages.body.iter().enumerate().all(|(at, byte)| *byte == if (512..1024).contains(&at) { b'p' } else { 0 }));
    let ranges = get(&server, "/pictures/pages?comp=pagelist").await;
    assert_eq!((ranges.elements("Start"), ranges.elements("End")), (vec!["512"], vec!["1023"]));
    let log = get(&server, "/pictures/log").await;
    assert_eq!((log.text(), log.header("x-ms-blob-committed-block-count")), ("one\ntwo\n", "2"));
}

#[tokio::test]
async fn messages_come_over_as_far_as_they_were() {
    let (place, _) = brought();
    let server = TestServer::with(&["--location", place.path()]).await;
    let request = async |target: &str| server.request("GET", target).of(ServiceKind::Queue).send().await;
    assert_eq!(request("/jobs?comp=metadata").await.header("x-ms-meta-m"), "1");
    assert_eq!(request("/jobs?comp=acl").await.element("Id"), "p");
    let seen = request("/jobs/messages?peekonly=true&numofmessages=32").await;
    assert_eq!(seen.elements("MessageText"), ["first &lt;&amp;&gt;", "second"]);
    assert_eq!(seen.elements("DequeueCount"), ["1", "0"]);
    assert_eq!(seen.elements("ExpirationTime"), ["Fri, 31 Dec 9999 23:59:59 GMT"; 2]);
    server.wait(601);
    let seen = request("/jobs/messages?numofmessages=32").await;
    assert_eq!(seen.elements("MessageText"), ["first &lt;&amp;&gt;", "second", "later"]);
    assert_eq!(seen.elements("DequeueCount"), ["2", "1", "1"]);
}

#[tokio::test]
async fn entities_come_over_with_their_types() {
    let (place, _) = brought();
    let server = TestServer::with(&["--location", place.path()]).await;
    let request = async |target: &str| {
        let request = server.request("GET", target).of(ServiceKind::Table);
        request.header("accept", "application/json;odata=fullmetadata").send().await
    };
    let entity: Value = serde_json::from_slice(&request("/People(PartitionKey='p',RowKey='r''1')").await.body).unwrap();
    for (name, value, kind) in [
        ("s", json!("text"), Value::Null),
        ("e", json!(""), Value::Null),
        ("i", json!(5), Value::Null),
        ("b", json!(true), Value::Null),
        ("l", json!("1099511627776"), json!("Edm.Int64")),
        ("d", json!(1.5), Value::Null),
        ("w", json!(2.0), Value::Null),
        ("inf", json!("Infinity"), json!("Edm.Double")),
        ("g", json!("00000000-0000-0000-0000-000000000005"), json!("Edm.Guid")),
        ("t", json!("2024-01-02T03:04:05Z"), json!("Edm.DateTime")),
        ("y", json!("AQI="), json!("Edm.Binary")),
    ] {
        assert_eq!((&entity[name], &entity[format!("{name}@odata.type")]), (&value, &kind), "{name}");
    }
    assert_eq!(request("/People(PartitionKey='',RowKey='')").await.status, 200);
    let access =
        server.request("GET", "/People?comp=acl").of(ServiceKind::Table).header("accept", "application/xml").send().await;
    assert_eq!(access.element("Id"), "tp");
}

/// Damaged data stays behind, and is reported; the rest is imported.
#[tokio::test]
async fn data_that_cannot_be_imported_is_reported() {
    let (from, to) = (Scratch::new("azurite"), Scratch::new("imported"));
    copy(&from.0);
    change(&from.0, "blob", "$BLOBS_COLLECTION$", |blobs| {
        blobs[0]["persistency"]["id"] = json!("../__azurite_db_blob__.json");
        blobs[1]["properties"]["contentLength"] = json!(1);
        blobs[2]["properties"]["blobType"] = json!("Strange");
        blobs[4]["pageRangesInOrder"][0]["persistency"]["count"] = json!(u64::MAX);
        blobs[5]["containerName"] = json!("nowhere");
        blobs.extend([json!(1), Value::Null, json!({ "properties": 5, "metadata": [1] })]);
    });
    change(&from.0, "table", "devstoreaccount1$People", |entities| {
        entities[0]["properties"]["l"] = json!("no number");
        entities.push(json!({}));
    });
    change(&from.0, "queue", "$MESSAGES_COLLECTION$", |messages| {
        messages[0]["timeNextVisible"] = json!(-1);
        messages[1]["insertionTime"] = json!("yesterday");
        messages[2]["persistency"] = json!(null);
        messages.remove(3);
    });
    let imported = bring(&from.0, &to.0);
    let reported = imported.warnings.join("\n");
    for line in [
        "2 blobs (its bytes are not in the workspace), the first: /pictures/a/hello.txt",
        "1 blob (its length is not that of its bytes), the first: /pictures/empty",
        "1 blob (no such type of blob: Strange), the first: /pictures/blocks & more ü",
        "1 blob (refused: 404 ContainerNotFound), the first: /nowhere/log",
        "1 snapshot with a new timestamp (their blob was not imported), the first: /pictures/a/hello.txt",
        "1 entity (it has no properties), the first: People",
        "1 entity (refused: 400",
        "2 messages (one of its times cannot be read), the first: jobs",
        "1 message (its text is not in the workspace), the first: jobs",
    ] {
        assert!(reported.contains(&format!("not imported: {line}")), "{line}\n{reported}");
    }
    let server = TestServer::with(&["--location", to.path()]).await;
    for blob in ["a/hello.txt", "pages"] {
        assert_eq!(server.request("GET", &format!("/pictures/{blob}")).send().await.verdict(), "404 BlobNotFound", "{blob}");
    }
}

/// Bytes with another MD5 than the recorded one are imported with a warning: the MD5 may be one that a client set.
#[tokio::test]
async fn bytes_with_another_md5_are_imported_with_a_warning() {
    let (from, to) = (Scratch::new("azurite"), Scratch::new("imported"));
    copy(&from.0);
    let other = json!({ "type": "Buffer", "data": [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7] });
    change(&from.0, "blob", "$BLOBS_COLLECTION$", |blobs| {
        for blob in blobs.iter_mut().filter(|blob| blob["snapshot"] == "") {
            blob["properties"]["contentMD5"] = match blob["name"].as_str().unwrap() {
                "pages" => {
                    let whole = [vec![0; 512], vec![b'p'; 512], vec![0; 1024]].concat();
                    json!({ "type": "Buffer", "data": <md5::Md5 as md5::Digest>::digest(whole).to_vec() })
                }
                _ => other.clone(),
            };
        }
    });
    let imported = bring(&from.0, &to.0);
    assert!(imported.summary.starts_with("5 blobs, "), "{}", imported.summary);
    let reported: Vec<_> = imported.warnings.iter().filter(|line| line.contains("MD5")).collect();
    let line = "warning, imported: 4 blobs (its MD5 is not the one that Azurite recorded), the first: /pictures/";
    assert!(reported.len() == 1 && reported[0].starts_with(line), "{reported:?}");
    let server = TestServer::with(&["--location", to.path()]).await;
    let blob = get(&server, "/pictures/a/hello.txt").await;
    assert_eq!((blob.text(), blob.header("content-md5")), ("hello world", "BwcHBwcHBwcHBwcHBwcHBw=="));
}

/// A pipe among the contents is not read, and a link is not followed.
#[cfg(unix)]
#[tokio::test]
async fn extents_that_are_not_files_are_reported() {
    for link in [false, true] {
        let (from, to) = (Scratch::new("azurite"), Scratch::new("imported"));
        copy(&from.0);
        for folder in ["__blobstorage__", "__queuestorage__"] {
            for entry in std::fs::read_dir(from.0.join(folder)).unwrap().map(Result::unwrap) {
                std::fs::remove_file(entry.path()).unwrap();
                if link {
                    std::os::unix::fs::symlink("/etc/passwd", entry.path()).unwrap();
                } else {
                    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                    rustix::fs::mkfifoat(rustix::fs::CWD, entry.path(), mode).unwrap();
                }
            }
        }
        let reported = bring(&from.0, &to.0).warnings.join("\n");
        for what in ["blobs", "uncommitted block", "messages"] {
            let named =
                |line: &&str| line.contains(what) && line.contains("storage__/") && line.contains(" is not a regular file)");
            assert!(reported.lines().any(|line| named(&line)), "{what}: {reported}");
        }
    }
}

/// The archive tier is set last, because no write can follow it.
#[tokio::test]
async fn archived_blobs_are_imported() {
    let (from, to) = (Scratch::new("azurite"), Scratch::new("imported"));
    copy(&from.0);
    change(&from.0, "blob", "$BLOBS_COLLECTION$", |blobs| {
        for blob in blobs.iter_mut().filter(|blob| blob["properties"]["blobType"] == "BlockBlob" && blob["isCommitted"] == true) {
            blob["properties"]["accessTier"] = json!("Archive");
            blob["properties"]["accessTierInferred"] = json!(false);
            if blob["name"] == "empty" {
                blob["properties"]["archiveStatus"] = json!("rehydrate-pending-to-cool");
            }
        }
    });
    let imported = bring(&from.0, &to.0);
    assert!(imported.summary.contains("5 blobs, ") && imported.summary.contains("1 snapshot with "), "{}", imported.summary);
    assert!(!imported.warnings.join("\n").contains("blob"), "{:?}", imported.warnings);
    let server = TestServer::with(&["--location", to.path()]).await;
    let listed = get(&server, "/pictures?restype=container&comp=list&include=snapshots,metadata").await;
    assert_eq!(listed.elements("AccessTier"), ["Archive"; 4], "{}", listed.text());
    let moment = listed.element("Snapshot");
    for target in ["/pictures/a/hello.txt", &format!("/pictures/a/hello.txt?snapshot={moment}")] {
        assert_eq!(server.request("GET", target).send().await.verdict(), "409 BlobArchived", "{target}");
        let head = server.request("HEAD", target).send().await;
        assert_eq!((head.header("x-ms-access-tier"), head.header("x-ms-meta-color")), ("Archive", "blue"), "{target}");
    }
    let head = server.request("HEAD", "/pictures/a/hello.txt").send().await;
    assert_eq!((head.header("content-md5"), head.header("x-ms-tag-count")), ("XrY7u+Ae7tCTyyK7j1rNww==", "1"));
    let head = server.request("HEAD", "/pictures/empty").send().await;
    assert_eq!(head.header("x-ms-archive-status"), "rehydrate-pending-to-cool");
    // Uncommitted blocks of an archived blob are imported too.
    let blocks = get(&server, "/pictures/blocks%20%26%20more%20%C3%BC?comp=blocklist&blocklisttype=uncommitted").await;
    assert_eq!(blocks.elements("Name"), ["YjM="]);
}

/// Each property is imported by itself: one that a service refuses does not prevent the others.
#[tokio::test]
async fn properties_of_services_are_imported() {
    let (from, to) = (Scratch::new("azurite"), Scratch::new("imported"));
    copy(&from.0);
    let rule = json!({ "allowedOrigins": "https://a.example,https://b.example", "allowedMethods": "GET,PUT", "allowedHeaders": "x-ms-*",
        "exposedHeaders": "*", "maxAgeInSeconds": 60 });
    let off = json!({ "enabled": false });
    let week = json!({ "enabled": true, "days": 7 });
    let logging = json!({ "version": "1.0", "deleteProperty": true, "read": false, "write": true, "retentionPolicy": week });
    let metrics = json!({ "version": "1.0", "enabled": true, "includeAPIs": true, "retentionPolicy": off });
    change(&from.0, "blob", "$SERVICES_COLLECTION$", |services| {
        *services = vec![
            json!({ "accountName": "devstoreaccount1", "cors": [rule, rule], "logging": logging, "hourMetrics": metrics,
                "minuteMetrics": { "version": "1.0", "enabled": false, "retentionPolicy": off }, "defaultServiceVersion": "2020-10-02",
                "deleteRetentionPolicy": week,
                "staticWebsite": { "enabled": true, "indexDocument": "index.html", "errorDocument404Path": "a&b.html" } }),
            json!({ "accountName": "other", "cors": [{ "allowedOrigins": "*", "allowedMethods": "FLY" }], "defaultServiceVersion": "2020-10-02" }),
        ];
    });
    for (database, collection) in [("queue", "$SERVICES_COLLECTION$"), ("table", "$SERVICES_COLLECTION$")] {
        change(&from.0, database, collection, |services| {
            services.push(json!({ "accountName": "devstoreaccount1", "cors": [rule] }));
        });
    }
    let imported = bring(&from.0, &to.0);
    for counted in ["8 properties of the Blob service", "1 property of the Queue service", "1 property of the Table service"] {
        assert!(imported.summary.contains(counted), "{}", imported.summary);
    }
    assert!(
        imported
            .warnings
            .iter()
            .any(|line| line.contains("1 property of the Blob service (refused: 400") && line.contains("other: Cors"))
    );

    let server = TestServer::with(&["--location", to.path(), "--account", "devstoreaccount1", "--account", "other"]).await;
    let properties = get(&server, "/?restype=service&comp=properties").await;
    for (element, values) in [
        ("AllowedOrigins", &["https://a.example,https://b.example"; 2][..]),
        ("AllowedHeaders", &["x-ms-*"; 2]),
        ("MaxAgeInSeconds", &["60"; 2]),
        ("Delete", &["true"]),
        ("IncludeAPIs", &["true"]),
        ("DefaultServiceVersion", &["2020-10-02"]),
        ("Days", &["7", "7"]),
        ("IndexDocument", &["index.html"]),
        ("ErrorDocument404Path", &["a&amp;b.html"]),
    ] {
        assert_eq!(properties.elements(element), values, "{element}: {}", properties.text());
    }
    for kind in [ServiceKind::Queue, ServiceKind::Table] {
        let answer = server.request("GET", "/?restype=service&comp=properties").of(kind).send().await;
        assert_eq!(answer.elements("AllowedMethods"), ["GET,PUT"], "{kind:?}: {}", answer.text());
    }
}

/// A start in Azurite's folder is refused with the two commands to run, and they work.
#[test]
fn azurites_folder_names_the_import() {
    let program = Path::new(env!("CARGO_BIN_EXE_lazuli"));
    let from = Scratch::new("azurite's");
    copy(&from.0);
    let (code, _, said) = run(program, &["-l", from.path(), "--blob-port", "0"]);
    assert_eq!((code, said.lines().count()), (2, 1), "{said}");
    assert!(said.contains("the folder contains Azurite's data. Stop Azurite, run lazuli import --from-azurite '"), "{said}");
    let command = said.split("Stop Azurite, run ").nth(1).unwrap().split(", and start with --location ").next().unwrap();
    let script = format!("{} {}", program.display(), command.strip_prefix("lazuli ").unwrap());
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("5 blobs"), "{output:?}");
    let to = PathBuf::from(format!("{}-lazuli", from.path()));
    assert!(to.join("lazuli").is_file());
    let (_, _, again) = run(program, &["-l", from.path(), "--blob-port", "0"]);
    assert_eq!(again, said, "the workspace is as it was");
    // The data of an earlier import in the workspace does not hide the workspace.
    std::fs::rename(&to, from.0.join("lazuli")).unwrap();
    for variables in [&[][..], &[("LAZULI_USER", "owner")]] {
        let mut start = command_of(program, &["-l", from.path(), "--blob-port", "0"]);
        let output = start.envs(variables.iter().copied()).output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), said, "{variables:?}");
    }
}

#[tokio::test]
async fn entities_without_a_table_are_reported() {
    let (from, to) = (Scratch::new("azurite"), Scratch::new("imported"));
    copy(&from.0);
    change(&from.0, "table", "$TABLES_COLLECTION$", |tables| tables.retain(|table| table["table"] != "People"));
    let reported = bring(&from.0, &to.0).warnings.join("\n");
    assert!(
        reported.contains("entities (their table is not in the list of tables), the first: devstoreaccount1$People"),
        "{reported}"
    );
}

/// The import fails with one line and exit code 2, and the location is unchanged.
#[test]
fn a_folder_that_is_not_a_workspace_is_refused() {
    let program = Path::new(env!("CARGO_BIN_EXE_lazuli"));
    let (from, to) = (Scratch::new("azurite"), Scratch::new("imported"));
    let refused = |arguments: &[&str], why: &str| {
        let (code, _, said) = run(program, arguments);
        assert_eq!((code, said.lines().count()), (2, 1), "{said}");
        assert!(said.contains(why), "{said}");
        assert!(!Path::new(&format!("{}.importing", to.path())).exists());
    };
    let import = ["import", "--from-azurite", from.path(), "--location", to.path()];
    refused(&import[..3], "import needs --from-azurite DIR and --location DIR");
    refused(&import[1..], "--from-azurite goes with import");
    refused(&import, &format!("--from-azurite {} cannot be read: No such file or directory", from.path()));
    std::fs::create_dir_all(&from.0).unwrap();
    refused(&import, "is not an Azurite workspace");
    for (text, why) in [
        ("", "not JSON"),
        ("{\"collections\"", "not JSON"),
        ("[]", "not a database of Azurite's"),
        ("{\"collections\":[{\"name\":5,\"data\":[]}]}", "not a database of Azurite's"),
        ("{\"collections\":[{\"name\":\"x\"}]}", "not a database of Azurite's"),
    ] {
        std::fs::write(from.0.join("__azurite_db_table__.json"), text).unwrap();
        refused(&import, why);
        assert!(!to.0.exists(), "{text}");
    }
    // An empty workspace, as Azurite leaves it after a start and a stop.
    std::fs::write(from.0.join("__azurite_db_table__.json"), r#"{"collections":[{"name":"$TABLES_COLLECTION$","data":[]}]}"#)
        .unwrap();
    refused(&import, "it has no containers, queues or tables");
    assert!(!to.0.exists());
    std::fs::remove_dir_all(&from.0).unwrap();
    copy(&from.0);
    std::fs::create_dir_all(&to.0).unwrap();
    std::fs::write(to.0.join("mine"), "mine").unwrap();
    refused(&import, "the folder is not empty; choose an empty or new one");
    assert_eq!(std::fs::read_to_string(to.0.join("mine")).unwrap(), "mine");
    std::fs::remove_file(to.0.join("mine")).unwrap();
    let (code, said, reported) = run(program, &import);
    assert_eq!(code, 1, "an expired message stays behind: {reported}");
    assert!(said.starts_with(&format!("Imported into {}: 5 blobs, 2 containers", to.path())), "{said}");
    refused(&import, "the folder is not empty; choose an empty or new one");
}
