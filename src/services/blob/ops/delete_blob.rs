//! Delete Blob: deletes the blob, its snapshots with it or instead of it, or one snapshot or version. `deletetype=permanent` deletes for
//! good what the account still retains.
use crate::operation::{self, Fields, FromRequest, Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::blob::tier::ChangeConditions;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Action;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::{Container, DeleteSnapshots};

pub(super) static DELETE_BLOB: Operation<Blobs> = operation!(
    delete_blob,
    Input,
    OperationSpec {
        name: "Delete Blob",
        methods: &["DELETE"],
        path_action: Some(Action::Delete),
        requires: RequiredPermission::object("dxy").actions(&[
            &[RoleAction::BlobDelete],
            &[RoleAction::BlobDeleteVersion],
            &[RoleAction::BlobPermanentDelete]
        ]),
        conditions: ConditionSupport::Delete,
        status: 202,
        ..WRITE
    }
);

input! { pub(super) Input {
    delete_type: Option<DeleteType> = Query "deletetype",
    snapshot: Option<String> = Query "snapshot",
    version: Option<String> = Query "versionid",
    snapshots: Option<DeleteSnapshots> = Header "x-ms-delete-snapshots",
    tier: ChangeConditions,
} }

words! {
    /// The only value of `deletetype`.
    pub(super) DeleteType { Permanent = "permanent" } or "Invalid query parameter value."
}

const TIER_CONDITIONS: [&str; 2] = ["x-ms-access-tier-if-modified-since", "x-ms-access-tier-if-unmodified-since"];

/// The conditions on the last change of the tier. Versions before 2026-04-06 ignore them.
impl FromRequest for ChangeConditions {
    const INPUTS: &'static [operation::Input] = &[operation::Input::Headers(&TIER_CONDITIONS)];

    fn from_request(fields: &Fields<'_>) -> Result<ChangeConditions, StorageError> {
        if fields.version < Version::V2026_04_06 {
            return Ok(ChangeConditions::default());
        }
        let [modified_since, unmodified_since] = TIER_CONDITIONS.map(|name| fields.header(name));
        ChangeConditions::read(modified_since, unmodified_since)
    }
}

async fn delete_blob(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let (permanent, by_version) = (input.delete_type.is_some(), input.version.is_some());
    if let Some(snapshots) = input.snapshots.filter(|_| by_version || input.snapshot.is_some()) {
        return Err(StorageError::invalid_header("x-ms-delete-snapshots", snapshots.to_string()));
    }
    let letter = match (permanent, by_version) {
        (true, _) => "y",
        (false, true) => "x",
        (false, false) => "d",
    };
    if !request.authorization.allows(letter) {
        return Err(request.authorization.missing_permission(letter));
    }
    let container = blobs.resource(&request)?;
    if permanent {
        if !blobs.account(&request.account.name)?.properties.read().delete_retention.allow_permanent_delete {
            return Err(ErrorCode::BlobOperationNotSupported.into());
        }
        let purge = |container: &mut Container| {
            let admitted = container.admit_deleted(&request)?;
            input.tier.hold(admitted.tier_changed(request.now))?;
            container.purge(&admitted, request.now)
        };
        container.write(purge).await?;
        return Ok(answer(&request, true));
    }
    let retention = blobs.retention_policy(&request)?;
    let remove = |container: &mut Container| {
        if container.is_hierarchical() {
            // The service deletes only empty directories through this API, and has its own code for others (users of the real service).
            let deleted = container.delete_admitted(&request, false, retention);
            return deleted.map(|id| id.is_none()).map_err(|error| match error.code() {
                ErrorCode::DirectoryNotEmpty => ErrorCode::DirectoryIsNotEmpty.into(),
                _ => error,
            });
        }
        let admitted = container.admit(&request)?;
        input.tier.hold(admitted.tier_changed(request.now))?;
        container.remove(&admitted, input.snapshots, by_version, request.now, retention)
    };
    Ok(answer(&request, container.write(remove).await?))
}

fn answer(request: &Request, is_permanent: bool) -> Reply {
    Reply::new(request.spec.status).with("x-ms-delete-type-permanent", is_permanent.to_string())
}
