//! Leases on shares, on their snapshots, and on files.

use super::check;

#[tokio::test]
async fn a_share_is_leased_like_a_container() {
    check(
        "PUT /shr?restype=share&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: {A} → 201 | x-ms-lease-id: {A}; etag: +
         GET /shr?restype=share → 200 | x-ms-lease-status: locked; x-ms-lease-state: leased; x-ms-lease-duration: fixed
         GET /shr?restype=share | x-ms-lease-id: {B} → 412 LeaseIdMismatchWithContainerOperation | | ~for the file share.
         PUT /shr?restype=share&comp=metadata | x-ms-meta-k: v → 200
         DELETE /shr?restype=share → 412 LeaseIdMissing | | ~There is currently a lease on the file share and no lease ID was specified in the request.
         PUT /shr?restype=share&comp=lease | x-ms-lease-action: renew; x-ms-lease-id: {A} → 200 | x-ms-lease-id: {A}
         PUT /shr?restype=share&comp=lease | x-ms-lease-action: change; x-ms-lease-id: {A}; x-ms-proposed-lease-id: {B} → 200 | x-ms-lease-id: {B}
         PUT /shr?restype=share&comp=lease | x-ms-lease-action: release; x-ms-lease-id: {B} → 200 | x-ms-lease-time: 0; x-ms-lease-id: -
         PUT /shr?restype=share&comp=lease | x-ms-lease-action: break → 409 LeaseNotPresentWithLeaseOperation | | ~There is currently no lease on the file share.
         PUT /shr?restype=share&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: {A} → 201
         PUT /shr?restype=share&comp=lease | x-ms-lease-action: break; x-ms-lease-break-period: 5 → 202 | x-ms-lease-time: 5
         wait 5
         DELETE /shr?restype=share | x-ms-lease-id: {A} → 412 LeaseLost | | ~the lease for the file share has expired.
         PUT /shr?restype=share&comp=lease | x-ms-lease-action: steal → 400 InvalidHeaderValue
         DELETE /shr?restype=share → 202",
    )
    .await;
}

#[tokio::test]
async fn a_snapshot_has_a_lease_of_its_own() {
    check(
        "PUT /shr?restype=share&comp=snapshot → 201 | x-ms-snapshot: $t
         PUT /shr?restype=share&comp=lease&sharesnapshot={t} | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         GET /shr?restype=share&sharesnapshot={t} → 200 | x-ms-lease-state: leased; x-ms-lease-duration: infinite
         GET /shr?restype=share → 200 | x-ms-lease-state: available
         DELETE /shr?restype=share&sharesnapshot={t} → 412 LeaseIdMissing
         DELETE /shr?restype=share | x-ms-delete-snapshots: include → 409 DeleteShareWhenSnapshotLeased
         PUT /shr?restype=share&comp=lease&sharesnapshot={t} | x-ms-lease-action: change; x-ms-lease-id: {A}; x-ms-proposed-lease-id: {B} → 200
         # a leased snapshot is checked before the share's own lease
         PUT /shr?restype=share&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {C} → 201
         DELETE /shr?restype=share | x-ms-delete-snapshots: include → 409 DeleteShareWhenSnapshotLeased
         DELETE /shr?restype=share | x-ms-delete-snapshots: include; x-ms-lease-id: {C} → 409 DeleteShareWhenSnapshotLeased
         DELETE /shr?restype=share | x-ms-delete-snapshots: include-leased → 412 LeaseIdMissing
         DELETE /shr?restype=share | x-ms-delete-snapshots: include-leased; x-ms-lease-id: {C} → 202",
    )
    .await;
}

#[tokio::test]
async fn the_lease_of_a_file_is_infinite() {
    check(
        "PUT /shr/f | x-ms-type: file; x-ms-content-length: 3 → 201 | etag: $e
         PUT /shr/f?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: 30 → 400 InvalidHeaderValue
         PUT /shr/f?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201 | x-ms-lease-id: {A}; etag: {e}
         HEAD /shr/f → 200 | etag: {e}; x-ms-lease-status: locked; x-ms-lease-state: leased; x-ms-lease-duration: infinite
         PUT /shr/f?comp=lease | x-ms-lease-action: renew; x-ms-lease-id: {A} → 400 InvalidHeaderValue
         # a write needs the lease id
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-2 | new → 412 LeaseIdMissing | | ~There is currently a lease on the file and no lease ID
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-2; x-ms-lease-id: {B} | new → 412 LeaseIdMismatchWithFileOperation
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-2; x-ms-lease-id: {A} | new → 201
         PUT /shr/f?comp=metadata | x-ms-meta-k: v → 412 LeaseIdMissing
         PUT /shr/f?comp=properties | x-ms-content-length: 1 → 412 LeaseIdMissing
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 3 → 412 LeaseIdMissing
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 3; x-ms-lease-id: {A} → 201
         HEAD /shr/f → 200 | x-ms-lease-state: leased
         DELETE /shr/f → 412 LeaseIdMissing
         # a read needs none, but must not have another
         GET /shr/f → 200
         HEAD /shr/f | x-ms-lease-id: {B} → 412 LeaseIdMismatchWithFileOperation
         # change, immediate break, release
         PUT /shr/f?comp=lease | x-ms-lease-action: change; x-ms-lease-id: {A}; x-ms-proposed-lease-id: {B} → 200 | x-ms-lease-id: {B}
         PUT /shr/f?comp=lease | x-ms-lease-action: break → 202 | x-ms-lease-time: 0
         PUT /shr/f?comp=metadata | x-ms-lease-id: {B} → 412 LeaseLost
         PUT /shr/f?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /shr/f?comp=lease | x-ms-lease-action: release; x-ms-lease-id: {A} → 200 | x-ms-lease-time: -
         PUT /shr/f?comp=metadata | x-ms-lease-id: {A} → 412 LeaseNotPresentWithFileOperation
         DELETE /shr/f → 202
         # a directory has no lease
         PUT /shr/d?restype=directory → 201
         PUT /shr/d?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1 → 409 ResourceTypeMismatch",
    )
    .await;
}
