//! Set Properties: replaces the user's properties and the content headers of a path.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::spec::WRITE;
use crate::services::blob::lake::wire::{LakeContentHeaders, Properties};
use crate::services::blob::state::Container;
use crate::services::blob::wire;

pub(super) static SET_PROPERTIES: Operation<Blobs> = operation!(
    set_properties,
    Input,
    OperationSpec { name: "Set Path Properties", selectors: &[Selector::Query("action", "setProperties")], ..WRITE }
);

input! { pub(super) Input {
    properties: Properties,
    content: LakeContentHeaders,
} }

async fn set_properties(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let metadata = input.properties.0.unwrap_or_default();
    let set = |container: &mut Container| {
        let admitted = container.admit(&request)?;
        container.replace(admitted, request.now, |blob| {
            blob.metadata = metadata;
            blob.headers = input.content.0.over(&blob.headers);
        })
    };
    let blob = blobs.write(&request, set).await?;
    Ok(wire::state(&blob, &request).with("x-ms-namespace-enabled", request.account.hns.to_string()))
}
