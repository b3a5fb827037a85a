//! Rename File and Rename Directory.

use super::check;

#[tokio::test]
async fn a_file_is_renamed() {
    check(
        "PUT /shr/d?restype=directory → 201 | x-ms-file-id: $d
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 3; x-ms-meta-k: v → 201 | x-ms-file-id: $id; x-ms-file-creation-time: $t
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-2 | abc → 201
         wait 5
         PUT /shr/d/g?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/F → 200 | x-ms-file-id: {id}; x-ms-file-parent-id: {d}; x-ms-file-creation-time: {t}; last-modified: {at}; x-ms-request-server-encrypted: true | {}
         GET /shr/f → 404 ResourceNotFound
         GET /shr/d/g → 200 | x-ms-meta-k: v | abc
         # to another case of its own name
         PUT /shr/d/G?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/d/g → 200
         # some clients escape the slashes of a source, like any byte of a name
         PUT /shr/d/i?comp=rename | x-ms-file-rename-source: /devstoreaccount1%2Fshr%2fd%2FG → 200
         PUT /shr/d/G?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/d/i → 200
         GET /shr/d?restype=directory&comp=list → 200 | | ~<Name>G</Name> | !<Name>g</Name>
         # with new properties
         PUT /shr/h?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/d/G; x-ms-meta-n: 1; x-ms-content-type: text/plain; x-ms-file-attributes: Hidden → 200 | x-ms-file-attributes: Hidden
         HEAD /shr/h → 200 | x-ms-meta-n: 1; x-ms-meta-k: -; content-type: text/plain
         # over another file, if the request replaces it
         PUT /shr/other | x-ms-type: file; x-ms-content-length: 1 → 201
         PUT /shr/other?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/h → 409 ResourceAlreadyExists
         PUT /shr/other?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/h; x-ms-file-rename-replace-if-exists: true → 200 | x-ms-file-id: {id}
         GET /shr/other → 200 | | abc
         GET /shr?restype=share&comp=stats → 200 | | ~<ShareUsageBytes>3</ShareUsageBytes>
         # the read-only attribute forbids it, unless the request ignores it
         PUT /shr/ro | x-ms-type: file; x-ms-content-length: 1; x-ms-file-attributes: ReadOnly → 201
         PUT /shr/ro?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/other; x-ms-file-rename-replace-if-exists: true → 409 ReadOnlyAttribute
         PUT /shr/ro?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/other; x-ms-file-rename-replace-if-exists: true; x-ms-file-rename-ignore-readonly: true → 200
         # a missing source, or one in another share
         PUT /shr/x?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/none → 404 ResourceNotFound
         PUT /shr/none/x?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/ro → 404 ParentNotFound
         PUT /shr/x?comp=rename → 400 MissingRequiredHeader
         PUT /shr/x?comp=rename | x-ms-file-rename-source: /devstoreaccount1/other/ro → 400 InvalidInput
         PUT /shr/x?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/d → 409 ResourceTypeMismatch",
    )
    .await;
}

#[tokio::test]
async fn a_rename_needs_the_leases_of_source_and_target() {
    check(
        "PUT /shr/f | x-ms-type: file; x-ms-content-length: 1 → 201
         PUT /shr/g | x-ms-type: file; x-ms-content-length: 1 → 201
         PUT /shr/f?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /shr/g?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {B} → 201
         PUT /shr/g?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/f; x-ms-file-rename-replace-if-exists: true → 412 LeaseIdMissing
         PUT /shr/g?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/f; x-ms-file-rename-replace-if-exists: true; x-ms-source-lease-id: {A} → 412 LeaseIdMissing
         PUT /shr/g?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/f; x-ms-file-rename-replace-if-exists: true; x-ms-source-lease-id: {A}; x-ms-destination-lease-id: {A} → 412 LeaseIdMismatchWithFileOperation
         PUT /shr/g?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/f; x-ms-file-rename-replace-if-exists: true; x-ms-source-lease-id: {A}; x-ms-destination-lease-id: {B} → 200",
    )
    .await;
}

#[tokio::test]
async fn a_directory_is_renamed_with_everything_below() {
    check(
        "PUT /shr/a?restype=directory → 201
         PUT /shr/a/b?restype=directory → 201
         PUT /shr/a/b/f | x-ms-type: file; x-ms-content-length: 1 → 201 | x-ms-file-id: $id; etag: $e
         PUT /shr/c?restype=directory → 201
         PUT /shr/c/moved?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/a → 200 | x-ms-file-attributes: Directory
         HEAD /shr/c/moved/b/f → 200 | x-ms-file-id: {id}; etag: {e}
         GET /shr/a?restype=directory → 404 ResourceNotFound
         # not into itself
         PUT /shr/c/moved/b/c?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/c → 409 ResourceTypeMismatch
         # nor over another directory
         PUT /shr/x?restype=directory → 201
         PUT /shr/x?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/c; x-ms-file-rename-replace-if-exists: true → 409 ResourceAlreadyExists
         PUT /shr/file | x-ms-type: file; x-ms-content-length: 4 → 201
         PUT /shr/x?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/file; x-ms-file-rename-replace-if-exists: true → 409 ResourceAlreadyExists
         # over a file, if the request replaces it
         PUT /shr/file?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/c → 409 ResourceAlreadyExists
         PUT /shr/file?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /shr/file?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/c; x-ms-file-rename-replace-if-exists: true → 412 LeaseIdMissing
         PUT /shr/file?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/c; x-ms-file-rename-replace-if-exists: true; x-ms-destination-lease-id: {A} → 200 | x-ms-file-attributes: Directory
         HEAD /shr/file/moved/b/f → 200 | x-ms-file-id: {id}; etag: {e}
         GET /shr?restype=share&comp=stats → 200 | | ~<ShareUsageBytes>1</ShareUsageBytes>
         PUT /shr/c?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/file → 200
         PUT /shr/y?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr → 400 InvalidHeaderValue
         PUT /shr/y?restype=directory&comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/c/moved/b/f → 409 ResourceTypeMismatch",
    )
    .await;
}
