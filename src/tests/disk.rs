//! Data on disk, over a socket: what survives a restart, what is reclaimed, what is refused.

use crate::config::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use crate::operation::ServiceKind;
use crate::tests::support::scenario::check_of;
use crate::tests::support::scratch::Scratch;
use crate::tests::support::server::TestServer;
use crate::tests::support::wait::in_time;

/// A megabyte of different bytes.
fn megabyte(seed: u8) -> Vec<u8> {
    (0..1 << 20).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 13) as u8 ^ seed).collect()
}

#[tokio::test]
async fn every_kind_of_blob_survives_a_restart() {
    let place = Scratch::new("kinds");
    let mut server = TestServer::with(&["--location", place.path(), "--account", "devstoreaccount1,versioning"]).await;
    server.container("box").await;
    let block = [&megabyte(1)[..], &megabyte(2), b"tail"].concat();
    server.blob("/box/large", block.clone()).await;
    server.blob("/box/small", "small").await;
    let put = |path: &'static str, kind: &'static str| server.request("PUT", path).header("x-ms-blob-type", kind);
    assert_eq!(put("/box/log", "AppendBlob").send().await.verdict(), "201");
    for line in ["one ", "two "] {
        assert_eq!(server.request("PUT", "/box/log?comp=appendblock").body(line).send().await.verdict(), "201");
    }
    assert_eq!(put("/box/pages", "PageBlob").header("x-ms-blob-content-length", 1 << 20).send().await.verdict(), "201");
    for (range, byte) in [("bytes=0-511", b'a'), ("bytes=4096-8191", b'b')] {
        let length = if byte == b'a' { 512 } else { 4096 };
        let request =
            server.request("PUT", "/box/pages?comp=page").header("x-ms-page-write", "update").header("x-ms-range", range);
        assert_eq!(request.body(vec![byte; length]).send().await.verdict(), "201");
    }
    let said = server.request("PUT", "/box/small?comp=metadata").header("x-ms-meta-Colour", "blue").send().await;
    assert_eq!(said.verdict(), "200");
    let snapshot = server.request("PUT", "/box/pages?comp=snapshot").send().await.header("x-ms-snapshot").to_owned();
    server
        .request("PUT", "/box/pages?comp=page")
        .header("x-ms-page-write", "clear")
        .header("x-ms-range", "bytes=0-511")
        .send()
        .await;
    let tags = "<Tags><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tags>";
    assert_eq!(server.request("PUT", "/box/small?comp=tags").body(tags).send().await.verdict(), "204");
    assert_eq!(server.request("PUT", "/box/small?comp=tier").header("x-ms-access-tier", "Cool").send().await.verdict(), "200");
    let lease =
        server.request("PUT", "/box/small?comp=lease").header("x-ms-lease-action", "acquire").header("x-ms-lease-duration", -1);
    assert_eq!(lease.send().await.verdict(), "201");

    let paths =
        ["/box/large", "/box/small", "/box/log", "/box/pages", &format!("/box/pages?snapshot={snapshot}")].map(str::to_owned);
    let lists =
        ["/box?restype=container&comp=list&include=metadata,snapshots,versions,tags", "/box/pages?comp=pagelist", "/?comp=list"];
    let mut before = Vec::new();
    for round in 0..3 {
        let mut now = Vec::new();
        for path in paths.iter().map(String::as_str).chain(lists) {
            let got = server.request("GET", path).send().await;
            assert!(got.status == 200, "{path}: {}", got.verdict());
            let mut headers: Vec<_> = got.headers.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
            headers.retain(|line| !line.starts_with("x-ms-request-id") && !line.starts_with("date"));
            let url = server.blob_url();
            now.push((path.to_owned(), headers, String::from_utf8_lossy(&got.body).replace(&url, "")));
        }
        if round > 0 {
            assert!(now == before, "round {round}");
        }
        before = now;
        if round == 1 {
            server.emulator.store().disk().unwrap().log().snapshot();
        }
        server.restart().await;
    }
    assert_eq!(server.request("GET", "/box/large").send().await.body, block);
}

#[tokio::test]
async fn the_properties_of_an_account_and_its_containers_survive_a_restart() {
    let place = Scratch::new("said");
    let arguments = ["--location", place.path(), "--account", "devstoreaccount1,container-retention=7"];
    let mut server = TestServer::with(&arguments).await;
    let properties = "<StorageServiceProperties>\
        <Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>true</Write>\
        <RetentionPolicy><Enabled>true</Enabled><Days>5</Days></RetentionPolicy></Logging>\
        <Cors><CorsRule><AllowedOrigins>http://a.example</AllowedOrigins><AllowedMethods>GET,PUT</AllowedMethods>\
        <MaxAgeInSeconds>60</MaxAgeInSeconds><ExposedHeaders>x-ms-*</ExposedHeaders><AllowedHeaders>*</AllowedHeaders></CorsRule></Cors>\
        <DefaultServiceVersion>2020-10-02</DefaultServiceVersion>\
        <DeleteRetentionPolicy><Enabled>true</Enabled><Days>3</Days></DeleteRetentionPolicy>\
        <StaticWebsite><Enabled>true</Enabled><IndexDocument>index.html</IndexDocument></StaticWebsite></StorageServiceProperties>";
    let set = server.request("PUT", "/?restype=service&comp=properties").body(properties).send().await;
    assert_eq!(set.verdict(), "202", "{}", set.text());
    server.container("kept").await;
    server.container("gone").await;
    server.blob("/gone/blob", "brought back").await;
    let policies = "<SignedIdentifiers><SignedIdentifier><Id>one</Id><AccessPolicy><Expiry>2050-01-01T00:00:00Z</Expiry>\
        <Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";
    let acl = server.request("PUT", "/kept?restype=container&comp=acl").header("x-ms-blob-public-access", "blob");
    assert_eq!(acl.body(policies).send().await.verdict(), "200");
    assert_eq!(server.request("DELETE", "/gone?restype=container").send().await.verdict(), "202");
    let targets =
        ["/?restype=service&comp=properties", "/kept?restype=container&comp=acl", "/?comp=list&include=metadata,deleted,system"];
    let read_state = async |server: &TestServer| {
        let mut state = Vec::new();
        for target in targets {
            state.push(server.request("GET", target).send().await.text().replace(&server.blob_url(), ""));
        }
        state
    };
    let before = read_state(&server).await;
    server.restart().await;
    assert_eq!(read_state(&server).await, before);
    server.wait(60);
    let version = server.request("GET", "/?comp=list&include=deleted").send().await.element("Version").to_owned();
    let back = server.request("PUT", "/back?restype=container&comp=undelete");
    let back = back.header("x-ms-deleted-container-name", "gone").header("x-ms-deleted-container-version", version);
    assert_eq!(back.send().await.verdict(), "201");
    server.restart().await;
    assert_eq!(server.request("GET", "/back/blob").send().await.text(), "brought back");
}

#[tokio::test]
async fn every_service_survives_a_restart() {
    let place = Scratch::new("services");
    let mut server = TestServer::with(&["--location", place.path()]).await;
    check_of(
        &server,
        ServiceKind::Queue,
        "PUT /work | x-ms-meta-colour: blue → 201
         POST /work/messages | | <QueueMessage><MessageText>first</MessageText></QueueMessage> → 201
         POST /work/messages?visibilitytimeout=60 | | <QueueMessage><MessageText>later</MessageText></QueueMessage> → 201
         GET /work/messages → 200
         PUT /empty → 201
         POST /empty/messages | | <QueueMessage><MessageText>gone</MessageText></QueueMessage> → 201
         POST /empty/messages | | <QueueMessage><MessageText>gone</MessageText></QueueMessage> → 201
         DELETE /empty/messages → 204",
    )
    .await;
    let entity = r#"{"PartitionKey":"p","RowKey":"r","text":"t","number":7,"big@odata.type":"Edm.Int64","big":"8","half":0.5,"yes":true,
        "when@odata.type":"Edm.DateTime","when":"2024-01-01T00:00:00Z","id@odata.type":"Edm.Guid",
        "id":"c9da6455-213d-42c9-9a79-3e9149a57833","raw@odata.type":"Edm.Binary","raw":"AQID"}"#;
    for (method, target, body, verdict) in [
        ("POST", "/Tables", r#"{"TableName":"People"}"#, "201"),
        ("POST", "/People", entity, "201"),
        ("PUT", "/People(PartitionKey='p',RowKey='gone')", "{}", "204"),
        ("DELETE", "/People(PartitionKey='p',RowKey='gone')", "", "204"),
    ] {
        let request = server.request(method, target).of(ServiceKind::Table).body(body);
        let done = if method == "DELETE" { request.header("if-match", "*") } else { request }.send().await;
        assert_eq!(done.verdict(), verdict, "{target}: {}", done.text());
    }
    check_of(
        &server,
        ServiceKind::File,
        "PUT /shr?restype=share | x-ms-meta-colour: red → 201
         PUT /shr/dir?restype=directory → 201
         PUT /shr/dir/File | x-ms-type: file; x-ms-content-length: 4096; x-ms-meta-one: 1 → 201
         PUT /shr/dir/File?comp=range | x-ms-write: update; x-ms-range: bytes=1024-1028 | bytes → 201
         PUT /shr?restype=share&comp=snapshot → 201
         PUT /shr/dir/File?comp=range | x-ms-write: clear; x-ms-range: bytes=0-2047 → 201
         PUT /shr/dir/gone | x-ms-type: file; x-ms-content-length: 1 → 201
         DELETE /shr/dir/gone → 202",
    )
    .await;
    let snapshot =
        server.request("GET", "/?comp=list&include=snapshots").of(ServiceKind::File).send().await.element("Snapshot").to_owned();
    let targets = [
        (ServiceKind::Queue, "/?comp=list&include=metadata".to_owned()),
        (ServiceKind::Queue, "/work?comp=metadata".to_owned()),
        (ServiceKind::Queue, "/work/messages?peekonly=true".to_owned()),
        (ServiceKind::Queue, "/empty/messages?peekonly=true".to_owned()),
        (ServiceKind::Table, "/Tables".to_owned()),
        (ServiceKind::Table, "/People()".to_owned()),
        (ServiceKind::File, "/?comp=list&include=metadata,snapshots".to_owned()),
        (ServiceKind::File, "/shr/dir?restype=directory&comp=list&include=Timestamps,ETag,Attributes,PermissionKey".to_owned()),
        (ServiceKind::File, "/shr/dir/File".to_owned()),
        (ServiceKind::File, "/shr/dir/File?comp=rangelist".to_owned()),
        (ServiceKind::File, format!("/shr/dir/File?sharesnapshot={snapshot}")),
        (ServiceKind::File, format!("/shr/dir/File?comp=rangelist&prevsharesnapshot={snapshot}")),
    ];
    let mut before: Option<Vec<String>> = None;
    for round in 0..3 {
        let mut now = Vec::new();
        for (kind, target) in &targets {
            let got = server.request("GET", target).of(*kind).send().await;
            assert_eq!(got.status, 200, "{target}: {}", got.text());
            let mut headers: Vec<_> = got.headers.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
            headers.retain(|line| !line.starts_with("x-ms-request-id") && !line.starts_with("date"));
            let text = String::from_utf8_lossy(&got.body).replace(&server.host(*kind), "");
            now.push(format!("{target} {headers:?} {text}"));
        }
        if let Some(before) = &before {
            assert_eq!(before, &now, "round {round}");
        }
        before = Some(now);
        if round == 1 {
            server.emulator.store().disk().unwrap().log().snapshot();
        }
        server.restart().await;
    }
    server.wait(60);
    let taken = server.request("GET", "/work/messages?numofmessages=2").of(ServiceKind::Queue).send().await;
    assert_eq!(taken.elements("MessageText"), ["first", "later"]);
    assert_eq!(taken.elements("DequeueCount"), ["2", "1"]);
}

#[tokio::test]
async fn an_account_that_is_not_configured_for_a_while_loses_nothing() {
    let place = Scratch::new("accounts");
    let both = ["--location", place.path(), "--account", "one", "--account", "two"];
    let mut server = TestServer::with(&both).await;
    let made = server.request("PUT", "/box?restype=container").account("two", WELL_KNOWN_KEY).send().await;
    assert_eq!(made.verdict(), "201");
    let put = server.request("PUT", "/box/blob").account("two", WELL_KNOWN_KEY).header("x-ms-blob-type", "BlockBlob");
    assert_eq!(put.body(megabyte(1)).send().await.verdict(), "201");
    server.restart_with(&both[..4]).await;
    server.emulator.store().disk().unwrap().log().snapshot();
    let made = server.request("PUT", "/box?restype=container").account("one", WELL_KNOWN_KEY).send().await;
    assert_eq!(made.verdict(), "201");
    server.restart_with(&both).await;
    let found = server.request("GET", "/box/blob").account("two", WELL_KNOWN_KEY).send().await;
    assert!(found.status == 200 && found.body == megabyte(1), "{}", found.verdict());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_space_of_deleted_blobs_is_reclaimed() {
    let place = Scratch::new("room");
    let server = TestServer::with(&["--location", place.path(), "--control"]).await;
    server.container("box").await;
    for number in 0..64_u8 {
        server.blob(&format!("/box/{number}"), megabyte(number)).await;
    }
    let full = place.room();
    assert!(full > 64 << 20, "{full} bytes");
    for number in 0..60_u8 {
        assert_eq!(server.request("DELETE", &format!("/box/{number}")).send().await.verdict(), "202");
    }
    // Overwriting frees space too.
    for number in 60..64_u8 {
        server.blob(&format!("/box/{number}"), "small").await;
    }
    // Without another write.
    assert!(in_time(60, || place.room() < full / 10), "{} of {full} bytes", place.room());
}

#[tokio::test]
async fn a_full_disk_refuses_writes_until_there_is_space() {
    let place = Scratch::new("full");
    let mut server = TestServer::with(&["--location", place.path()]).await;
    server.container("box").await;
    server.blob("/box/before", megabyte(1)).await;
    server.emulator.store().disk().unwrap().medium().limit(100_000);
    let put = |name: &str| server.request("PUT", &format!("/box/{name}")).header("x-ms-blob-type", "BlockBlob");
    let refused = put("large").body(megabyte(2)).send().await;
    assert_eq!(refused.verdict(), "500 InternalError");
    assert!(refused.text().contains("disk"), "{}", refused.text());
    assert_eq!(put("small").body("small").send().await.verdict(), "500 InternalError");
    assert_eq!(server.request("GET", "/box/before").send().await.body, megabyte(1));
    assert_eq!(server.request("GET", "/box/large").send().await.verdict(), "404 BlobNotFound");
    server.emulator.store().disk().unwrap().medium().limit(u64::MAX);
    while put("after").body(megabyte(3)).send().await.status != 201 {}
    server.restart().await;
    for (name, content) in [("before", megabyte(1)), ("after", megabyte(3))] {
        assert_eq!(server.request("GET", &format!("/box/{name}")).send().await.body, content);
    }
}

#[tokio::test]
async fn a_damaged_byte_is_refused_and_never_served() {
    let place = Scratch::new("damaged");
    let mut server = TestServer::with(&["--location", place.path()]).await;
    server.container("box").await;
    server.blob("/box/blob", [megabyte(1), megabyte(2)].concat()).await;
    let extent = place.0.join("extent-00000001");
    let mut bytes = std::fs::read(&extent).unwrap();
    bytes[12_345] ^= 1;
    std::fs::write(&extent, &bytes).unwrap();
    let refused = server.request("GET", "/box/blob").send().await;
    assert_eq!(refused.verdict(), "500 InternalError");
    assert!(refused.text().contains("extent-00000001: 1048576 bytes at 0 are damaged"), "{}", refused.text());
    // Undamaged blobs can be read.
    let rest = server.request("GET", "/box/blob").header("x-ms-range", "bytes=1048576-").send().await;
    assert!(rest.status == 206 && rest.body == megabyte(2));
    // A start reports missing bytes at the end of an extent.
    std::fs::File::options().write(true).open(&extent).unwrap().set_len(1 << 20).unwrap();
    server.restart().await;
    assert!(server.emulator.recovered().iter().any(|line| line.starts_with("1 pieces of content are not there")));
    let refused = server.request("GET", "/box/blob").header("x-ms-range", "bytes=1048576-").send().await;
    assert_eq!(refused.verdict(), "500 InternalError");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_start_removes_what_deleted_directories_contained() {
    let place = Scratch::new("discarded");
    let arguments = ["--location", place.path(), "--account=devstoreaccount1,hns", "--dfs-port=0"];
    let mut server = TestServer::with(&arguments).await;
    server.container("box").await;
    for number in 0..60 {
        let target = format!("/box/old/{number}?resource=file");
        let file = server.request("PUT", &target).of(ServiceKind::DataLake).header("x-ms-expiry-option", "RelativeToNow");
        assert_eq!(file.header("x-ms-expiry-time", 1000).send().await.verdict(), "201");
    }
    server.wait(2);
    // A rename over a directory of expired files removes some of them only.
    check_of(
        &server,
        ServiceKind::DataLake,
        "PUT /box/new?resource=directory → 201
         PUT /box/old?mode=legacy | x-ms-rename-source: /box/new → 201",
    )
    .await;
    let paths = |server: &TestServer| server.emulator.blobs.consistency(WELL_KNOWN_ACCOUNT).unwrap()[0].1.paths;
    assert!(paths(&server) > 1, "nothing is left to remove");
    server.restart().await;
    assert!(in_time(20, || paths(&server) == 1), "{} paths", paths(&server));
}
