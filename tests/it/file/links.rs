//! Links and POSIX properties in NFS shares.

use super::check;

#[tokio::test]
async fn a_file_has_several_hard_links() {
    check(
        "PUT /nfs?restype=share | x-ms-enabled-protocols: NFS → 201
         PUT /nfs/d?restype=directory → 201 | x-ms-mode: 0755; x-ms-file-file-type: Directory
         PUT /nfs/f | x-ms-type: file; x-ms-content-length: 3; x-ms-mode: 0600; x-ms-owner: 1000 → 201 | x-ms-file-id: $id; x-ms-mode: 0600; x-ms-owner: 1000; x-ms-group: 0; x-ms-file-file-type: Regular; x-ms-link-count: 1; x-ms-file-attributes: -; x-ms-file-permission-key: -
         PUT /nfs/d/g?restype=hardlink | x-ms-type: file; x-ms-file-target-file: /f → 201 | x-ms-file-id: {id}; x-ms-link-count: 2; x-ms-owner: 1000
         PUT /nfs/d/g?comp=range | x-ms-write: update; x-ms-range: bytes=0-2 | abc → 201
         GET /nfs/f → 200 | x-ms-link-count: 2 | abc
         GET /nfs/d?restype=directory&comp=list → 200 | | ~<Name>g</Name>
         PUT /nfs/f?comp=properties | x-ms-mode: 644 → 200 | x-ms-mode: 0644; x-ms-owner: 1000
         # each link is deleted by itself, and the file with the last
         DELETE /nfs/f → 202
         GET /nfs/f → 404 ResourceNotFound
         GET /nfs/d/g → 200 | x-ms-link-count: 1; x-ms-mode: 0644 | abc
         GET /nfs?restype=share&comp=stats → 200 | | ~<ShareUsageBytes>3</ShareUsageBytes>
         DELETE /nfs/d/g → 202
         GET /nfs?restype=share&comp=stats → 200 | | ~<ShareUsageBytes>0</ShareUsageBytes>
         PUT /nfs/h?restype=hardlink | x-ms-type: file; x-ms-file-target-file: /f → 404 ResourceNotFound
         PUT /nfs/h?restype=hardlink | x-ms-type: directory; x-ms-file-target-file: /f → 400 InvalidHeaderValue
         PUT /nfs/h | x-ms-type: file; x-ms-content-length: 3; x-ms-mode: rw → 400 InvalidHeaderValue
         # the only file type is Regular
         PUT /nfs/h | x-ms-type: file; x-ms-content-length: 3; x-ms-file-file-type: SymLink → 400 InvalidHeaderValue
         PUT /shr/h | x-ms-type: file; x-ms-content-length: 3; x-ms-file-file-type: Regular → 400 UnsupportedHeader
         PUT /nfs/h | x-ms-type: file; x-ms-content-length: 3; x-ms-file-file-type: Regular → 201 | x-ms-file-file-type: Regular
         PUT /shr/h?restype=hardlink | x-ms-type: file; x-ms-file-target-file: /f → 400 InvalidInput",
    )
    .await;
}

/// As in POSIX.
#[tokio::test]
async fn a_rename_to_another_link_of_the_same_file_changes_nothing() {
    check(
        "PUT /nfs?restype=share | x-ms-enabled-protocols: NFS → 201
         PUT /nfs/f | x-ms-type: file; x-ms-content-length: 3 → 201
         PUT /nfs/g?restype=hardlink | x-ms-type: file; x-ms-file-target-file: /f → 201 | etag: $e; x-ms-link-count: 2
         PUT /nfs/g?comp=rename | x-ms-file-rename-source: /devstoreaccount1/nfs/f; x-ms-file-rename-replace-if-exists: true → 200 | etag: {e}
         HEAD /nfs/f → 200 | etag: {e}; x-ms-link-count: 2
         HEAD /nfs/g → 200 | etag: {e}; x-ms-link-count: 2
         DELETE /nfs/g → 202
         HEAD /nfs/f → 200 | x-ms-link-count: 1
         DELETE /nfs/f → 202
         GET /nfs?restype=share&comp=stats → 200 | | ~<ShareUsageBytes>0</ShareUsageBytes>",
    )
    .await;
}

#[tokio::test]
async fn a_symbolic_link_has_a_target() {
    check(
        "PUT /nfs?restype=share | x-ms-enabled-protocols: NFS → 201
         PUT /nfs/l?restype=symboliclink | x-ms-link-text: some/where; x-ms-owner: 7 → 201 | x-ms-file-file-type: SymLink; x-ms-mode: 0777; x-ms-owner: 7; x-ms-file-id: +
         GET /nfs/l?restype=symboliclink → 200 | x-ms-link-text: some/where; etag: + | {}
         HEAD /nfs/l → 200 | x-ms-file-file-type: SymLink; content-length: 0
         GET /nfs/l → 404 ResourceNotFound
         PUT /nfs/l?restype=symboliclink | x-ms-link-text: other → 409 ResourceAlreadyExists
         PUT /nfs/m?restype=symboliclink → 400 MissingRequiredHeader
         DELETE /nfs/l → 202
         GET /nfs/l?restype=symboliclink → 404 ResourceNotFound
         PUT /shr/l?restype=symboliclink | x-ms-link-text: some/where → 400 InvalidInput",
    )
    .await;
}
