//! Delete Blob: deletes the blob, its snapshots with it or instead of it, or one snapshot or version. `deletetype=permanent` deletes for
//! good what the account still retains.
use crate::operation::{self, FieldLocation, Fields, FromField, FromRequest, FromText, Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::tier::ChangeConditions;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::DeleteSnapshots;

pub(super) static DELETE_BLOB: Operation<Blobs> = operation!(
    delete_blob,
    Input,
    OperationSpec {
        name: "Delete Blob",
        methods: &["DELETE"],
        requires: RequiredPermission::object("dxy"),
        conditions: ConditionSupport::Delete,
        status: 202,
        ..WRITE
    }
);

input! { pub(super) Input {
    permanent: Permanent = Query "deletetype",
    snapshot: Option<String> = Query "snapshot",
    version: Option<String> = Query "versionid",
    snapshots: Option<DeleteSnapshots> = Header "x-ms-delete-snapshots",
    tier: ChangeConditions,
} }

/// Whether the blob is deleted for good (`deletetype=permanent`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Permanent(bool);

impl FromField for Permanent {
    const REQUIRED: bool = false;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<Permanent, StorageError> {
        match fields.text(location, name) {
            None => Ok(Permanent(false)),
            Some(text) if text.eq_ignore_ascii_case("permanent") => Ok(Permanent(true)),
            Some(text) => Err(StorageError::invalid_query(name, text, "Invalid query parameter value.")),
        }
    }
}

impl FromText for DeleteSnapshots {
    fn from_text(text: &str) -> Option<DeleteSnapshots> {
        [DeleteSnapshots::Include, DeleteSnapshots::Only].into_iter().find(|value| value.name().eq_ignore_ascii_case(text))
    }
}

/// The conditions on the last change of the tier. Versions before 2026-04-06 ignore them.
impl FromRequest for ChangeConditions {
    const INPUTS: &'static [operation::Input] = &[
        operation::Input::header("x-ms-access-tier-if-modified-since"),
        operation::Input::header("x-ms-access-tier-if-unmodified-since"),
    ];

    fn from_request(fields: &Fields<'_>) -> Result<ChangeConditions, StorageError> {
        if fields.version < Version::V2026_04_06 {
            return Ok(ChangeConditions::default());
        }
        let [modified_since, unmodified_since] =
            ["x-ms-access-tier-if-modified-since", "x-ms-access-tier-if-unmodified-since"].map(|name| fields.header(name));
        ChangeConditions::read(modified_since, unmodified_since)
    }
}

async fn delete_blob(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let (Permanent(permanent), by_version) = (input.permanent, input.version.is_some());
    if let Some(snapshots) = input.snapshots.filter(|_| by_version || input.snapshot.is_some()) {
        return Err(StorageError::invalid_header("x-ms-delete-snapshots", snapshots.name()));
    }
    let letter = match (permanent, by_version) {
        (true, _) => "y",
        (false, true) => "x",
        (false, false) => "d",
    };
    if !request.authorization.allows(letter) {
        return Err(request.authorization.missing_permission(letter));
    }
    let container = blobs.container(&request)?;
    if permanent {
        if !blobs.account(&request.account.name)?.properties.read().delete_retention.allow_permanent_delete {
            return Err(ErrorCode::BlobOperationNotSupported.into());
        }
        container
            .write(|container| {
                let admitted = container.admit_deleted(&request)?;
                input.tier.hold(admitted.tier_changed(request.now))?;
                container.purge(&admitted, request.now)
            })
            .await?;
        return Ok(answer(&request, true));
    }
    let retention = blobs.retention_policy(&request)?;
    let is_permanent = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            input.tier.hold(admitted.tier_changed(request.now))?;
            container.remove(&admitted, input.snapshots, by_version, request.now, retention)
        })
        .await?;
    Ok(answer(&request, is_permanent))
}

fn answer(request: &Request, is_permanent: bool) -> Reply {
    Reply::new(request.spec.status).with("x-ms-delete-type-permanent", is_permanent.to_string())
}
