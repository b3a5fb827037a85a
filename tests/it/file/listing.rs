//! List Directories and Files.

use super::check;

#[tokio::test]
async fn a_directory_is_listed_in_the_order_of_its_names() {
    check(
        "PUT /shr/d?restype=directory → 201 | x-ms-file-id: $d
         GET /shr/d?restype=directory&comp=list → 200 | | ~ShareName=\"shr\" DirectoryPath=\"d\"><DirectoryId>{d}</DirectoryId><Entries /><NextMarker /></EnumerationResults>
         PUT /shr/d/sub1?restype=directory → 201 | x-ms-file-id: $one
         PUT /shr/d/Sub2?restype=directory → 201 | x-ms-file-id: $two
         PUT /shr/d/Sub1/deep?restype=directory → 201
         PUT /shr/d/file | x-ms-type: file; x-ms-content-length: 5 → 201 | x-ms-file-id: $file; x-ms-file-permission-key: $p; x-ms-file-creation-time: $t; etag: $e
         GET /shr/d?restype=directory&comp=list → 200 | | ~<Entries><File><Name>file</Name><FileId>{file}</FileId><Properties><Content-Length>5</Content-Length></Properties></File><Directory><Name>sub1</Name><FileId>{one}</FileId><Properties /></Directory><Directory><Name>Sub2</Name><FileId>{two}</FileId><Properties /></Directory></Entries><NextMarker />
         GET /shr/d?restype=directory&comp=list | x-ms-file-extended-info: false → 200 | | ~<DirectoryId>{d}</DirectoryId> | ~<FileId>{file}</FileId>
         # before 2020-10-02, ids are included on request
         GET /shr/d?restype=directory&comp=list | x-ms-version: 2020-04-08 → 200 | | ~<Entries><File><Name>file</Name><Properties><Content-Length>5</Content-Length></Properties></File><Directory><Name>sub1</Name><Properties /></Directory> | !DirectoryId
         GET /shr/d?restype=directory&comp=list | x-ms-version: 2020-04-08; x-ms-file-extended-info: true → 200 | | ~<DirectoryId>{d}</DirectoryId> | ~<FileId>{file}</FileId>
         GET /shr?restype=directory&comp=list → 200 | | ~DirectoryPath=\"\"><DirectoryId>0</DirectoryId> | ~<Name>d</Name> | !<Name>file</Name>
         # with a prefix
         GET /shr/d?restype=directory&comp=list&prefix=SUB → 200 | | ~<Prefix>SUB</Prefix> | ~<Name>sub1</Name> | ~<Name>Sub2</Name> | !<Name>file</Name>
         GET /shr/d?restype=directory&comp=list&maxresults=1 → 200 | | ~<MaxResults>1</MaxResults> | ~<Name>file</Name> | !<Name>sub1</Name> | !<NextMarker />
         GET /shr/d?restype=directory&comp=list&maxresults=0 → 400 OutOfRangeInput
         GET /shr/d?restype=directory&comp=list&marker=odd → 400 InvalidQueryParameterValue
         # with everything included
         GET /shr/d?restype=directory&comp=list&include=Timestamps,ETag,Attributes,PermissionKey | x-ms-file-extended-info: true → 200 | | ~<DirectoryId>{d}</DirectoryId><Entries><File><Name>file</Name><FileId>{file}</FileId><Properties><Content-Length>5</Content-Length><CreationTime>{t}</CreationTime> | ~<Attributes>Archive</Attributes><PermissionKey>{p}</PermissionKey></File> | ~<Directory><Name>sub1</Name><FileId>{one}</FileId> | ~<Etag>{e}</Etag>
         GET /shr/d?restype=directory&comp=list&include=odd → 400 InvalidQueryParameterValue
         GET /shr/none?restype=directory&comp=list → 404 ResourceNotFound
         GET /none?restype=directory&comp=list → 404 ShareNotFound",
    )
    .await;
}

#[tokio::test]
async fn pages_of_a_listing_follow_one_another() {
    let server = crate::server::TestServer::new().await;
    let mut rows = "PUT /shr?restype=share → 201\n".to_owned();
    let names: Vec<String> = (0..25).map(|at| format!("f{at:02}")).collect();
    names.iter().for_each(|name| rows += &format!("PUT /shr/{name} | x-ms-type: file; x-ms-content-length: 0 → 201\n"));
    super::check_in(&server, &rows).await;
    for (size, pages) in [(1, 25), (7, 4), (24, 2), (25, 1), (5000, 1)] {
        let (mut seen, mut requests, mut marker) = (Vec::new(), 0, String::new());
        loop {
            let target = format!("/shr?restype=directory&comp=list&maxresults={size}&marker={marker}");
            let listed = server.request("GET", &target).of(lazuli::ServiceKind::File).send().await;
            assert_eq!(listed.verdict(), "200", "{}", listed.text());
            seen.extend(listed.elements("Name").into_iter().map(str::to_owned));
            requests += 1;
            marker = listed.element("NextMarker").to_owned();
            if marker.is_empty() {
                break;
            }
        }
        assert_eq!((requests, &seen), (pages, &names), "pages of {size}");
    }
}

#[tokio::test]
async fn names_that_xml_cannot_hold_are_encoded() {
    check(
        "PUT /shr/a%EF%BF%BFb | x-ms-type: file; x-ms-content-length: 0 → 201
         GET /shr?restype=directory&comp=list → 200 | | ~<Name Encoded=\"true\">a%EF%BF%BFb</Name>",
    )
    .await;
}
