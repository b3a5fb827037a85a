//! Get Blob Properties, and Set Blob Properties: the headers that describe the content, and a page blob's size and sequence number.

use crate::operation::{
    self, EncryptionCheck, Fields, FromRequest, Operation, OperationSpec, Reply, Request, Selector, StateQuery,
};
use crate::rules::blob::pages::Action as SequenceNumberAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Action;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::ops::put_page;
use crate::services::blob::ops::spec::{READ, WRITE};
use crate::services::blob::state::Container;
use crate::services::blob::wire;
use crate::services::blob::wire::{DescribedPart, PageBlobSize, ReplacingContentHeaders};

pub(super) static GET_BLOB_PROPERTIES: Operation<Blobs> = operation!(
    get_blob_properties,
    StateQuery,
    OperationSpec {
        name: "Get Blob Properties",
        methods: &["HEAD"],
        path_action: Some(Action::GetProperties),
        encryption: EncryptionCheck::Read,
        ..READ
    }
);

pub(super) static SET_BLOB_PROPERTIES: Operation<Blobs> = operation!(
    set_blob_properties,
    Input,
    OperationSpec {
        name: "Set Blob Properties",
        selectors: &[Selector::Query("comp", "properties")],
        encryption: EncryptionCheck::IfPresent,
        ..WRITE
    }
);

async fn get_blob_properties(blobs: &Blobs, request: Request, _: StateQuery) -> Result<Reply, StorageError> {
    let blob = blobs.resource(&request)?.read().admit(&request)?;
    let reply = wire::describe(Reply::new(request.spec.status), &blob, DescribedPart::Whole, &request);
    Ok(wire::with_tier(reply, &blob, &request).bytes(blob.body.slice(0..0), blob.size()))
}

input! { pub(super) Input {
    size: Option<PageBlobSize> = Header "x-ms-blob-content-length",
    action: Option<SequenceNumberAction>,
    content: ReplacingContentHeaders,
} }

impl FromRequest for Option<SequenceNumberAction> {
    const INPUTS: &'static [operation::Input] =
        &[operation::Input::Headers(&["x-ms-sequence-number-action", "x-ms-blob-sequence-number"])];

    fn from_request(fields: &Fields<'_>) -> Result<Option<SequenceNumberAction>, StorageError> {
        let number = fields.header("x-ms-blob-sequence-number");
        let action = fields.header("x-ms-sequence-number-action");
        action.map(|action| SequenceNumberAction::read(action, number)).transpose()
    }
}

/// Clears the content headers that the request does not carry, unless it only changes a page blob's size or sequence number.
async fn set_blob_properties(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let Input { size, action, content: ReplacingContentHeaders { is_present, headers } } = input;
    let size = size.map(|size| size.0);
    let retains_headers = !is_present && (size.is_some() || action.is_some());
    let set = |container: &mut Container| {
        let admitted = container.admit(&request)?;
        admitted.check_online(request.now)?;
        let body = match (&admitted.body, size, action) {
            (body, None, None) => body.clone(),
            (Body::Page { content, sequence }, ..) => {
                let mut content = content.clone();
                if size.is_some_and(|size| admitted.tier.is_some_and(|current| !current.tier.holds(size))) {
                    return Err(ErrorCode::ContentLengthLargerThanTierLimit.into());
                }
                size.into_iter().for_each(|size| content.resize(size));
                Body::Page { content, sequence: action.map_or(Ok(*sequence), |action| action.apply(*sequence))? }
            }
            _ => return Err(ErrorCode::InvalidBlobType.into()),
        };
        container.replace(admitted, request.now, |blob| {
            blob.body = body;
            if !retains_headers {
                blob.headers = headers;
            }
        })
    };
    let blob = blobs.write(&request, set).await?;
    Ok(put_page::answer(&blob, &request))
}
