//! Removal of what deleted directories contained, in steps between which other writes take place.

use crate::services::blob::state::Container;
use crate::store::cell::Cell;
use std::sync::Weak;

/// The most paths that a step removes while writers wait.
const STEP: usize = 1000;

/// Removes some of what the deleted directories of a container contained. Returns true if there is more.
pub async fn remove_some(container: &Weak<Cell<Container>>) -> bool {
    let Some(cell) = container.upgrade().filter(|cell| cell.read().has_discarded()) else { return false };
    cell.write(|container| Ok(container.sweep_discarded(STEP))).await == Ok(true)
}
