//! Create File and Create Directory.

use super::{check, check_in, lake, names};

#[tokio::test]
async fn a_path_is_created_with_its_parents() {
    let server = lake(&[]).await;
    check_in(
        &server,
        "# The file system is a resource of both APIs.
         HEAD /box?resource=filesystem → 200 | x-ms-namespace-enabled: true; etag: +
         PUT /box?resource=filesystem → 409 FilesystemAlreadyExists
         PUT /none/f?resource=file → 404 FilesystemNotFound
         # A file without properties.
         PUT /box/a/b/f?resource=file → 201 | etag: $file; x-ms-request-server-encrypted: true; content-length: 0
         HEAD /box/a/b/f → 200 | etag: {file}; content-length: 0; content-type: application/octet-stream; x-ms-resource-type: file; x-ms-permissions: rw-r-----; x-ms-owner: $superuser; x-ms-group: $superuser
         HEAD /box/a/b → 200 | x-ms-resource-type: directory; x-ms-permissions: rwxr-x---; x-ms-properties: hdi_isfolder=dHJ1ZQ==
         HEAD /box/a/b?action=getAccessControl → 200 | x-ms-acl: user::rwx,group::r-x,other::---; content-length: -
         # Slashes at the ends and between segments do not count.
         HEAD /box//a//b/f/ → 200 | etag: {file}
         HEAD /box/a%2Fb%2Ff → 200 | etag: {file}
         # A parent has to be a directory.
         PUT /box/a/b/f/g?resource=file → 409 PathConflict
         HEAD /box/a/b/f/g → 404 PathNotFound
         GET /box/a/none → 404 PathNotFound | content-type: application/json;charset=utf-8",
    )
    .await;
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["a/", "a/b/", "a/b/f"]);
}

#[tokio::test]
async fn a_creation_meets_what_exists() {
    check(
        "PUT /box/f?resource=file | x-ms-properties: k=dg==; x-ms-content-type: text/plain → 201 | etag: $file
         PUT /box/d?resource=directory → 201 | etag: $directory
         PUT /box/d/f?resource=file → 201
         # The children of a directory do not change it.
         HEAD /box/d → 200 | etag: {directory}
         PUT /box/f?resource=file | if-none-match: * → 409 PathAlreadyExists | x-ms-existing-resource-type: file
         PUT /box/d?resource=directory | if-none-match: * → 409 PathAlreadyExists | x-ms-existing-resource-type: directory
         PUT /box/d?resource=file | if-none-match: * → 409 PathAlreadyExists | x-ms-existing-resource-type: directory
         PUT /box/d?resource=file → 409 PathConflict
         PUT /box/f?resource=directory → 409 PathConflict
         PUT /box/f?resource=file | if-none-match: {file} → 412 ConditionNotMet
         PUT /box/f?resource=file | if-match: \"0x1\" → 412 ConditionNotMet
         PUT /box/new?resource=file | if-match: \"0x1\" → 412 ConditionNotMet
         PUT /box/new?resource=file | x-ms-lease-id: {A} → 412 LeaseNotPresent
         # An overwritten file has what the request has.
         HEAD /box/f → 200 | content-type: text/plain; x-ms-properties: k=dg==
         PUT /box/f?resource=file | if-match: {file} → 201 | etag: $again
         HEAD /box/f → 200 | etag: {again}; content-type: application/octet-stream; x-ms-properties: -
         # A directory keeps what it contains, and its access control.
         PATCH /box/d?action=setAccessControl | x-ms-permissions: 0700 → 200 | etag: {directory}; x-ms-namespace-enabled: true
         PUT /box/d?resource=directory → 201
         HEAD /box/d → 200 | x-ms-permissions: rwx------
         HEAD /box/d/f → 200",
    )
    .await;
}

#[tokio::test]
async fn a_new_path_has_permissions_an_owner_a_lease_and_an_expiry() {
    check(
        "PUT /box/a?resource=directory | x-ms-permissions: 0777; x-ms-umask: 0057 → 201
         HEAD /box/a?action=getAccessControl → 200 | x-ms-acl: user::rwx,group::-w-,other::---; x-ms-permissions: rwx-w----
         PUT /box/b?resource=file | x-ms-acl: user::rwx,group::r--,other::---,mask::rwx → 201
         HEAD /box/b?action=getAccessControl → 200 | x-ms-acl: user::rwx,group::r--,mask::rwx,other::---; x-ms-permissions: rwxrwx---+
         PUT /box/c?resource=file | x-ms-acl: user::rwx; x-ms-permissions: 0777 → 400 InvalidHeaderValue
         PUT /box/c?resource=file | x-ms-acl: asdf → 400 InvaldAccessControlList
         PUT /box/c?resource=file | x-ms-permissions: 9 → 400 InvalidPermission
         PUT /box/c?resource=file | x-ms-owner: ann; x-ms-group: staff → 201
         HEAD /box/c → 200 | x-ms-owner: ann; x-ms-group: staff
         # A default list replaces the umask.
         PUT /box/d?resource=directory | x-ms-acl: user::rwx,group::r-x,other::---,default:user:FOO:rwx,default:mask::rwx → 201
         PUT /box/d/f?resource=file | x-ms-permissions: 0644; x-ms-umask: 0077 → 201
         HEAD /box/d/f?action=getAccessControl → 200 | x-ms-acl: user::rw-,user:FOO:rwx,group::r-x,mask::r--,other::---
         # Leases.
         PUT /box/e?resource=file | x-ms-proposed-lease-id: {A}; x-ms-lease-duration: 15 → 201
         HEAD /box/e → 200 | x-ms-lease-state: leased; x-ms-lease-status: locked; x-ms-lease-duration: fixed
         PUT /box/e?resource=file → 412 LeaseIdMissing
         PUT /box/e?resource=file | x-ms-lease-id: {B} → 412 LeaseIdMismatch
         PUT /box/e?resource=file | x-ms-lease-id: {A} → 201
         PUT /box/g?resource=file | x-ms-lease-duration: 15 → 400 MissingRequiredHeader
         POST /box/e | x-ms-lease-action: break → 202 | x-ms-lease-time: +
         # Expiry.
         PUT /box/h?resource=file | x-ms-expiry-option: RelativeToNow; x-ms-expiry-time: 5000 → 201
         HEAD /box/h → 200 | x-ms-expiry-time: +
         PUT /box/i?resource=directory | x-ms-expiry-option: RelativeToNow; x-ms-expiry-time: 5000 → 400 InvalidHeaderValue
         wait 6
         HEAD /box/h → 404 PathNotFound
         PUT /box/j?resource=file | x-ms-encryption-context: con=text → 201
         HEAD /box/j → 200 | x-ms-encryption-context: con=text",
    )
    .await;
}

#[tokio::test]
async fn properties_are_replaced() {
    check(
        "PUT /box/f?resource=file | x-ms-properties: a=MQ==,b=Mg== → 201 | etag: $file
         PATCH /box/f?action=setProperties | x-ms-properties: b=Mw== → 200 | etag: $changed; x-ms-namespace-enabled: true
         HEAD /box/f → 200 | etag: {changed}; x-ms-properties: b=Mw==
         HEAD /box/f?action=getStatus → 200 | x-ms-properties: -; x-ms-owner: $superuser; x-ms-resource-type: file
         PATCH /box/f?action=setProperties | if-match: {file} → 412 ConditionNotMet
         PATCH /box/f?action=setProperties | x-ms-properties: b → 400 InvalidHeaderValue
         PATCH /box/f?action=setProperties → 200
         HEAD /box/f → 200 | x-ms-properties: -
         PATCH /box?resource=filesystem | x-ms-properties: k=dg== → 200
         HEAD /box?resource=filesystem → 200 | x-ms-properties: k=dg==
         GET /?resource=account → 200 | | ~\"name\":\"box\"
         DELETE /box?resource=filesystem → 202
         HEAD /box?resource=filesystem → 404 FilesystemNotFound",
    )
    .await;
}
