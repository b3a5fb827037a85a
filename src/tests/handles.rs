//! Handles: respect, list and close. SMB clients open them; these tests open them through the service's state.

use crate::operation::ServiceKind;
use crate::rules::file::handle::{OpenAccess, OpenHandle, RangeLock};
use crate::rules::file::path::{Path, TrailingDots};
use crate::services::file::state::HandleOwner;
use crate::tests::support::scenario::check_of;
use crate::tests::support::server::TestServer;

/// Runs a scenario against the File service.
async fn check_in(server: &TestServer, rows: &str) {
    check_of(server, ServiceKind::File, rows).await;
}

async fn server() -> TestServer {
    let server = TestServer::new().await;
    check_in(
        &server,
        "PUT /shr?restype=share → 201
         PUT /shr/d?restype=directory → 201
         PUT /shr/d/f | x-ms-type: file; x-ms-content-length: 100 → 201
         PUT /shr/g | x-ms-type: file; x-ms-content-length: 1 → 201",
    )
    .await;
    server
}

/// Opens a file of the share `shr`, and returns the handle's id.
async fn open(server: &TestServer, path: &str, open: OpenHandle) -> u64 {
    let share = server.emulator.files.find("devstoreaccount1", "shr").unwrap();
    let path = Path::parse(path, TrailingDots::Significant).unwrap();
    let opener = HandleOwner { session: 77, address: "10.0.0.1:50000".into(), client: "laptop".into() };
    share.write(|share| share.open(&path, opener, open, server.emulator.environment.now())).await.unwrap()
}

fn reading(share: OpenAccess) -> OpenHandle {
    OpenHandle { access: OpenAccess::READ, share, ..OpenHandle::default() }
}

#[tokio::test]
async fn open_handles_are_listed_and_closed() {
    let server = server().await;
    let f = open(&server, "d/f", reading(OpenAccess::ALL)).await;
    let d = open(&server, "d", reading(OpenAccess::ALL)).await;
    let g = open(
        &server,
        "g",
        OpenHandle { access: OpenAccess::READ.and(OpenAccess::WRITE), share: OpenAccess::ALL, ..OpenHandle::default() },
    )
    .await;
    check_in(
        &server,
        &format!(
            "GET /shr/d/f?comp=listhandles → 200 | | ~<EnumerationResults><Entries><Handle><HandleId>{f}</HandleId><Path>d/f</Path><FileId> | ~<SessionId>77</SessionId><ClientIp>10.0.0.1:50000</ClientIp><ClientName>laptop</ClientName><OpenTime>{{at}}</OpenTime></Handle></Entries><NextMarker />
             GET /shr/g?comp=listhandles | x-ms-version: 2023-01-03 → 200 | | ~<AccessRightList><AccessRight>Read</AccessRight><AccessRight>Write</AccessRight></AccessRightList>
             GET /shr/d?comp=listhandles → 200 | | ~<HandleId>{d}</HandleId> | !<HandleId>{f}</HandleId>
             GET /shr/d?comp=listhandles | x-ms-recursive: true → 200 | | ~<HandleId>{f}</HandleId> | ~<HandleId>{d}</HandleId> | !<HandleId>{g}</HandleId>
             GET /shr?comp=listhandles → 200 | | ~<Entries />
             GET /shr?comp=listhandles&maxresults=2 | x-ms-recursive: true → 200 | | ~<HandleId>{f}</HandleId> | ~<HandleId>{d}</HandleId> | ~<NextMarker>{g}</NextMarker>
             GET /shr?comp=listhandles&marker={g} | x-ms-recursive: true → 200 | | ~<HandleId>{g}</HandleId> | !<HandleId>{d}</HandleId> | ~<NextMarker />
             GET /shr/none?comp=listhandles → 404 ResourceNotFound
             # close one, or all
             PUT /shr/d/f?comp=forceclosehandles | x-ms-handle-id: {d} → 200 | x-ms-number-of-handles-closed: 0; x-ms-number-of-handles-failed: 0
             PUT /shr/d/f?comp=forceclosehandles | x-ms-handle-id: {f} → 200 | x-ms-number-of-handles-closed: 1; x-ms-number-of-handles-failed: 0 | {{}}
             GET /shr/d/f?comp=listhandles → 200 | | ~<Entries />
             PUT /shr?comp=forceclosehandles | x-ms-handle-id: * → 200 | x-ms-number-of-handles-closed: 0
             PUT /shr?comp=forceclosehandles | x-ms-handle-id: *; x-ms-recursive: true → 200 | x-ms-number-of-handles-closed: 2
             PUT /shr?comp=forceclosehandles | x-ms-handle-id: odd → 400 InvalidHeaderValue
             PUT /shr?comp=forceclosehandles → 400 MissingRequiredHeader"
        ),
    )
    .await;
}

#[tokio::test]
async fn requests_respect_the_sharing_of_a_handle() {
    let server = server().await;
    open(&server, "d/f", reading(OpenAccess::READ)).await;
    check_in(
        &server,
        "GET /shr/d/f → 200
         HEAD /shr/d/f → 200
         GET /shr/d?restype=directory&comp=list → 200
         PUT /shr/d/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-0 | x → 409 SharingViolation
         PUT /shr/d/f?comp=metadata → 409 SharingViolation
         PUT /shr/d/f?comp=properties | x-ms-file-attributes: None → 409 SharingViolation
         PUT /shr/d/f | x-ms-type: file; x-ms-content-length: 1 → 409 SharingViolation
         PUT /shr/d/f | x-ms-copy-source: /devstoreaccount1/shr/g → 409 SharingViolation
         PUT /shr/new | x-ms-copy-source: /devstoreaccount1/shr/d/f → 202
         PUT /shr/new2?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/d/f → 409 SharingViolation
         PUT /shr/e?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/d → 409 SharingViolation
         DELETE /shr/d/f → 409 SharingViolation
         PUT /shr/d/f?comp=forceclosehandles | x-ms-handle-id: * → 200 | x-ms-number-of-handles-closed: 1
         DELETE /shr/d/f → 202",
    )
    .await;
    open(&server, "g", reading(OpenAccess::ALL)).await;
    check_in(
        &server,
        "PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=0-0 | x → 201
         DELETE /shr/g → 409 CannotDeleteFileOrDirectory",
    )
    .await;
}

#[tokio::test]
async fn locked_bytes_and_pending_deletions_are_respected() {
    let server = server().await;
    let locks = vec![RangeLock { range: 10..20, exclusive: true }];
    open(&server, "d/f", OpenHandle { locks, ..reading(OpenAccess::ALL) }).await;
    open(&server, "g", OpenHandle { delete_pending: true, ..reading(OpenAccess::ALL) }).await;
    check_in(
        &server,
        "PUT /shr/d/f?comp=range | x-ms-write: update; x-ms-range: bytes=19-20 | xx → 409 FileLockConflict
         PUT /shr/d/f?comp=range | x-ms-write: clear; x-ms-range: bytes=0-99 → 409 FileLockConflict
         PUT /shr/d/f?comp=range | x-ms-write: update; x-ms-range: bytes=20-21 | xx → 201
         PUT /shr/d/f?comp=properties | x-ms-content-length: 15 → 409 FileLockConflict
         GET /shr/d/f → 409 FileLockConflict
         GET /shr/d/f | range: bytes=0-9 → 206
         HEAD /shr/g → 409 DeletePending
         GET /shr/g → 409 DeletePending
         PUT /shr/g?comp=metadata → 409 DeletePending
         PUT /shr/g?comp=forceclosehandles | x-ms-handle-id: * → 200 | x-ms-number-of-handles-closed: 1
         HEAD /shr/g → 404 ResourceNotFound",
    )
    .await;
}
