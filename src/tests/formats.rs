//! Data that an earlier version wrote: every later version opens it.
//!
//! `tests/data/formats/N` is a folder that a server wrote, with records of every kind in format N, and the answers of that server.
//! `UPDATE_FORMATS=1 cargo test --lib formats` writes the folder of the current format if it does not exist. Existing folders
//! are not changed.

use crate::operation::ServiceKind;
use crate::tests::support::scenario::check_of;
use crate::tests::support::scratch::Scratch;
use crate::tests::support::server::TestServer;
use crate::tests::support::time::Timestamp;
use std::path::PathBuf;

/// By how many seconds the clock is moved while the newest format is written: less than the skew that signatures may have.
const LATER: u64 = 60;
/// The newest format.
const NEWEST: u32 = 2;
const ACCOUNT: &str =
    "--account=devstoreaccount1,versioning,immutability,access-tracking,container-retention=365,share-retention=365";

fn folder(form: u32) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/formats")).join(form.to_string())
}

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

async fn answers(server: &TestServer) -> String {
    let mut all = String::new();
    for (kind, target) in TARGETS {
        let date = server.now().rfc1123();
        let got = server.request("GET", target).of(*kind).header("x-ms-date", &date).send().await;
        let text = String::from_utf8_lossy(&got.body).replace('\0', "·");
        all += &format!("{kind:?} {target} → {}\n", got.verdict());
        for (name, value) in &got.headers {
            if name.as_str().starts_with("x-ms-copy-") || name == "x-ms-last-access-time" {
                all += &format!("{name}: {}\n", value.to_str().unwrap());
            }
        }
        all += &format!("{text}\n");
    }
    // The addresses of servers, including the one that wrote the data.
    let mut parts = all.split("127.0.0.1:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, part| before + "HOST" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// Compares answers with the expected ones, line by line.
fn check(found: &str, wanted: &str, when: &str) {
    for (answer, wanted) in found.lines().zip(wanted.lines()) {
        assert_eq!(answer, wanted, "{when}");
    }
    assert_eq!(found.len(), wanted.len(), "{when}");
}

#[tokio::test]
async fn every_released_format_opens() {
    if std::env::var_os("UPDATE_FORMATS").is_some() && !folder(NEWEST).exists() {
        write_newest().await;
    }
    for form in 1..=NEWEST {
        let wanted = std::fs::read_to_string(folder(form).join("answers.txt")).unwrap();
        // At the time at which the data was written: a read on another day is stored as an access.
        let written = written(&wanted);
        let place = copy_of(form);
        let server = TestServer::at(&["--location", place.path(), ACCOUNT], written).await;
        server.wait(LATER);
        check(&answers(&server).await, &wanted, &format!("form {form}"));
        // And rewritten by this version, in another folder, because a read is stored as an access.
        let place = copy_of(form);
        let mut server = TestServer::at(&["--location", place.path(), ACCOUNT], written).await;
        server.emulator.store().disk().unwrap().log().snapshot();
        server.wait(LATER);
        server.restart().await;
        check(&answers(&server).await, &wanted, &format!("form {form}, rewritten"));
    }
}

/// When the data of these answers was written: the first of their times.
fn written(answers: &str) -> Timestamp {
    let times = answers.split("<Last-Modified>").skip(1).map(|rest| rest.split('<').next().unwrap());
    times.map(|time| Timestamp::parse_http(time).unwrap()).min().unwrap()
}

fn copy_of(form: u32) -> Scratch {
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
    let place = folder(NEWEST);
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
    answers(&server).await;
    std::fs::write(place.join("answers.txt"), answers(&server).await).unwrap();
    server.restart_with(&[]).await;
}
