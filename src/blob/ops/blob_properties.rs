//! Get Blob Properties, and Set Blob Properties: what a reader is told of the content, and a page blob's size and sequence
//! number.

use super::super::blobs::Blobs;
use super::super::body::{Body, ContentHeaders};
use super::super::wire::{self, Describes, Part};
use super::put_page;
use crate::op::{Call, ENCRYPTED, Op, Reply, Row, STATE, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::encryption::Encryption;
use crate::rules::fault::{Code, Fault};
use crate::rules::pages::{self, Action};
use crate::rules::{condition::Accepts, lease::Guard};
use crate::takes;

pub(super) static GET_BLOB_PROPERTIES: Op<Blobs> = Op {
    row: Row {
        name: "Get Blob Properties",
        methods: &["HEAD"],
        shape: Shape::Blob,
        signs: &[],
        takes: &[ENCRYPTED, STATE],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Blob },
        secondary: Secondary::Allowed,
        accepts: Accepts::Read,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(get(blobs, call)),
};

pub(super) static SET_BLOB_PROPERTIES: Op<Blobs> = Op {
    row: Row {
        name: "Set Blob Properties",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "properties")],
        takes: &[Asked::FIELDS, wire::CONTENT],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Write,
        lease: Guard::Write,
        status: 200,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

async fn get(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let blob = blobs.container(&call)?.read().admit(&call)?;
    let reply = wire::describe(Reply::new(call.row.status), &blob, Part::Whole, &call);
    Ok(wire::with_tier(reply, &blob, &call).bytes(blob.body.slice(0..0), blob.size()))
}

takes! { Asked {
    size: Option<String> = Header "x-ms-blob-content-length",
    action: Option<String> = Header "x-ms-sequence-number-action",
    sequence: Option<String> = Header "x-ms-blob-sequence-number",
} }

/// What the request does not say of the content is cleared, unless it only speaks of a page blob's size or sequence number.
async fn set(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let says_nothing = ContentHeaders::read(&call, Describes::ByName) == ContentHeaders::default();
    let only_pages = says_nothing && (asked.size.is_some() || asked.action.is_some());
    let headers = ContentHeaders::read_all(&call);
    let size = asked.size.as_deref().map(pages::read_size).transpose()?;
    let action = asked.action.as_deref().map(|action| Action::read(action, asked.sequence.as_deref())).transpose()?;
    let shown = call.encryption()?;
    let container = blobs.container(&call)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&call)?;
            admitted.check_online(call.now)?;
            // No key or scope need be shown, but one that is shown must be the blob's.
            if shown != Encryption::Service {
                admitted.encryption.admits_writer(&shown)?;
            }
            let body = match (&admitted.body, size, action) {
                (body, None, None) => body.clone(),
                (Body::Page { content, sequence }, ..) => {
                    let mut content = content.clone();
                    if size.is_some_and(|size| admitted.tier.is_some_and(|placed| !placed.tier.holds(size))) {
                        return Err(Code::ContentLengthLargerThanTierLimit.into());
                    }
                    size.into_iter().for_each(|size| content.resize(size));
                    Body::Page { content, sequence: action.map_or(Ok(*sequence), |action| action.apply(*sequence))? }
                }
                _ => return Err(Code::InvalidBlobType.into()),
            };
            container.replace(admitted, call.now, |blob| {
                blob.body = body;
                if !only_pages {
                    blob.headers = headers;
                }
            })
        })
        .await?;
    Ok(put_page::answer(&blob, &call))
}
