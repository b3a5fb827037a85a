//! Append to a file, and flush what was appended.

use crate::operation::{
    BodyFraming, EncryptionCheck, Operation, OperationSpec, Reply, Request, Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::checksums::{ChecksumKinds, RequestChecksums};
use crate::rules::conditions::ConditionSupport;
use crate::rules::encryption::Encryption;
use crate::rules::error::StorageError;
use crate::rules::lake::append::{APPEND_LIMIT, Uncommitted, check_flush_length};
use crate::rules::lease::{LeaseAction, LeaseDuration, LeaseId};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::spec::WRITE;
use crate::services::blob::lake::wire::LakeContentHeaders;
use crate::services::blob::state::{Blob, Container};
use crate::services::blob::wire;
use crate::services::shared::content_headers::ContentHeaders;
use std::sync::Arc;

pub(super) static APPEND_DATA: Operation<Blobs> = operation!(
    append_data,
    AppendInput,
    OperationSpec {
        name: "Append Data",
        selectors: &[Selector::Query("action", "append")],
        requires: RequiredPermission::object("aw"),
        conditions: ConditionSupport::None,
        encryption: EncryptionCheck::Write,
        status: 202,
        ..WRITE
    }
);

pub(super) static FLUSH_DATA: Operation<Blobs> = operation!(
    flush_data,
    FlushInput,
    OperationSpec {
        name: "Flush Data",
        selectors: &[Selector::Query("action", "flush")],
        requires: RequiredPermission::object("aw"),
        conditions: ConditionSupport::Flush,
        encryption: EncryptionCheck::Write,
        ..WRITE
    }
);

input! { pub(super) AppendInput {
    position: u64 = Query "position",
    flush: Option<bool> = Query "flush",
    // It only marks the last event of a file.
    close: Option<bool> = Query "close",
    framing: BodyFraming,
    checksums: RequestChecksums,
    lease: PathLease,
} }

input! { pub(super) FlushInput {
    position: u64 = Query "position",
    retain: Option<bool> = Query "retainuncommitteddata",
    // It only marks the last event of a file.
    close: Option<bool> = Query "close",
    content: LakeContentHeaders,
    lease: PathLease,
} }

words! {
    /// What a write does with the lease of its file (`x-ms-lease-action`).
    pub(super) WriteLeaseAction {
        Acquire = "acquire",
        AutoRenew = "auto-renew",
        Release = "release",
        AcquireRelease = "acquire-release",
    }
}

input! { pub(super) PathLease {
    action: Option<WriteLeaseAction> = Header "x-ms-lease-action",
    duration: Option<LeaseDuration> = Header "x-ms-lease-duration",
    proposed: Option<LeaseId> = Header "x-ms-proposed-lease-id",
} }

impl PathLease {
    /// The action before the write.
    ///
    /// # Errors
    /// 400 MissingRequiredHeader without the lease id or the duration that the action needs.
    fn before(&self, request: &Request) -> Result<Option<LeaseAction>, StorageError> {
        let own = || request.lease_id.ok_or_else(|| StorageError::missing_header("x-ms-lease-id"));
        Ok(match self.action {
            Some(WriteLeaseAction::Acquire | WriteLeaseAction::AcquireRelease) => {
                let term = self.duration.ok_or_else(|| StorageError::missing_header("x-ms-lease-duration"))?;
                Some(LeaseAction::Acquire { term, proposed: self.proposed, fresh: LeaseId(request.environment.id()) })
            }
            Some(WriteLeaseAction::AutoRenew) => Some(LeaseAction::Renew { id: own()? }),
            Some(WriteLeaseAction::Release) => own().map(|_| None)?,
            None => None,
        })
    }

    /// Whether the file is available after the write.
    fn releases(&self) -> bool {
        matches!(self.action, Some(WriteLeaseAction::Release | WriteLeaseAction::AcquireRelease))
    }

    fn answer(&self, reply: Reply) -> Reply {
        reply.with_some("x-ms-lease-renewed", matches!(self.action, Some(WriteLeaseAction::AutoRenew)).then_some("true"))
    }
}

async fn append_data(blobs: &Blobs, mut request: Request, input: AppendInput) -> Result<Reply, StorageError> {
    let AppendInput { position, framing, checksums, lease, .. } = input;
    framing.check_content(&request.body)?;
    let before = lease.before(&request)?;
    // The file exists before its data is read.
    blobs.resource(&request)?.read().admit_append(&request)?;
    let received = request.receive(framing, APPEND_LIMIT, checksums.wanted(request.version)).await?;
    checksums.check(received.digests)?;
    let flushes = input.flush == Some(true);
    let append = |container: &mut Container| {
        container.step_path_lease(&request, before)?;
        let admitted = container.admit_append_leased(&request, before)?;
        let end = position.saturating_add(received.content.len());
        container.append(&admitted, position, received.content.clone(), &request)?;
        let flushed = match flushes {
            true => Some(container.flush(admitted, end, Uncommitted::Dropped, &ContentHeaders::default(), &request)?),
            false => None,
        };
        if flushes && lease.releases() {
            container.release_path(&request)?;
        }
        Ok(flushed)
    };
    let flushed = blobs.write(&request, append).await?;
    let reply = match &flushed {
        Some(blob) => wire::state(blob, &request),
        None => Reply::new(request.spec.status),
    };
    let reply = lease.answer(reply.with("x-ms-request-server-encrypted", "true"));
    let sent = ChecksumKinds { md5: checksums.md5.is_some(), crc64: checksums.crc64.is_some() };
    Ok(framing.answer(wire::with_encryption(reply, &request.encryption).with_digests(received.digests.only(sent))))
}

async fn flush_data(blobs: &Blobs, request: Request, input: FlushInput) -> Result<Reply, StorageError> {
    check_flush_length(request.body.content_length())?;
    let before = input.lease.before(&request)?;
    let uncommitted = if input.retain == Some(true) { Uncommitted::Retained } else { Uncommitted::Dropped };
    let flush = |container: &mut Container| -> Result<Arc<Blob>, StorageError> {
        container.step_path_lease(&request, before)?;
        let admitted = container.admit_append_leased(&request, before)?;
        let flushed = container.flush(admitted, input.position, uncommitted, &input.content.0, &request)?;
        if input.lease.releases() {
            container.release_path(&request)?;
        }
        Ok(flushed)
    };
    let blob = blobs.write(&request, flush).await?;
    // The header has been false since 2020-02-10, except with a customer's key (recorded).
    let encrypted = request.version < Version::V2020_02_10 || matches!(request.encryption, Encryption::Key(_));
    let reply = wire::state(&blob, &request).with("x-ms-request-server-encrypted", encrypted.to_string());
    Ok(input.lease.answer(wire::with_encryption(reply, &request.encryption)))
}
