//! The record of the properties of a service. They and their elements are stored as they are, so their fields and the order of their
//! fields never change.

use crate::services::shared::properties::Properties;
use crate::store::changes::Changes;
use crate::store::records::{CorruptRecord, Records};
use crate::store::{Persist, Store};

/// The version of the form.
const FORM: u8 = 1;
/// The key of the record.
const KEY: &[u8] = b"p";

impl Persist for Properties {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        if before.map_or(*after != Properties::default(), |before| before != after) {
            to.put(KEY, FORM, after);
        }
    }

    fn restore(records: &Records, _: &Store) -> Result<Self, CorruptRecord> {
        records.get(KEY).map_or(Ok(Properties::default()), |record| record.read(FORM))
    }
}
