//! Ranges: write, clear, read and list.

use super::check;

#[tokio::test]
async fn ranges_are_written_and_read() {
    check(
        "PUT /shr/f | x-ms-type: file; x-ms-content-length: 10 → 201 | etag: $e
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=2-6 | hello → 201 | etag: +; content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-request-server-encrypted: true; x-ms-file-last-write-time: + | {}
         GET /shr/f | x-ms-range: bytes=2-6 → 206 | content-range: bytes 2-6/10; content-md5: - | hello
         GET /shr/f | x-ms-range: bytes=2-6; x-ms-range-get-content-md5: true → 206 | content-md5: XUFAKrxLKna5cZ2REBfFkg==
         GET /shr/f | x-ms-range: bytes=5-100 → 206 | content-range: bytes 5-9/10
         GET /shr/f | x-ms-range: bytes=10- → 416 InvalidRange | content-range: bytes */10
         GET /shr/f → 200 | content-length: 10; accept-ranges: bytes
         GET /shr/f | x-ms-range-get-content-md5: true → 400 InvalidHeaderValue
         # the MD5 is checked
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=2-6; content-md5: XUFAKrxLKna5cZ2REBfFkg== | hello → 201
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=2-6; content-md5: XUFAKrxLKna5cZ2REBfFkg== | jello → 400 Md5Mismatch
         # only within the file, and as many bytes as the range has
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=8-12 | hello → 416 InvalidRange
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=2-6 | hell → 400 InvalidHeaderValue
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=2- | hello → 400 InvalidHeaderValue
         PUT /shr/f?comp=range | x-ms-write: update | hello → 400 MissingRequiredHeader
         PUT /shr/f?comp=range | x-ms-write: append; x-ms-range: bytes=2-6 | hello → 400 InvalidHeaderValue
         PUT /shr/f?comp=range | x-ms-range: bytes=2-6 | hello → 400 MissingRequiredHeader
         PUT /shr/f?comp=range | x-ms-write: clear; x-ms-range: bytes=2-6 | hello → 400 InvalidHeaderValue
         PUT /shr/none?comp=range | x-ms-write: update; x-ms-range: bytes=0-0 | x → 404 ResourceNotFound
         GET /shr/f | x-ms-range: bytes=2-6 → 206 | | hello
         # truncated and extended: the bytes beyond are zeros
         PUT /shr/f?comp=properties | x-ms-content-length: 4 → 200
         GET /shr/f | x-ms-range: bytes=2- → 206 | | he
         PUT /shr/f?comp=properties | x-ms-content-length: 6 → 200
         GET /shr/f | x-ms-range: bytes=2- → 206 | | he\0\0",
    )
    .await;
}

#[tokio::test]
async fn a_write_changes_the_last_write_time_or_preserves_it() {
    check(
        "PUT /shr/f | x-ms-type: file; x-ms-content-length: 1 → 201 | x-ms-file-last-write-time: $t
         wait 5
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-0; x-ms-file-last-write-time: preserve | x → 201 | x-ms-file-last-write-time: {t}
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-0; x-ms-version: 2020-02-10 | x → 201 | x-ms-file-last-write-time: -
         HEAD /shr/f → 200 | x-ms-file-last-write-time: {t}
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-0 | x → 201 | x-ms-file-last-write-time: $u
         HEAD /shr/f → 200 | x-ms-file-last-write-time: {u}; x-ms-file-change-time: {u}; x-ms-file-creation-time: {t}
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-0; x-ms-file-last-write-time: source | x → 400 InvalidHeaderValue",
    )
    .await;
}

#[tokio::test]
async fn written_ranges_are_listed() {
    check(
        "PUT /shr/f | x-ms-type: file; x-ms-content-length: 2000 → 201
         GET /shr/f?comp=rangelist → 200 | x-ms-content-length: 2000; etag: + | ~<Ranges />
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-511 | {512*a} → 201
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=1024-1535 | {512*b} → 201
         GET /shr/f?comp=rangelist → 200 | | ~<Ranges><Range><Start>0</Start><End>511</End></Range><Range><Start>1024</Start><End>1535</End></Range></Ranges>
         GET /shr/f?comp=rangelist | x-ms-range: bytes=600-1100 → 200 | | ~<Ranges><Range><Start>1024</Start>
         GET /shr/f?comp=rangelist&maxresults=1 → 200 | | ~<End>511</End></Range><NextMarker>1024</NextMarker></Ranges>
         GET /shr/f?comp=rangelist&maxresults=1&marker=1024 → 200 | | ~<Ranges><Range><Start>1024</Start> | ~<NextMarker />
         # a write to a part of a sector occupies all of it, and clearing the part does not free it
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=1990-1991 | xy → 201
         GET /shr/f?comp=rangelist → 200 | | ~<Start>1024</Start><End>1999</End>
         PUT /shr/f?comp=range | x-ms-write: clear; x-ms-range: bytes=100-299 → 201 | content-md5: -; x-ms-request-server-encrypted: -
         GET /shr/f?comp=rangelist → 200 | | ~<Range><Start>0</Start><End>511</End></Range>
         PUT /shr/f?comp=range | x-ms-write: clear; x-ms-range: bytes=0-1100 → 201
         GET /shr/f?comp=rangelist → 200 | | ~<Ranges><Range><Start>1024</Start><End>1999</End></Range></Ranges>
         GET /shr/f | x-ms-range: bytes=1099-1102 → 206 | | \0\0bb
         PUT /shr/f?comp=range | x-ms-write: clear; x-ms-range: bytes=0-1999 → 201
         GET /shr/f?comp=rangelist → 200 | | ~<Ranges />",
    )
    .await;
}

#[tokio::test]
async fn a_range_has_at_most_four_mebibytes() {
    let server = crate::server::TestServer::new().await;
    super::check_in(
        &server,
        "PUT /shr?restype=share → 201
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 8388608 → 201",
    )
    .await;
    let put = |size: usize| {
        let request = server.request("PUT", "/shr/f?comp=range").of(lazuli::ServiceKind::File).header("x-ms-write", "update");
        request.header("x-ms-range", format!("bytes=0-{}", size - 1)).body(vec![b'x'; size]).send()
    };
    assert_eq!(put(4 << 20).await.verdict(), "201");
    assert_eq!(put((4 << 20) + 1).await.verdict(), "413 RequestBodyTooLarge");
}
