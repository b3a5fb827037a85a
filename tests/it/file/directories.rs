//! Directories: create, describe, change and delete.

use super::check;

#[tokio::test]
async fn a_directory_is_created_and_described() {
    check(
        "PUT /shr/Dir?restype=directory | x-ms-meta-k: v → 201 | etag: $e; last-modified: {at}; x-ms-request-server-encrypted: true; x-ms-file-attributes: Directory; x-ms-file-id: $id; x-ms-file-parent-id: 0; x-ms-file-permission-key: $p; x-ms-file-creation-time: $t; x-ms-file-last-write-time: {t}; x-ms-file-change-time: {t} | {}
         PUT /shr/Dir?restype=directory → 409 ResourceAlreadyExists
         # names match in any case
         PUT /shr/dIR?restype=directory → 409 ResourceAlreadyExists
         GET /shr/dir?restype=directory → 200 | etag: {e}; x-ms-meta-k: v; x-ms-server-encrypted: true; x-ms-file-id: {id}; x-ms-file-permission-key: {p}; x-ms-file-creation-time: {t} | {}
         HEAD /shr/DIR?restype=directory → 200 | etag: {e}
         GET /shr/DIR?restype=directory&comp=metadata → 200 | x-ms-meta-k: v; x-ms-file-id: -
         GET /shr/Dir?restype=directory | x-ms-version: 2018-11-09 → 200 | x-ms-file-id: -; x-ms-server-encrypted: true
         # subdirectories, with the slash encoded or not
         PUT /shr/dir%2FSub?restype=directory → 201 | x-ms-file-parent-id: {id}
         GET /shr/dir/sub/?restype=directory → 200 | x-ms-file-parent-id: {id}
         PUT /shr/none/sub?restype=directory → 404 ParentNotFound | | ~The specified parent path does not exist.
         GET /shr/none/sub?restype=directory → 404 ParentNotFound
         GET /shr/none?restype=directory → 404 ResourceNotFound
         # the root exists, and cannot be created or deleted, whether or not the share exists
         GET /shr?restype=directory → 200 | x-ms-file-id: 0; x-ms-file-parent-id: 0
         PUT /shr?restype=directory → 405 UnsupportedHttpVerb | allow: GET, HEAD | ~The resource doesn't support specified Http Verb.
         PUT /shr/?restype=directory → 405 UnsupportedHttpVerb | allow: GET, HEAD
         PUT /none?restype=directory → 405 UnsupportedHttpVerb | allow: GET, HEAD
         PUT /none/?restype=directory | x-ms-version: 2019-02-02 → 405 UnsupportedHttpVerb
         DELETE /shr?restype=directory → 405 UnsupportedHttpVerb | allow: GET, HEAD
         DELETE /none?restype=directory → 405 UnsupportedHttpVerb
         # changed
         wait 5
         PUT /shr/dir?restype=directory&comp=metadata | x-ms-meta-n: 1 → 200 | etag: $f; last-modified: {at}; x-ms-request-server-encrypted: true
         GET /shr/dir?restype=directory → 200 | etag: {f}; x-ms-meta-n: 1; x-ms-meta-k: -; x-ms-file-last-write-time: {t}
         PUT /shr/dir?restype=directory&comp=properties | x-ms-file-attributes: Hidden|NotContentIndexed; x-ms-file-creation-time: 2020-01-02T03:04:05.0000000Z → 200 | x-ms-file-attributes: +
         GET /shr/dir?restype=directory → 200 | x-ms-file-creation-time: 2020-01-02T03:04:05.0000000Z; x-ms-file-last-write-time: {t}; x-ms-meta-n: 1
         # only an empty directory is deleted
         DELETE /shr/dir?restype=directory → 409 DirectoryNotEmpty
         DELETE /shr/dir/sub?restype=directory → 202 | etag: - | {}
         DELETE /shr/dir?restype=directory → 202
         DELETE /shr/dir?restype=directory → 404 ResourceNotFound
         DELETE /shr/dir/sub?restype=directory → 404 ParentNotFound",
    )
    .await;
}

#[tokio::test]
async fn names_follow_the_rules_of_windows() {
    check(
        "PUT /shr/a%20b%20!@%23$%25%5E&(,.;'%5B%5D%7B%7D%60~)%20%E6%B5%8B?restype=directory → 201
         PUT /shr/a%3Ab?restype=directory → 400 InvalidResourceName
         PUT /shr/con?restype=directory → 400 InvalidResourceName
         PUT /shr/{256*a}?restype=directory → 400 OutOfRangeInput
         PUT /shr/{255*a}?restype=directory → 201
         PUT /shr/{2049*a}?restype=directory → 400 InvalidFileOrDirectoryPathName
         # trailing dots are dropped unless the request keeps them
         PUT /shr/dots...?restype=directory → 201
         PUT /shr/dots?restype=directory → 409 ResourceAlreadyExists
         PUT /shr/dots.?restype=directory | x-ms-allow-trailing-dot: true → 409 ResourceAlreadyExists
         PUT /shr/dots.?restype=directory | x-ms-allow-trailing-dot: true; x-ms-version: 2022-11-02 → 201
         GET /shr/dots.?restype=directory | x-ms-version: 2022-11-02 → 200 | x-ms-file-id: $id
         GET /shr/dots?restype=directory → 200 | x-ms-file-id: {id}
         DELETE /shr/dots?restype=directory → 202
         GET /shr/dots.?restype=directory | x-ms-version: 2022-11-02 → 404 ResourceNotFound
         GET /shr/dots.?restype=directory | x-ms-allow-trailing-dot: true; x-ms-version: 2022-11-02 → 200
         GET /shr/dots.?restype=directory | x-ms-allow-trailing-dot: maybe → 400 InvalidHeaderValue",
    )
    .await;
}

#[tokio::test]
async fn a_directory_is_not_a_file() {
    check(
        "PUT /shr/d?restype=directory → 201
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 1 → 201
         GET /shr/d → 404 ResourceNotFound
         HEAD /shr/d → 404 ResourceNotFound
         DELETE /shr/d → 409 ResourceTypeMismatch
         PUT /shr/D | x-ms-type: file; x-ms-content-length: 1 → 409 ResourceTypeMismatch
         GET /shr/f?restype=directory → 404 ResourceNotFound
         DELETE /shr/f?restype=directory → 409 ResourceTypeMismatch
         PUT /shr/f?restype=directory → 409 ResourceAlreadyExists
         GET /shr/f?restype=directory&comp=list → 404 ResourceNotFound
         PUT /shr/f/below?restype=directory → 404 ParentNotFound",
    )
    .await;
}

#[tokio::test]
async fn older_versions_require_the_smb_headers() {
    check(
        "PUT /shr/d?restype=directory | x-ms-version: 2019-02-02 → 400 MissingRequiredHeader | | ~x-ms-file-attributes
         PUT /shr/d?restype=directory | x-ms-version: 2019-02-02; x-ms-file-attributes: none; x-ms-file-creation-time: now; x-ms-file-last-write-time: now; x-ms-file-permission: Inherit → 201
         PUT /shr/e?restype=directory | x-ms-version: 2018-11-09 → 201 | x-ms-file-id: -
         PUT /shr/g?restype=directory | x-ms-file-attributes: preserve → 400 InvalidHeaderValue
         PUT /shr/g?restype=directory | x-ms-file-attributes: Temporary → 400 InvalidHeaderValue
         PUT /shr/g?restype=directory | x-ms-mode: 0755 → 400 UnsupportedHeader",
    )
    .await;
}
