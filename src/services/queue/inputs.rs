//! What the operations on messages read of a request.

use crate::operation::{FieldLocation, Fields, FromField, FromRequest, Input};
use crate::rules::error::StorageError;
use crate::rules::queue::message;
use crate::rules::queue::message::Receipt;
use crate::rules::time::Timestamp;

const COUNT: &str = "numofmessages";
const RECEIPT: &str = "popreceipt";
const VISIBILITY: &str = "visibilitytimeout";

parsed_input! {
    /// How many messages to get or to peek at.
    pub MessageCount(usize) = [Input::query(COUNT)], |fields| message::count(fields.query(COUNT))
}

parsed_input! {
    /// When messages that Get Messages returns become visible again.
    pub GetVisibility(Timestamp) = [Input::query(VISIBILITY)],
    |fields| message::visible_after_get(fields.query(VISIBILITY), fields.now, fields.version)
}

parsed_input! {
    /// When an updated message becomes visible again.
    pub UpdateVisibility(Timestamp) = [Input::required_query(VISIBILITY)],
    |fields| message::visible_after_update(&String::from_field(fields, FieldLocation::Query, VISIBILITY)?, fields.now)
}

parsed_input! {
    /// The pop receipt that a client sends, which is well-formed.
    pub PopReceipt(String) = [Input::required_query(RECEIPT)],
    |fields| {
        let text = String::from_field(fields, FieldLocation::Query, RECEIPT)?;
        Receipt::check_form(&text).map(|()| text)
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
