//! Files: create, describe, change and delete.

use super::{check, check_in};
use crate::blob::structured::message;
use crate::server::TestServer;
use lazuli::ServiceKind;

/// The only kind of structured messages.
const KIND: &str = "XSM/1.0; properties=crc64";

#[tokio::test]
async fn a_file_is_created_and_described() {
    check(
        "PUT /shr/d?restype=directory → 201 | x-ms-file-id: $d
         PUT /shr/d/File | x-ms-type: file; x-ms-content-length: 10; x-ms-meta-k: v; x-ms-content-language: fr → 201 | etag: $e; last-modified: {at}; x-ms-request-server-encrypted: true; x-ms-file-attributes: Archive; x-ms-file-parent-id: {d}; x-ms-file-id: $id; x-ms-file-creation-time: $t | {}
         HEAD /shr/D/FILE → 200 | etag: {e}; content-length: 10; content-type: application/octet-stream; content-language: fr; x-ms-type: File; x-ms-server-encrypted: true; x-ms-lease-status: unlocked; x-ms-lease-state: available; x-ms-meta-k: v; x-ms-file-id: {id}; accept-ranges: - | {}
         GET /shr/d/File | range: bytes=2-4 → 206 | content-range: bytes 2-4/10; accept-ranges: bytes; content-length: 3 | \0\0\0
         GET /shr/d/file?comp=metadata → 200 | x-ms-meta-k: v; x-ms-type: -
         HEAD /shr/d/file | x-ms-version: 2018-11-09 → 200 | x-ms-file-id: -; x-ms-lease-state: -
         # created again: only the id stays
         wait 5
         PUT /shr/d/FILE | x-ms-type: file; x-ms-content-length: 3 → 201 | x-ms-file-id: {id}; last-modified: {at}
         HEAD /shr/d/File → 200 | content-length: 3; x-ms-meta-k: -; content-language: -
         # metadata
         PUT /shr/d/file?comp=metadata | x-ms-meta-n: 1 → 200 | etag: +; x-ms-request-server-encrypted: true
         HEAD /shr/d/file → 200 | x-ms-meta-n: 1
         # the size alone, or the headers of the content
         PUT /shr/d/file?comp=properties | x-ms-content-length: 6 → 200 | x-ms-file-id: {id}
         HEAD /shr/d/file → 200 | content-length: 6; content-type: application/octet-stream
         PUT /shr/d/file?comp=properties | x-ms-content-disposition: inline; x-ms-file-attributes: Temporary → 200 | x-ms-file-attributes: Temporary
         HEAD /shr/d/file → 200 | content-length: 6; content-type: -; content-disposition: inline; x-ms-meta-n: 1
         # a new file also has Archive; attributes set later are exactly those of the request
         PUT /shr/d/r | x-ms-type: file; x-ms-content-length: 0; x-ms-file-attributes: ReadOnly|System → 201 | x-ms-file-attributes: $all
         HEAD /shr/d/r → 200 | x-ms-file-attributes: {all}
         # deleted
         DELETE /shr/d/file → 202 | | {}
         DELETE /shr/d/file → 404 ResourceNotFound
         HEAD /shr/d/file → 404 ResourceNotFound | | {}
         HEAD /shr/none/file → 404 ParentNotFound
         PUT /shr/none/file | x-ms-type: file; x-ms-content-length: 1 → 404 ParentNotFound",
    )
    .await;
}

#[tokio::test]
async fn invalid_sizes_types_and_attributes_of_a_file_are_refused() {
    check(
        "PUT /shr/f | x-ms-type: file → 400 MissingRequiredHeader | | ~x-ms-content-length
         PUT /shr/f | x-ms-type: file; x-ms-content-length: many → 400 InvalidHeaderValue
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 4398046511105 → 400 OutOfRangeInput | | ~The file size exceeds the maximum permissible limit.
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 1 | x → 400 InvalidHeaderValue
         PUT /shr/f | x-ms-type: folder; x-ms-content-length: 1 → 400 InvalidUri
         PUT /shr/f | x-ms-content-length: 1 → 400 InvalidUri
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 1; x-ms-file-permission: nonsense → 400 FileInvalidPermission
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 1; x-ms-file-attributes: Directory → 400 InvalidHeaderValue
         HEAD /shr/f → 404 ResourceNotFound
         # the largest file occupies no space
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 4398046511104 → 201
         GET /shr/f | x-ms-range: bytes=4398046511100-4398046511103 → 206 | content-length: 4
         PUT /shr/f?comp=lease1 → 400 InvalidQueryParameterValue
         PUT /shr/f?comp=properties&sharesnapshot=2020-01-01T00:00:00.0000000Z → 400 InvalidQueryParameterValue",
    )
    .await;
}

#[tokio::test]
async fn of_a_read_only_file_only_the_properties_change() {
    check(
        "PUT /shr/f | x-ms-type: file; x-ms-content-length: 1; x-ms-file-attributes: ReadOnly → 201
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-0 | x → 409 ReadOnlyAttribute
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 2 → 409 ReadOnlyAttribute
         PUT /shr/f?comp=properties | x-ms-content-length: 2 → 409 ReadOnlyAttribute
         DELETE /shr/f → 409 ReadOnlyAttribute
         PUT /shr/f?comp=metadata | x-ms-meta-k: v → 200
         GET /shr/f → 200
         PUT /shr/f?comp=properties | x-ms-file-attributes: None → 200 | x-ms-file-attributes: None
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-0 | x → 201
         DELETE /shr/f → 202",
    )
    .await;
}

#[tokio::test]
async fn a_file_is_created_with_its_first_bytes() {
    check(
        "PUT /shr/f | x-ms-version: 2026-06-06; x-ms-type: file; x-ms-content-length: 5 | abc → 201 | content-md5: kAFQmDzST7DWlj99KOF/cg==
         GET /shr/f → 200 | | abc\0\0
         GET /shr/f?comp=rangelist → 200 | | ~<Start>0</Start><End>4</End>
         PUT /shr/f | x-ms-version: 2026-06-06; x-ms-type: file; x-ms-content-length: 2 | abc → 413 RequestBodyTooLarge
         PUT /shr/f | x-ms-version: 2026-06-06; x-ms-type: file; x-ms-content-length: 3; content-md5: kAFQmDzST7DWlj99KOF/cg== | abd → 400 Md5Mismatch
         PUT /shr/f | x-ms-version: 2026-04-06; x-ms-type: file; x-ms-content-length: 3 | abc → 400 InvalidHeaderValue
         PUT /shr/f | x-ms-version: 2026-06-06; x-ms-type: file; x-ms-content-length: 3; x-ms-structured-body: odd → 400 UnsupportedHeader
         GET /shr/f → 200 | | abc\0\0
         # a restored file has exactly the attributes of the request
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 0; x-ms-file-attributes: Hidden → 201 | x-ms-file-attributes: +
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 0; x-ms-file-attributes: Hidden; x-ms-file-property-semantics: Restore → 201 | x-ms-file-attributes: Hidden
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 0; x-ms-file-property-semantics: Odd → 400 InvalidHeaderValue
         # no other operation restores a file
         PUT /shr/f?comp=properties | x-ms-file-property-semantics: Restore → 400 UnsupportedHeader | | ~<HeaderName>x-ms-file-property-semantics</HeaderName>
         PUT /shr/g?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/f; x-ms-file-property-semantics: Restore → 400 UnsupportedHeader
         PUT /shr/g | x-ms-copy-source: /devstoreaccount1/shr/f; x-ms-file-property-semantics: New → 400 UnsupportedHeader",
    )
    .await;
}

#[tokio::test]
async fn bytes_are_written_and_read_in_structured_messages() {
    let server = TestServer::new().await;
    check_in(&server, "PUT /shr?restype=share → 201").await;
    let put = async |target: &str, version: &str, headers: &[(&str, &str)]| {
        let request = server.request("PUT", target).of(ServiceKind::File).header("x-ms-version", version).headers(headers);
        let request = request.header("x-ms-structured-body", KIND).header("x-ms-structured-content-length", 7);
        let answer = request.body(message(&[b"con", b"tent"])).send().await;
        assert_eq!((answer.verdict().as_str(), answer.header("x-ms-structured-body")), ("201", KIND), "{}", answer.text());
    };
    put("/shr/f", "2026-06-06", &[("x-ms-type", "file"), ("x-ms-content-length", "10")]).await;
    put("/shr/f?comp=range", "2025-01-05", &[("x-ms-write", "update"), ("x-ms-range", "bytes=3-9")]).await;
    for (range, content) in [("bytes=0-9", "concontent"), ("bytes=3-4", "co")] {
        let request = server
            .request("GET", "/shr/f")
            .of(ServiceKind::File)
            .header("x-ms-range", range)
            .header("x-ms-version", "2025-01-05");
        let got = request.header("x-ms-structured-body", KIND).send().await;
        assert_eq!((got.status, got.header("x-ms-structured-content-length")), (206, content.len().to_string().as_str()));
        assert_eq!(got.body, message(&[content.as_bytes()]));
    }
}
