//! What the operations on messages read of a request.

use crate::operation::{FieldLocation, Fields, FromField, FromRequest, Input};
use crate::rules::error::StorageError;
use crate::rules::queue::message;
use crate::rules::queue::message::Receipt;
use crate::rules::time::Timestamp;

const VISIBILITY: &str = "visibilitytimeout";

/// How many messages to get or to peek at.
#[derive(Clone, Copy, Debug)]
pub struct MessageCount(pub usize);

impl FromRequest for MessageCount {
    const INPUTS: &'static [Input] = &[Input::query("numofmessages")];

    fn from_request(fields: &Fields<'_>) -> Result<MessageCount, StorageError> {
        message::count(fields.query("numofmessages")).map(MessageCount)
    }
}

/// When messages that Get Messages returns become visible again.
#[derive(Clone, Copy, Debug)]
pub struct GetVisibility(pub Timestamp);

impl FromRequest for GetVisibility {
    const INPUTS: &'static [Input] = &[Input::query(VISIBILITY)];

    fn from_request(fields: &Fields<'_>) -> Result<GetVisibility, StorageError> {
        message::visible_after_get(fields.query(VISIBILITY), fields.now, fields.version).map(GetVisibility)
    }
}

/// When an updated message becomes visible again.
#[derive(Clone, Copy, Debug)]
pub struct UpdateVisibility(pub Timestamp);

impl FromRequest for UpdateVisibility {
    const INPUTS: &'static [Input] = &[Input::required_query(VISIBILITY)];

    fn from_request(fields: &Fields<'_>) -> Result<UpdateVisibility, StorageError> {
        let text = String::from_field(fields, FieldLocation::Query, VISIBILITY)?;
        message::visible_after_update(&text, fields.now).map(UpdateVisibility)
    }
}

/// When a new message becomes visible, and when it expires.
#[derive(Clone, Copy, Debug)]
pub struct PutTimes {
    pub visible: Timestamp,
    pub expires: Timestamp,
}

impl FromRequest for PutTimes {
    const INPUTS: &'static [Input] = &[Input::query(VISIBILITY), Input::query("messagettl")];

    fn from_request(fields: &Fields<'_>) -> Result<PutTimes, StorageError> {
        let (visibility, ttl) = (fields.query(VISIBILITY), fields.query("messagettl"));
        let (visible, expires) = message::put_times(visibility, ttl, fields.now, fields.version)?;
        Ok(PutTimes { visible, expires })
    }
}

/// The pop receipt that a client holds: well-formed text.
#[derive(Clone, Debug)]
pub struct PopReceipt(pub String);

impl FromRequest for PopReceipt {
    const INPUTS: &'static [Input] = &[Input::required_query("popreceipt")];

    fn from_request(fields: &Fields<'_>) -> Result<PopReceipt, StorageError> {
        let text = String::from_field(fields, FieldLocation::Query, "popreceipt")?;
        Receipt::check_form(&text)?;
        Ok(PopReceipt(text))
    }
}
