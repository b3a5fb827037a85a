//! Snapshots of a share.

use super::check;

#[tokio::test]
async fn a_snapshot_preserves_the_content() {
    check(
        "GET /shr?restype=share → 200 | etag: $e
         PUT /shr/d?restype=directory → 201
         PUT /shr/d/f | x-ms-type: file; x-ms-content-length: 3 → 201
         PUT /shr/d/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-2 | old → 201 | etag: $f
         PUT /shr?restype=share&comp=snapshot → 201 | x-ms-snapshot: $t; etag: {e}
         PUT /shr/d/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-2 | new → 201
         PUT /shr/d/g | x-ms-type: file; x-ms-content-length: 1 → 201
         # two snapshots in one second have different names
         PUT /shr?restype=share&comp=snapshot | x-ms-meta-n: 2 → 201 | x-ms-snapshot: $u
         GET /shr/d/f?sharesnapshot={t} → 200 | etag: {f} | old
         HEAD /shr/d/f?sharesnapshot={t} → 200 | content-length: 3
         GET /shr/d/f?sharesnapshot={u} → 200 | | new
         GET /shr/d/g?sharesnapshot={t} → 404 ResourceNotFound
         GET /shr/d?restype=directory&comp=list&sharesnapshot={t} → 200 | | ~ShareSnapshot=\"{t}\" DirectoryPath=\"d\"> | ~<Name>f</Name> | !<Name>g</Name>
         GET /shr/d?restype=directory&sharesnapshot={t} → 200
         GET /shr?restype=share&sharesnapshot={u} → 200 | x-ms-meta-n: 2
         GET /shr?restype=share&comp=metadata&sharesnapshot={t} → 200 | x-ms-meta-n: -
         GET /shr/d/f?comp=rangelist&sharesnapshot={t} → 200 | | ~<End>2</End>
         # a snapshot is read-only
         PUT /shr/d/f?comp=range&sharesnapshot={t} | x-ms-write: update; x-ms-range: bytes=0-2 | bad → 400 InvalidQueryParameterValue
         PUT /shr/d/h?sharesnapshot={t} | x-ms-type: file; x-ms-content-length: 1 → 400 InvalidQueryParameterValue
         DELETE /shr/d/f?sharesnapshot={t} → 400 InvalidQueryParameterValue
         # a snapshot outlives the files in the current share
         DELETE /shr/d/f → 202
         GET /shr/d/f?sharesnapshot={t} → 200 | | old
         # no such snapshot, or a malformed time
         GET /shr?restype=share&sharesnapshot=2017-07-19T06:53:46.0000000Z → 404 ShareNotFound
         GET /shr/d/f?sharesnapshot=soon → 400 InvalidQueryParameterValue
         # deleted one by one, or with the share
         DELETE /shr?restype=share → 409 ShareHasSnapshots
         DELETE /shr?restype=share&sharesnapshot={t} → 202
         GET /shr?restype=share&sharesnapshot={t} → 404 ShareNotFound
         DELETE /shr?restype=share | x-ms-delete-snapshots: some → 400 InvalidHeaderValue
         DELETE /shr?restype=share | x-ms-delete-snapshots: include → 202
         GET /shr?restype=share → 404 ShareNotFound",
    )
    .await;
}

#[tokio::test]
async fn changes_since_a_snapshot_are_listed() {
    check(
        "PUT /shr/f | x-ms-type: file; x-ms-content-length: 2048 → 201
         PUT /shr?restype=share&comp=snapshot → 201 | x-ms-snapshot: $t
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-1535 | {1536*a} → 201
         PUT /shr?restype=share&comp=snapshot → 201 | x-ms-snapshot: $u
         PUT /shr/f?comp=range | x-ms-write: clear; x-ms-range: bytes=512-1023 → 201
         GET /shr/f?comp=rangelist&prevsharesnapshot={t} → 200 | | ~<Ranges><Range><Start>0</Start><End>511</End></Range><ClearRange><Start>512</Start><End>1023</End></ClearRange><Range><Start>1024</Start><End>1535</End></Range></Ranges>
         GET /shr/f?comp=rangelist&prevsharesnapshot={u} → 200 | | ~<Ranges><ClearRange><Start>512</Start><End>1023</End></ClearRange></Ranges>
         GET /shr/f?comp=rangelist&prevsharesnapshot={t}&sharesnapshot={u} → 200 | | ~<Ranges><Range><Start>0</Start><End>1535</End></Range></Ranges>
         GET /shr/f?comp=rangelist&prevsharesnapshot={u}&sharesnapshot={t} → 400 PreviousSnapshotCannotBeNewer
         GET /shr/f?comp=rangelist&prevsharesnapshot=2017-07-19T06:53:46.0000000Z → 409 PreviousSnapshotNotFound
         # after a rename, if the request supports it
         PUT /shr/g?comp=rename | x-ms-file-rename-source: {root}/shr/f → 200
         GET /shr/g?comp=rangelist&prevsharesnapshot={u} → 409 PreviousSnapshotOperationNotSupported
         GET /shr/g?comp=rangelist&prevsharesnapshot={u} | x-ms-file-support-rename: true → 200 | | ~<Ranges><ClearRange><Start>512</Start>"
            .replace("{root}", "/devstoreaccount1")
            .as_str(),
    )
    .await;
}
