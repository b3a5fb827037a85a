//! Append Data and Flush Data.

use super::check;

#[tokio::test]
async fn appends_become_content_when_they_are_flushed() {
    check(
        "PUT /box/f?resource=file → 201 | etag: $empty
         PATCH /box/f?action=append&position=4 | | cdef → 202 | x-ms-request-server-encrypted: true; etag: -
         PATCH /box/f?action=append&position=0 | | ab → 202
         HEAD /box/f → 200 | etag: {empty}; content-length: 0
         PATCH /box/f?action=flush&position=8 → 400 InvalidFlushPosition
         PATCH /box/f?action=append&position=2 | | xx → 202
         PATCH /box/f?action=flush&position=9 → 400 InvalidFlushPosition
         PATCH /box/f?action=flush&position=8&close=true | x-ms-content-type: text/plain → 200 | etag: $flushed; x-ms-request-server-encrypted: false
         GET /box/f → 200 | etag: {flushed}; content-type: text/plain | abxxcdef
         GET /box/f | range: bytes=2-3 → 206 | | xx
         # Data behind the position is dropped, unless the request retains it.
         PATCH /box/f?action=append&position=8 | | gh → 202
         PATCH /box/f?action=append&position=10 | | ij → 202
         PATCH /box/f?action=flush&position=10&retainUncommittedData=true → 200
         PATCH /box/f?action=flush&position=12 → 200
         GET /box/f → 200 | | abxxcdefghij
         # An append can flush.
         PATCH /box/f?action=append&position=12&flush=true | | k → 202 | etag: $last; last-modified: +
         HEAD /box/f → 200 | etag: {last}; content-length: 13
         # What is refused.
         PATCH /box/f?action=append&position=13 → 400 InvalidHeaderValue
         PATCH /box/f?action=append | | x → 400 MissingRequiredQueryParameter
         PATCH /box/f?action=flush&position=13 | | x → 400 ContentLengthMustBeZero
         PATCH /box/none?action=append&position=0 | | x → 404 PathNotFound
         PATCH /box/none?action=flush&position=0 → 404 PathNotFound
         PUT /box/d?resource=directory → 201
         PATCH /box/d?action=append&position=0 | | x → 409 PathConflict
         PATCH /box/f?action=append&position=13 | content-md5: AAAAAAAAAAAAAAAAAAAAAA== | x → 400 Md5Mismatch
         PATCH /box/f?action=flush&position=13 | if-match: {flushed} → 412 ConditionNotMet
         PATCH /box/f?action=flush&position=13 | if-none-match: * → 304 ConditionNotMet
         # Creating the file again drops what was not flushed.
         PATCH /box/f?action=append&position=0 | | x → 202
         PUT /box/f?resource=file → 201
         PATCH /box/f?action=flush&position=1 → 400 InvalidFlushPosition",
    )
    .await;
}

#[tokio::test]
async fn a_write_acts_on_the_lease() {
    check(
        "PUT /box/f?resource=file → 201
         PATCH /box/f?action=append&position=0 | x-ms-lease-action: acquire; x-ms-proposed-lease-id: {A}; x-ms-lease-duration: 15 | a → 202
         HEAD /box/f → 200 | x-ms-lease-state: leased
         PATCH /box/f?action=append&position=1 | | b → 412 LeaseIdMissing
         PATCH /box/f?action=append&position=1 | x-ms-lease-id: {B} | b → 412 LeaseIdMismatch
         PATCH /box/f?action=append&position=1 | x-ms-lease-id: {A}; x-ms-lease-action: auto-renew | b → 202 | x-ms-lease-renewed: true
         PATCH /box/f?action=append&position=2 | x-ms-lease-id: {A}; x-ms-lease-action: release | c → 400 InvalidHeaderValue
         PATCH /box/f?action=append&position=2&flush=true | x-ms-lease-id: {A}; x-ms-lease-action: release | c → 202
         HEAD /box/f → 200 | x-ms-lease-state: available; content-length: 3
         PATCH /box/f?action=append&position=3 | x-ms-lease-id: {A} | d → 412 LeaseNotPresent
         PATCH /box/f?action=append&position=3 | | d → 202
         PATCH /box/f?action=flush&position=4 | x-ms-lease-action: acquire-release; x-ms-proposed-lease-id: {B}; x-ms-lease-duration: -1 → 200
         HEAD /box/f → 200 | x-ms-lease-state: available; content-length: 4
         PATCH /box/f?action=flush&position=4 | x-ms-lease-action: acquire; x-ms-proposed-lease-id: {B}; x-ms-lease-duration: -1 → 200
         HEAD /box/f → 200 | x-ms-lease-state: leased; x-ms-lease-duration: infinite
         POST /box/f | x-ms-lease-action: acquire; x-ms-lease-duration: 15 → 409 LeaseAlreadyPresent
         POST /box/f | x-ms-lease-action: renew; x-ms-lease-id: {A} → 409 LeaseIdMismatchWithLeaseOperation
         POST /box/f | x-ms-lease-action: change; x-ms-lease-id: {B}; x-ms-proposed-lease-id: {A} → 200 | x-ms-lease-id: {A}
         POST /box/f | x-ms-lease-action: release; x-ms-lease-id: {A} → 200",
    )
    .await;
}

/// The last holder of a lease cannot renew it after a change that it does not know.
#[tokio::test]
async fn a_flush_ends_an_expired_lease() {
    let acquire = "x-ms-lease-action: acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: {A}";
    let renew = "x-ms-lease-action: renew; x-ms-lease-id: {A}";
    check(&format!(
        "PUT /box/f?resource=file → 201
         POST /box/f | {acquire} → 201
         wait 16
         PATCH /box/f?action=append&position=0 | | a → 202
         HEAD /box/f → 200 | x-ms-lease-state: expired
         PATCH /box/f?action=flush&position=1 → 200
         HEAD /box/f → 200 | x-ms-lease-state: available
         POST /box/f | {renew} → 409 LeaseIdMismatchWithLeaseOperation
         POST /box/f | {acquire} → 201
         wait 16
         PATCH /box/f?action=append&position=1&flush=true | | b → 202
         POST /box/f | {renew} → 409 LeaseIdMismatchWithLeaseOperation"
    ))
    .await;
}

/// What was appended waits for its flush, whatever is refused meanwhile.
#[tokio::test]
async fn a_refused_write_keeps_what_was_appended() {
    check(
        "PUT /box/f?resource=file → 201 | etag: $file
         PATCH /box/f?action=append&position=0 | | ab → 202
         PATCH /box/f?action=append&position=2 | content-md5: AAAAAAAAAAAAAAAAAAAAAA== | xx → 400 Md5Mismatch
         PATCH /box/f?action=append&position=9&flush=true | | xx → 400 InvalidFlushPosition
         PATCH /box/f?action=flush&position=9 → 400 InvalidFlushPosition
         PATCH /box/f?action=flush&position=2 | if-match: \"0x1\" → 412 ConditionNotMet
         PUT /box/f?resource=file | if-none-match: * → 409 PathAlreadyExists
         PUT /box/f?resource=file | if-match: \"0x1\" → 412 ConditionNotMet
         PUT /box/f?resource=directory → 409 PathConflict
         PUT /box/f | x-ms-blob-type: BlockBlob; if-none-match: * | blob → 409 BlobAlreadyExists
         PUT /box/f | x-ms-blob-type: BlockBlob; content-md5: AAAAAAAAAAAAAAAAAAAAAA== | blob → 400 Md5Mismatch
         HEAD /box/f → 200 | etag: {file}
         PATCH /box/f?action=append&position=2 | | cd → 202
         PATCH /box/f?action=flush&position=4 → 200
         GET /box/f → 200 | | abcd",
    )
    .await;
}
