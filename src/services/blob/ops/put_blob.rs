//! Put Blob: a block blob with its content, or an append or page blob, which is created without content.

use crate::operation::{
    self, BodyFraming, EncryptionCheck, FieldLocation, Fields, FromField, FromRequest, Operation, OperationSpec, Reply, Request,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::blob::tier::TierSupport;
use crate::rules::blob::{blocks, pages};
use crate::rules::checksums::{Digests, RequestChecksums};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::ops::set_expiry::NewBlobExpiry;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::{Container, NewBlob};
use crate::services::blob::wire;
use crate::services::blob::wire::{BodyContentHeaders, NewBlobHeaders, PageBlobSize};
use crate::store::sparse::Sparse;
use std::sync::Arc;

pub(super) static PUT_BLOB: Operation<Blobs> = operation!(
    put_blob,
    Input,
    OperationSpec {
        name: "Put Blob",
        requires: RequiredPermission::object("cw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]),
        conditions: ConditionSupport::Create,
        encryption: EncryptionCheck::Write,
        status: 201,
        ..WRITE
    }
);

input! { pub(super) Input {
    new_body: NewBody,
    new: NewBlobHeaders,
    expiry: NewBlobExpiry,
    content: BodyContentHeaders,
} }

/// The body of the new blob. Only a block blob has its content in the request.
#[derive(Debug)]
pub(super) enum NewBody {
    Block(BodyFraming, RequestChecksums),
    Append,
    Page { size: u64, sequence: u64 },
}

impl FromRequest for NewBody {
    const INPUTS: &'static [operation::Input] = &[
        operation::Input::required_header("x-ms-blob-type"),
        operation::Input::Headers(&["x-ms-blob-content-length", "x-ms-blob-sequence-number"]),
        operation::Input::Group(BodyFraming::INPUTS),
        operation::Input::Group(<RequestChecksums as FromRequest>::INPUTS),
    ];

    fn from_request(fields: &Fields<'_>) -> Result<NewBody, StorageError> {
        match String::from_field(fields, FieldLocation::Header, "x-ms-blob-type")?.as_str() {
            "BlockBlob" => Ok(NewBody::Block(BodyFraming::from_request(fields)?, RequestChecksums::from_request(fields)?)),
            "AppendBlob" => Ok(NewBody::Append),
            "PageBlob" if fields.account.hns => Err(ErrorCode::FeatureNotYetSupportedForHierarchicalNamespaceAccounts.into()),
            "PageBlob" => {
                let PageBlobSize(size) = FromField::from_field(fields, FieldLocation::Header, "x-ms-blob-content-length")?;
                let name = "x-ms-blob-sequence-number";
                let sequence = fields.header(name).map_or(Ok(0), |text| pages::read_sequence(name, text))?;
                Ok(NewBody::Page { size, sequence })
            }
            other => Err(StorageError::invalid_header("x-ms-blob-type", other)),
        }
    }
}

async fn put_blob(blobs: &Blobs, mut request: Request, input: Input) -> Result<Reply, StorageError> {
    wire::check_unsupported_headers(&request)?;
    let Input { new_body, new, expiry, content: BodyContentHeaders(mut headers) } = input;
    if !matches!(new_body, NewBody::Block(..)) {
        request.check_no_content()?;
    }
    new.check_tier(match new_body {
        NewBody::Block(..) => TierSupport::Standard,
        NewBody::Append => TierSupport::None,
        NewBody::Page { .. } => TierSupport::Premium,
    })?;
    // The blob is created in the container that exists before the body is read, not in one that is created meanwhile.
    let container = blobs.resource(&request)?;
    let retention = blobs.retention_policy(&request)?;

    let (mut digests, mut structured) = (Digests::default(), None);
    let body = match new_body {
        NewBody::Block(framing, checksums) => {
            // The blob's own MD5 takes precedence over that of the request: Azurite checks the body against it alone, and there is no
            // evidence for more.
            let stated = RequestChecksums::read(headers.md5.as_deref(), None)?;
            let wanted = checksums.wanted_of_blob(request.version);
            let received = request.receive(framing, blocks::put_blob_limit(request.version), wanted).await?;
            RequestChecksums { md5: stated.md5.or(checksums.md5), ..checksums }.check(received.digests)?;
            (digests, structured) = (received.digests, Some(framing));
            headers.md5 = digests.md5.map(|md5| md5.to_string().into());
            Body::Block { content: received.content, blocks: Arc::default() }
        }
        NewBody::Append => Body::Append { content: Sparse::default(), blocks: 0, sealed: false },
        NewBody::Page { size, sequence } => Body::Page { content: Sparse::new(size), sequence },
    };
    new.check_tier_of(&body)?;
    // Older clients make directories by this, and others by a name with a slash at its end.
    let makes_directory =
        body.len() == 0 && (new.marks_directory() || request.target.object_name().is_some_and(|name| name.ends_with('/')));
    let make = |blob: NewBlob| new.apply(blob.blob(body, headers), request.now).expiring(expiry.0);
    let create = |container: &mut Container| {
        let claimed = container.claim_new(&request, makes_directory)?;
        container.create(claimed, request.now, retention, make)
    };
    let blob = container.write(create).await?;
    let reply = wire::written(&blob, &request).with_digests(digests);
    Ok(match structured {
        Some(framing) => framing.answer(reply),
        None => reply,
    })
}
