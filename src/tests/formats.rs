//! Data that an earlier version wrote: every later version opens it.
//!
//! `tests/data/formats/N` is a folder that a server wrote, with records of every kind in format N, and the answers of that server.
//! `UPDATE_FORMATS=1 cargo test --lib formats` writes the folder of the current format if it does not exist. Existing folders
//! are not changed. `tests/data/formats/lake-N` is the same for accounts with a hierarchical namespace.

use crate::operation::ServiceKind;
use crate::progress::Progress;
use crate::tests::support::scenario::check_of;
use crate::tests::support::scratch::Scratch;
use crate::tests::support::server::{TestServer, VERSION};
use crate::tests::support::time::Timestamp;
use std::path::PathBuf;

/// By how many seconds the clock is moved while the newest format is written: less than the skew that signatures may have.
const LATER: u64 = 60;
/// The newest format.
const NEWEST: u32 = 2;
const ACCOUNT: &str =
    "--account=devstoreaccount1,versioning,immutability,access-tracking,container-retention=365,share-retention=365";

/// The newest format of hierarchical namespaces.
const NEWEST_LAKE: &str = "lake-1";
const LAKE: [&str; 2] = ["--account=devstoreaccount1,hns", "--dfs-port=0"];

fn folder(form: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/formats")).join(form)
}

/// The requests to a server that has opened the folder of a hierarchical namespace. The last ones change what they read.
const LAKE_TARGETS: &[(ServiceKind, &str)] = &[
    (ServiceKind::Blob, "/?restype=service&comp=properties"),
    (ServiceKind::DataLake, "/?resource=account"),
    (ServiceKind::DataLake, "HEAD /box?resource=filesystem"),
    (ServiceKind::DataLake, "/box?resource=filesystem&recursive=true"),
    (ServiceKind::DataLake, "HEAD /box/?action=getAccessControl"),
    (ServiceKind::DataLake, "HEAD /box/dir"),
    (ServiceKind::DataLake, "HEAD /box/dir?action=getAccessControl"),
    (ServiceKind::DataLake, "HEAD /box/dir/sub/file"),
    (ServiceKind::DataLake, "HEAD /box/dir/sub/file?action=getAccessControl"),
    (ServiceKind::DataLake, "/box/dir/sub/file"),
    (ServiceKind::DataLake, "HEAD /box/moved"),
    (ServiceKind::DataLake, "/box/moved/large"),
    (ServiceKind::DataLake, "HEAD /box/leased"),
    (ServiceKind::DataLake, "HEAD /box/expires"),
    (ServiceKind::DataLake, "/box/log"),
    (ServiceKind::Blob, "/box/blocks?comp=blocklist&blocklisttype=all"),
    (ServiceKind::Blob, "/box/dir/new?comp=blocklist&blocklisttype=all"),
    (ServiceKind::Blob, "/box?restype=container&comp=list&include=metadata,uncommittedblobs"),
    (ServiceKind::Blob, "/box?restype=container&comp=list&showonly=deleted"),
    (ServiceKind::DataLake, "PATCH /box/appended?action=flush&position=1803"),
    (ServiceKind::DataLake, "/box/appended"),
    (ServiceKind::Blob, "PUT /box/deleted?comp=undelete"),
    (ServiceKind::DataLake, "/box/deleted/below/file"),
    // A new directory has an id of its own.
    (ServiceKind::DataLake, "PUT /box/new?resource=directory"),
    (ServiceKind::DataLake, "/box?resource=filesystem&recursive=true&directory=new"),
];

/// The headers of Data Lake that are compared.
const LAKE_HEADERS: [&str; 11] = [
    "x-ms-resource-type",
    "x-ms-owner",
    "x-ms-group",
    "x-ms-permissions",
    "x-ms-acl",
    "x-ms-properties",
    "x-ms-lease-state",
    "x-ms-expiry-time",
    "x-ms-encryption-context",
    "x-ms-creation-time",
    "content-type",
];

/// The requests to a server that has opened the folder.
const TARGETS: &[(ServiceKind, &str)] = &[
    (ServiceKind::Blob, "/?restype=service&comp=properties"),
    (ServiceKind::Blob, "/?comp=list&include=metadata"),
    (ServiceKind::Blob, "/box?restype=container&comp=acl"),
    (
        ServiceKind::Blob,
        "/box?restype=container&comp=list&include=metadata,snapshots,versions,tags,copy,immutabilitypolicy,legalhold",
    ),
    (ServiceKind::Blob, "/box/small"),
    (ServiceKind::Blob, "/box/large"),
    (ServiceKind::Blob, "/box/blocks?comp=blocklist"),
    (ServiceKind::Blob, "/box/copied"),
    (ServiceKind::Blob, "/box/log"),
    (ServiceKind::Blob, "/box/pages"),
    (ServiceKind::Blob, "/box/pages?comp=pagelist"),
    (ServiceKind::Queue, "/?comp=list&include=metadata"),
    (ServiceKind::Queue, "/work/messages?peekonly=true"),
    (ServiceKind::Queue, "/work?comp=acl"),
    (ServiceKind::Table, "/Tables"),
    (ServiceKind::Table, "/People()"),
    (ServiceKind::Table, "/People?comp=acl"),
    (ServiceKind::File, "/?restype=service&comp=properties"),
    (ServiceKind::File, "/?comp=list&include=metadata,snapshots"),
    (ServiceKind::File, "/shr?restype=share&comp=acl"),
    (ServiceKind::File, "/shr/dir?restype=directory&comp=list&include=Timestamps,ETag,Attributes,PermissionKey"),
    (ServiceKind::File, "/shr/dir/File"),
    (ServiceKind::File, "/shr/dir/File?comp=rangelist"),
    (ServiceKind::File, "/shr/dir/Copied"),
    (ServiceKind::Blob, "/box?restype=container&comp=list&include=versions,deletedwithversions,uncommittedblobs"),
];

async fn answers(server: &TestServer, targets: &[(ServiceKind, &str)]) -> String {
    let mut all = String::new();
    for (kind, target) in targets {
        let (method, path) = target.split_once(' ').unwrap_or(("GET", target));
        let request = server.request(method, path).of(*kind).header("x-ms-date", server.now().rfc1123());
        let version = if path.ends_with("showonly=deleted") { "2021-06-08" } else { VERSION };
        let got = request.header("x-ms-version", version).send().await;
        let text = String::from_utf8_lossy(&got.body).replace('\0', "·");
        all += &format!("{kind:?} {target} → {}\n", got.verdict());
        for (name, value) in &got.headers {
            if name.as_str().starts_with("x-ms-copy-") || name == "x-ms-last-access-time" {
                all += &format!("{name}: {}\n", value.to_str().unwrap());
            }
        }
        for name in LAKE_HEADERS.into_iter().filter(|name| *kind == ServiceKind::DataLake && !got.header(name).is_empty()) {
            all += &format!("{name}: {}\n", got.header(name));
        }
        all += &format!("{text}\n");
    }
    // The addresses of servers, including the one that wrote the data.
    let mut parts = all.split("127.0.0.1:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, part| before + "HOST" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// The elements that depend on the day of the test. The time of the last access is that of this test from the second day on.
const CHANGING: [&str; 2] = ["LastAccessTime", "RemainingRetentionDays"];

/// The answers without what depends on the day of the test.
fn without_changing(answers: &str) -> String {
    let mut text = String::new();
    for line in answers.lines().filter(|line| !line.starts_with("x-ms-last-access-time: ")) {
        text += &CHANGING.iter().fold(line.to_owned(), |line, name| without_element(&line, name));
        text.push('\n');
    }
    text
}

fn without_element(line: &str, name: &str) -> String {
    let (begin, end) = (format!("<{name}>"), format!("</{name}>"));
    let mut parts = line.split(&begin);
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |before, part| before + part.split_once(&end).unwrap().1)
}

/// Compares answers with the expected ones, line by line.
fn check(found: &str, wanted: &str, when: &str) {
    let (found, wanted) = (without_changing(found), without_changing(wanted));
    for (answer, wanted) in found.lines().zip(wanted.lines()) {
        assert_eq!(answer, wanted, "{when}");
    }
    assert_eq!(found.len(), wanted.len(), "{when}");
}

/// Opens a folder, as it is and rewritten by this version, and compares the answers.
async fn check_folder(form: &str, arguments: &[&str], targets: &[(ServiceKind, &str)]) {
    let wanted = std::fs::read_to_string(folder(form).join("answers.txt")).unwrap();
    // At the time at which the data was written: a read on another day is stored as an access.
    let written = written(&wanted);
    let place = copy_of(form);
    let server = TestServer::at(&[&["--location", place.path()], arguments].concat(), written).await;
    server.wait(LATER);
    check(&answers(&server, targets).await, &wanted, &format!("form {form}"));
    // In another folder, because a read is stored as an access.
    let place = copy_of(form);
    let mut server = TestServer::at(&[&["--location", place.path()], arguments].concat(), written).await;
    server.emulator.store().disk().unwrap().log().snapshot();
    server.wait(LATER);
    server.restart().await;
    check(&answers(&server, targets).await, &wanted, &format!("form {form}, rewritten"));
    server.restart_with(&[]).await;
    assert_eq!(crate::check::check(&place.0, &Progress::default()).wrong, Vec::<String>::new(), "form {form}");
}

#[tokio::test]
async fn every_released_format_opens() {
    if std::env::var_os("UPDATE_FORMATS").is_some() && !folder(&NEWEST.to_string()).exists() {
        write_newest().await;
    }
    for form in 1..=NEWEST {
        check_folder(&form.to_string(), &[ACCOUNT], TARGETS).await;
    }
}

#[tokio::test]
async fn every_format_of_hierarchical_namespaces_opens() {
    if std::env::var_os("UPDATE_FORMATS").is_some() && !folder(NEWEST_LAKE).exists() {
        write_newest_lake().await;
    }
    check_folder(NEWEST_LAKE, &LAKE, LAKE_TARGETS).await;
}

/// When the data of these answers was written: the first of their times.
fn written(answers: &str) -> Timestamp {
    let times = answers.split("<Last-Modified>").skip(1).map(|rest| rest.split('<').next().unwrap());
    times.map(|time| Timestamp::parse_http(time).unwrap()).min().unwrap()
}

fn copy_of(form: &str) -> Scratch {
    let place = Scratch::new("format");
    std::fs::create_dir_all(&place.0).unwrap();
    for entry in std::fs::read_dir(folder(form)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "answers.txt" {
            std::fs::copy(entry.path(), place.0.join(entry.file_name())).unwrap();
        }
    }
    place
}

async fn write_newest() {
    let place = folder(&NEWEST.to_string());
    let mut server = TestServer::with(&["--location", place.to_str().unwrap(), ACCOUNT]).await;
    check_of(
        &server,
        ServiceKind::Blob,
        "PUT /box?restype=container | x-ms-meta-Colour: blue; x-ms-blob-public-access: blob → 201
         PUT /box/small | x-ms-blob-type: BlockBlob; x-ms-meta-one: 1; x-ms-tags: k=v; x-ms-access-tier: Cool; content-type: text/plain | small → 201
         PUT /box/small?comp=snapshot | x-ms-meta-of: snapshot → 201
         PUT /box/small?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /box/blocks?comp=block&blockid=QQ== | | committed  → 201
         PUT /box/blocks?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
         PUT /box/blocks?comp=block&blockid=Qg== | | waiting → 201
         PUT /box/waiting?comp=block&blockid=QQ== | | waiting → 201
         PUT /box/waiting?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /box/deleted | x-ms-blob-type: BlockBlob | deleted → 201
         DELETE /box/deleted → 202
         PUT /box/log | x-ms-blob-type: AppendBlob → 201
         PUT /box/log?comp=appendblock | | one line → 201
         PUT /box/log?comp=appendblock | | and another → 201
         PUT /gone?restype=container → 201
         DELETE /gone?restype=container → 202",
    )
    .await;
    server.blob("/box/large", "large ".repeat(300)).await;
    // The copy below and a reader access the blobs later.
    server.wait(LATER);
    for (method, target, headers, body) in [
        ("PUT", "/box/held", &[("x-ms-blob-type", "BlockBlob"), ("x-ms-legal-hold", "true")][..], "held".to_owned()),
        ("PUT", "/box/pages", &[("x-ms-blob-type", "PageBlob"), ("x-ms-blob-content-length", "4096")], String::new()),
        ("PUT", "/box/pages?comp=page", &[("x-ms-page-write", "update"), ("x-ms-range", "bytes=512-1023")], "p".repeat(512)),
        ("PUT", "/box/pages?comp=snapshot", &[], String::new()),
        ("PUT", "/box/pages?comp=page", &[("x-ms-page-write", "clear"), ("x-ms-range", "bytes=1024-1535")], String::new()),
        ("PUT", "/box/copied", &[("x-ms-copy-source", &*format!("{}/box/large", server.blob_url()))], String::new()),
        (
            "PUT",
            "/?restype=service&comp=properties",
            &[],
            "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>http://a.example</AllowedOrigins><AllowedMethods>GET</AllowedMethods>\
             <MaxAgeInSeconds>60</MaxAgeInSeconds><ExposedHeaders>x-ms-*</ExposedHeaders><AllowedHeaders>*</AllowedHeaders></CorsRule></Cors>\
             <DefaultServiceVersion>2020-10-02</DefaultServiceVersion></StorageServiceProperties>"
                .to_owned(),
        ),
    ] {
        let done = server.request(method, target).headers(headers).body(body).send().await;
        assert!(done.status < 300, "{target}: {}", done.text());
    }
    // Everything so far goes to a snapshot, the rest to a log.
    server.emulator.store().disk().unwrap().log().snapshot();
    while !place.join("snapshot-00000002").exists() {
        tokio::task::yield_now().await;
    }
    let policies = "<SignedIdentifiers><SignedIdentifier><Id>one</Id><AccessPolicy><Expiry>2090-01-01T00:00:00Z</Expiry>\
        <Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";
    let entity = r#"{"PartitionKey":"p","RowKey":"r","text":"t","number":7,"big@odata.type":"Edm.Int64","big":"8","half":0.5,"yes":true,
        "when@odata.type":"Edm.DateTime","when":"2024-01-01T00:00:00Z","id@odata.type":"Edm.Guid",
        "id":"c9da6455-213d-42c9-9a79-3e9149a57833","raw@odata.type":"Edm.Binary","raw":"AQID"}"#;
    let message = "<QueueMessage><MessageText>for ever</MessageText></QueueMessage>";
    let bytes: &[(&str, &str)] = &[("x-ms-write", "update"), ("x-ms-range", "bytes=1024-1028")];
    let file: &[(&str, &str)] = &[("x-ms-type", "file"), ("x-ms-content-length", "4096"), ("x-ms-meta-one", "1")];
    for (kind, method, target, headers, body) in [
        (ServiceKind::Blob, "PUT", "/box?restype=container&comp=acl", &[("x-ms-blob-public-access", "blob")][..], policies),
        (ServiceKind::Blob, "GET", "/box/small", &[], ""),
        (ServiceKind::Queue, "PUT", "/work", &[("x-ms-meta-colour", "red")], ""),
        (ServiceKind::Queue, "POST", "/work/messages?messagettl=-1", &[], message),
        (ServiceKind::Queue, "PUT", "/work?comp=acl", &[], policies),
        (ServiceKind::Table, "POST", "/Tables", &[], r#"{"TableName":"People"}"#),
        (ServiceKind::Table, "POST", "/People", &[], entity),
        (ServiceKind::Table, "PUT", "/People?comp=acl", &[], policies),
        (ServiceKind::File, "PUT", "/shr?restype=share", &[("x-ms-meta-colour", "red"), ("x-ms-share-quota", "7")], ""),
        (ServiceKind::File, "PUT", "/shr/dir?restype=directory", &[], ""),
        (ServiceKind::File, "PUT", "/shr/dir/File", file, ""),
        (ServiceKind::File, "PUT", "/shr/dir/File?comp=range", bytes, "bytes"),
        (ServiceKind::File, "PUT", "/shr/dir/Copied", &[("x-ms-copy-source", "/devstoreaccount1/shr/dir/File")], ""),
        (ServiceKind::File, "PUT", "/shr?restype=share&comp=snapshot", &[], ""),
        (ServiceKind::File, "PUT", "/shr/dir/File?comp=range", &[("x-ms-write", "clear"), ("x-ms-range", "bytes=0-511")], ""),
        (ServiceKind::File, "PUT", "/shr?restype=share&comp=acl", &[], policies),
        (ServiceKind::File, "PUT", "/old?restype=share", &[], ""),
        (ServiceKind::File, "DELETE", "/old?restype=share", &[], ""),
    ] {
        let done = server.request(method, target).of(kind).headers(headers).body(body).send().await;
        assert!(done.status < 300, "{kind:?} {target}: {}", done.text());
    }
    // A read is stored as an access too, and the first one counts.
    answers(&server, TARGETS).await;
    std::fs::write(place.join("answers.txt"), answers(&server, TARGETS).await).unwrap();
    server.restart_with(&[]).await;
}

async fn write_newest_lake() {
    let place = folder(NEWEST_LAKE);
    let mut server = TestServer::with(&[&["--location", place.to_str().unwrap()], &LAKE[..]].concat()).await;
    // So that appends, blocks and deletions, which end after days, exist for as long as anybody runs this.
    server.wait(50 * 365 * 24 * 60 * 60);
    let retention = "<StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>365</Days>\
        </DeleteRetentionPolicy></StorageServiceProperties>";
    let set = server.request("PUT", "/?restype=service&comp=properties").body(retention).send().await;
    assert_eq!(set.verdict(), "202");
    check_of(
        &server,
        ServiceKind::DataLake,
        "PUT /box?resource=filesystem | x-ms-properties: colour=Ymx1ZQ== → 201
         PUT /box/dir?resource=directory | x-ms-owner: ann; x-ms-group: friends; x-ms-permissions: 1755; x-ms-umask: 0000 → 201
         PATCH /box/dir?action=setAccessControl | x-ms-acl: user::rwx,user:bob:rw-,group::r-x,group:team:r--,mask::rwx,other::--x,default:user::rwx,default:user:eve:r-x,default:group::r--,default:mask::r-x,default:other::--- → 200
         PUT /box/dir/sub/file?resource=file | x-ms-encryption-context: context; x-ms-properties: k=dg==; x-ms-content-type: text/plain → 201
         PATCH /box/dir/sub/file?action=append&position=0&flush=true | | small → 202
         PUT /box/before/below?resource=directory → 201
         PUT /box/moved?mode=legacy | x-ms-rename-source: /box/before → 201
         PUT /box/moved/large?resource=file → 201
         PUT /box/leased?resource=file → 201
         POST /box/leased | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /box/expires?resource=file | x-ms-expiry-option: Absolute; x-ms-expiry-time: Fri, 01 Jan 2100 00:00:00 GMT → 201
         PUT /box/deleted/below/file?resource=file → 201
         PATCH /box/deleted/below/file?action=append&position=0&flush=true | | deleted → 202",
    )
    .await;
    let large = server.request("PATCH", "/box/moved/large?action=append&position=0&flush=true").of(ServiceKind::DataLake);
    assert_eq!(large.body("large ".repeat(300)).send().await.verdict(), "202");
    // A directory is replaced whose files have expired: the next writes remove a few of them at a time.
    for number in 0..60 {
        let target = format!("/box/replaced/{number}?resource=file");
        let file = server.request("PUT", &target).of(ServiceKind::DataLake).header("x-ms-expiry-option", "RelativeToNow");
        assert_eq!(file.header("x-ms-expiry-time", 1000).send().await.verdict(), "201");
    }
    // Everything so far goes to a snapshot, the rest to a log.
    server.emulator.store().disk().unwrap().log().snapshot();
    while !place.join("snapshot-00000002").exists() {
        tokio::task::yield_now().await;
    }
    check_of(
        &server,
        ServiceKind::DataLake,
        "PUT /box/appended?resource=file → 201
         PATCH /box/appended?action=append&position=1800 | | end → 202
         DELETE /box/deleted?recursive=true → 200 | x-ms-deletion-id: +",
    )
    .await;
    let large = server.request("PATCH", "/box/appended?action=append&position=0").of(ServiceKind::DataLake);
    assert_eq!(large.body("waits ".repeat(300)).send().await.verdict(), "202");
    check_of(
        &server,
        ServiceKind::Blob,
        "PUT /box/blocks?comp=block&blockid=QQ== | | committed → 201
         PUT /box/blocks?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
         PUT /box/blocks?comp=block&blockid=Qg== | | waiting → 201
         PUT /box/dir/new?comp=block&blockid=QQ== | | waiting → 201
         PUT /box/log | x-ms-blob-type: AppendBlob → 201
         PUT /box/log?comp=appendblock | | one line → 201",
    )
    .await;
    server.wait(2);
    check_of(&server, ServiceKind::DataLake, "PUT /box/replaced?mode=legacy | x-ms-rename-source: /box/moved/below → 201").await;
    server.restart_with(&[]).await;
    // Some requests change what they read.
    let copy = copy_of(NEWEST_LAKE);
    let server = TestServer::with(&[&["--location", copy.path()], &LAKE[..]].concat()).await;
    server.wait(LATER);
    std::fs::write(place.join("answers.txt"), answers(&server, LAKE_TARGETS).await).unwrap();
}
