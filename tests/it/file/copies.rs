//! Copy File, and Put Range from URL.

use super::check;
use super::sas::sas;

const SOURCE: &str = "PUT /shr/f | x-ms-type: file; x-ms-content-length: 10; x-ms-meta-k: v; x-ms-content-type: text/plain; x-ms-file-attributes: Hidden; x-ms-file-creation-time: 2020-01-02T03:04:05.0000000Z → 201 | x-ms-file-permission-key: $p
    PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-9 | 0123456789 → 201\n";

#[tokio::test]
async fn a_file_is_copied() {
    check(&format!(
        "{SOURCE}
         wait 5
         PUT /shr/copy | x-ms-copy-source: /devstoreaccount1/shr/f → 202 | x-ms-copy-id: $id; x-ms-copy-status: success; etag: +; x-ms-file-id: - | {{}}
         GET /shr/copy → 200 | content-type: text/plain; x-ms-meta-k: v; x-ms-copy-id: {{id}}; x-ms-copy-status: success; x-ms-copy-progress: 10/10; x-ms-copy-source: /devstoreaccount1/shr/f; x-ms-copy-completion-time: {{at}}; x-ms-file-attributes: Archive | 0123456789
         # some clients escape the slashes of a source, like any byte of a name
         PUT /shr/escaped | x-ms-copy-source: /devstoreaccount1%2Fshr%2Ff → 202 | x-ms-copy-status: success
         DELETE /shr/escaped → 202
         # properties from the request and from the source
         PUT /shr/copy | x-ms-copy-source: /devstoreaccount1/shr/f; x-ms-meta-n: 1; x-ms-file-attributes: source; x-ms-file-creation-time: source; x-ms-file-copy-set-archive: true; x-ms-file-permission-copy-mode: source → 202
         HEAD /shr/copy → 200 | x-ms-meta-n: 1; x-ms-meta-k: -; x-ms-file-attributes: +; x-ms-file-creation-time: 2020-01-02T03:04:05.0000000Z; x-ms-file-permission-key: {{p}}
         PUT /shr/copy | x-ms-copy-source: /devstoreaccount1/shr/f; x-ms-file-permission-copy-mode: sometimes → 400 InvalidHeaderValue
         # a copy whose request sets attributes also has Archive, unless the request says otherwise
         PUT /shr/mine | x-ms-copy-source: /devstoreaccount1/shr/f; x-ms-file-attributes: None → 202
         HEAD /shr/mine → 200 | x-ms-file-attributes: Archive
         PUT /shr/mine | x-ms-copy-source: /devstoreaccount1/shr/f; x-ms-file-attributes: Temporary; x-ms-file-copy-set-archive: false → 202
         HEAD /shr/mine → 200 | x-ms-file-attributes: Temporary
         PUT /shr/mine | x-ms-copy-source: /devstoreaccount1/shr/f; x-ms-file-attributes: source → 202
         HEAD /shr/mine → 200 | x-ms-file-attributes: +
         # a client may send x-ms-type: file
         PUT /shr/mine | x-ms-type: file; x-ms-copy-source: /devstoreaccount1/shr/f → 202 | x-ms-copy-status: success
         GET /shr/mine → 200 | | 0123456789
         DELETE /shr/mine → 202
         # a write to the source does not change the copy
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-0 | x → 201
         GET /shr/copy → 200 | | 0123456789
         # no copy is pending
         PUT /shr/copy?comp=copy&copyid={{id}} | x-ms-copy-action: abort → 409 NoPendingCopyOperation
         PUT /shr/copy?comp=copy&copyid=odd | x-ms-copy-action: abort → 400 InvalidQueryParameterValue
         # read-only
         PUT /shr/copy?comp=properties | x-ms-file-attributes: ReadOnly → 200
         PUT /shr/copy | x-ms-copy-source: /devstoreaccount1/shr/f → 409 ReadOnlyAttribute
         PUT /shr/copy | x-ms-copy-source: /devstoreaccount1/shr/f; x-ms-file-copy-ignore-readonly: true → 202
         # from a snapshot
         PUT /shr?restype=share&comp=snapshot → 201 | x-ms-snapshot: $t
         DELETE /shr/f → 202
         PUT /shr/old | x-ms-copy-source: /devstoreaccount1/shr/f → 404 CannotVerifyCopySource | x-ms-copy-source-status-code: - | ~The specified resource does not exist.
         PUT /shr/old | x-ms-version: 2024-11-04; x-ms-copy-source: /devstoreaccount1/shr/f → 404 CannotVerifyCopySource | x-ms-copy-source-status-code: 404; x-ms-copy-source-error-code: ResourceNotFound | ~<CopySourceStatusCode>404</CopySourceStatusCode><CopySourceErrorCode>ResourceNotFound</CopySourceErrorCode>
         PUT /shr/old | x-ms-copy-source: /devstoreaccount1/shr/f?sharesnapshot={{t}} → 202
         GET /shr/old → 200 | | x123456789
         HEAD /shr/none → 404 ResourceNotFound
         # conditions on the source are not supported
         PUT /shr/none | x-ms-copy-source: /devstoreaccount1/shr/old; x-ms-source-if-match: \"0x1\" → 400 ConditionHeadersNotSupported
         PUT /shr/copy?comp=range | x-ms-write: update; x-ms-range: bytes=0-0; x-ms-source-range: bytes=0-0; x-ms-copy-source: /devstoreaccount1/shr/old; x-ms-source-if-none-match: * → 400 ConditionHeadersNotSupported
         HEAD /shr/none → 404 ResourceNotFound"
    ))
    .await;
}

#[tokio::test]
async fn a_range_is_copied() {
    let f = format!("/devstoreaccount1/shr/f?{}", sas("f", "shr/f", "r", ""));
    check(&format!(
        "{SOURCE}
         PUT /shr/g | x-ms-type: file; x-ms-content-length: 6 → 201
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=1-3; x-ms-copy-source: {f}; x-ms-source-range: bytes=7-9 → 201 | x-ms-content-crc64: $c; x-ms-request-server-encrypted: true; etag: +; content-md5: - | {{}}
         GET /shr/g | range: bytes=1-3 → 206 | | 789
         # the CRC64 is checked
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=1-3; x-ms-copy-source: {f}; x-ms-source-range: bytes=7-9; x-ms-source-content-crc64: {{c}} → 201
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=1-3; x-ms-copy-source: {f}; x-ms-source-range: bytes=6-8; x-ms-source-content-crc64: {{c}} → 400 Crc64Mismatch
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=1-3; x-ms-copy-source: {f}; x-ms-source-range: bytes=6-8; x-ms-source-if-match-crc64: {{c}} → 412 SourceConditionNotMet | | ~<Message>The Crc64 condition specified was not met.
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=1-3; x-ms-copy-source: {f}; x-ms-source-range: bytes=7-9; x-ms-source-if-none-match-crc64: {{c}} → 412 SourceConditionNotMet | | ~<Message>The Crc64 condition specified was not met.
         # both ranges must have the same length
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=0-5; x-ms-copy-source: {f}; x-ms-source-range: bytes=7-12 → 409 CannotVerifyCopySource | | ~The source request body for copy source does not match requested length to write on target.
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=0-1; x-ms-copy-source: {f}; x-ms-source-range: bytes=0-2 → 409 CannotVerifyCopySource
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=4-8; x-ms-copy-source: {f}; x-ms-source-range: bytes=0-4 → 416 InvalidRange
         PUT /shr/g?comp=range | x-ms-write: clear; x-ms-range: bytes=0-1; x-ms-copy-source: {f}; x-ms-source-range: bytes=0-1 → 400 InvalidHeaderValue
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=0-1; x-ms-copy-source: {f} → 400 MissingRequiredHeader
         # the source needs its own authorization
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=0-1; x-ms-copy-source: /devstoreaccount1/shr/f; x-ms-source-range: bytes=0-1 → 401 CannotVerifyCopySource
         PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=0-1; x-ms-copy-source: /devstoreaccount1/shr/f?sv=2019-02-02&sr=f&sig=x; x-ms-source-range: bytes=0-1 → 403 CannotVerifyCopySource
         GET /shr/g | range: bytes=1-3 → 206 | | 789"
    ))
    .await;
}
