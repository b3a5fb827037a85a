//! Append to a file, and flush what was appended.

use crate::operation::{
    BodyFraming, EncryptionCheck, FieldLocation, FromField, Input, Operation, OperationSpec, Reply, Request, Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::checksums::{ChecksumKinds, RequestChecksums};
use crate::rules::conditions::ConditionSupport;
use crate::rules::encryption::Encryption;
use crate::rules::error::StorageError;
use crate::rules::lake::access::Action;
use crate::rules::lake::append::{APPEND_LIMIT, Uncommitted, check_flush_length};
use crate::rules::lake::lease::WriteLease;
use crate::rules::lease::LeaseCheck;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::spec::WRITE;
use crate::services::blob::lake::wire::{Close, LakeContentHeaders};
use crate::services::blob::state::{Container, FlushRequest, WrittenFile};
use crate::services::blob::wire;
use crate::services::shared::content_headers::ContentHeaders;

pub(super) static APPEND_DATA: Operation<Blobs> = operation!(
    append_data,
    (AppendInput, Close),
    OperationSpec {
        name: "Append Data",
        selectors: &[Selector::Query("action", "append")],
        requires: RequiredPermission::object("aw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]),
        path_action: Some(Action::Append),
        conditions: ConditionSupport::None,
        // The lease headers of the input have an action beside the id.
        lease: LeaseCheck::None,
        encryption: EncryptionCheck::Write,
        status: 202,
        ..WRITE
    }
);

pub(super) static FLUSH_DATA: Operation<Blobs> = operation!(
    flush_data,
    (FlushInput, Close),
    OperationSpec {
        name: "Flush Data",
        selectors: &[Selector::Query("action", "flush")],
        requires: RequiredPermission::object("aw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]),
        path_action: Some(Action::Append),
        conditions: ConditionSupport::Flush,
        lease: LeaseCheck::None,
        encryption: EncryptionCheck::Write,
        ..WRITE
    }
);

input! { pub(super) AppendInput {
    position: u64 = Query "position",
    write: AppendOptions,
    framing: BodyFraming,
    checksums: RequestChecksums,
} }

input! { pub(super) FlushInput {
    position: u64 = Query "position",
    retain: Option<bool> = Query "retainuncommitteddata",
    content: LakeContentHeaders,
    lease: FlushLease,
} }

/// The headers of the lease of the file that is written.
const LEASE: [&str; 4] = ["x-ms-lease-id", "x-ms-lease-action", "x-ms-lease-duration", "x-ms-proposed-lease-id"];

parsed_input! {
    /// Whether an append also flushes, and what it does with the lease.
    pub(super) AppendOptions((bool, WriteLease)) = [Input::query("flush"), Input::Headers(&LEASE)],
    |fields| {
        let flushes = Option::<bool>::from_field(fields, FieldLocation::Query, "flush")? == Some(true);
        Ok((flushes, WriteLease::read(|name| fields.header(name), flushes)?))
    }
}

parsed_input! {
    /// What a flush does with the lease.
    pub(super) FlushLease(WriteLease) = [Input::Headers(&LEASE)],
    |fields| WriteLease::read(|name| fields.header(name), true)
}

/// The header of a renewed lease.
fn renewed(reply: Reply, written: &WrittenFile) -> Reply {
    reply.with_some("x-ms-lease-renewed", written.renewed.map(|renewed| renewed.to_string()))
}

async fn append_data(blobs: &Blobs, mut request: Request, (input, Close): (AppendInput, Close)) -> Result<Reply, StorageError> {
    let AppendInput { position, write: AppendOptions((flushes, lease)), framing, checksums } = input;
    framing.check_content(&request.body)?;
    // The file exists before its data is read.
    blobs.resource(&request)?.read().admit_append(&request)?;
    let received = request.receive(framing, APPEND_LIMIT, checksums.wanted(request.version)).await?;
    checksums.check(received.digests)?;
    let end = position.saturating_add(received.content.len());
    let headers = ContentHeaders::default();
    let flush = flushes.then_some(FlushRequest { position: end, uncommitted: Uncommitted::Dropped, headers: &headers });
    let append = |container: &mut Container| container.append(&request, lease, position, received.content, flush);
    let written = blobs.write(&request, append).await?;
    let reply = if flushes { wire::state(&written.blob, &request) } else { Reply::new(request.spec.status) };
    let reply = renewed(reply.with("x-ms-request-server-encrypted", "true"), &written);
    let sent = ChecksumKinds { md5: checksums.md5.is_some(), crc64: checksums.crc64.is_some() };
    Ok(framing.answer(wire::with_encryption(reply, &request.encryption).with_digests(received.digests.only(sent))))
}

async fn flush_data(blobs: &Blobs, request: Request, (input, Close): (FlushInput, Close)) -> Result<Reply, StorageError> {
    check_flush_length(request.body.content_length())?;
    let uncommitted = if input.retain == Some(true) { Uncommitted::Retained } else { Uncommitted::Dropped };
    let flush = FlushRequest { position: input.position, uncommitted, headers: &input.content.0 };
    let written = blobs.write(&request, |container| container.flush(&request, input.lease.0, flush)).await?;
    // The header has been false since 2020-02-10, except with a customer's key (recorded).
    let encrypted = request.version < Version::V2020_02_10 || matches!(request.encryption, Encryption::Key(_));
    let reply = wire::state(&written.blob, &request).with("x-ms-request-server-encrypted", encrypted.to_string());
    Ok(renewed(wire::with_encryption(reply, &request.encryption), &written))
}
