//! Delete Blob: the blob, its snapshots with it or instead of it, or one snapshot or version; and for good what only its retention
//! keeps (`deletetype=permanent`).
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::tier;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::DeleteSnapshots;

pub(super) static DELETE_BLOB: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Delete Blob",
        methods: &["DELETE"],
        resource: ResourceKind::Blob,
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("dxy"),
        access: Access::Write,
        conditions: ConditionSupport::Delete,
        lease: LeaseCheck::Required,
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    delete_snapshots: Option<String> = Header "x-ms-delete-snapshots",
    snapshot: Option<String> = Query "snapshot",
    version: Option<String> = Query "versionid",
    delete_type: Option<String> = Query "deletetype",
    tier_modified_since: Option<String> = Header "x-ms-access-tier-if-modified-since",
    tier_unmodified_since: Option<String> = Header "x-ms-access-tier-if-unmodified-since",
} }

impl Asked {
    /// What is asked of the moment at which the blob's tier last changed. Versions before 2026-04-06 do not know it.
    fn tier_conditions(&self, request: &Request) -> Result<tier::ChangeConditions, StorageError> {
        match request.version >= Version::V2026_04_06 {
            true => tier::ChangeConditions::read(self.tier_modified_since.as_deref(), self.tier_unmodified_since.as_deref()),
            false => Ok(tier::ChangeConditions::default()),
        }
    }
}

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let permanent = match asked.delete_type.as_deref() {
        None => false,
        Some(text) if text.eq_ignore_ascii_case("permanent") => true,
        Some(text) => return Err(StorageError::invalid_query("deletetype", text, "Invalid query parameter value.")),
    };
    let snapshots = match asked.delete_snapshots.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None => None,
        Some("include") if asked.snapshot.is_none() => Some(DeleteSnapshots::Include),
        Some("only") if asked.snapshot.is_none() => Some(DeleteSnapshots::Only),
        Some(other) => return Err(StorageError::invalid_header("x-ms-delete-snapshots", other)),
    };
    let by_version = asked.version.is_some();
    if by_version && snapshots.is_some() {
        return Err(StorageError::invalid_header("x-ms-delete-snapshots", asked.delete_snapshots.unwrap_or_default()));
    }
    let tiers = asked.tier_conditions(&request)?;
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
                tiers.hold(admitted.tier_changed(request.now))?;
                container.purge(&admitted, request.now)
            })
            .await?;
        return Ok(answer(&request, true));
    }
    let keeping = blobs.retention_policy(&request)?;
    let for_good = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            tiers.hold(admitted.tier_changed(request.now))?;
            container.remove(&admitted, snapshots, by_version, request.now, keeping)
        })
        .await?;
    Ok(answer(&request, for_good))
}

fn answer(request: &Request, for_good: bool) -> Reply {
    Reply::new(request.spec.status).with("x-ms-delete-type-permanent", for_good.to_string())
}
