//! Lists of the ranges of a page blob or a file that were written or cleared.

use crate::operation::xml::Writer;
use crate::store::sparse::Change;

/// The names of the elements of such a list.
#[derive(Clone, Copy, Debug)]
pub struct RangeListNames {
    pub root: &'static str,
    pub written: &'static str,
}

/// The document of a page of changes, at most `max`. If `has_marker`, it ends with the offset at which the next page begins.
pub fn document(names: RangeListNames, changes: &[Change], max: usize, has_marker: bool) -> String {
    let mut xml = Writer::new();
    xml.nest(names.root, |xml| {
        for change in changes.iter().take(max) {
            let (element, range) = match change {
                Change::Written(range) => (names.written, range),
                Change::Cleared(range) => ("ClearRange", range),
            };
            xml.open(element).leaf("Start", range.start.to_string()).leaf("End", (range.end - 1).to_string()).close(element);
        }
        if has_marker {
            xml.leaf("NextMarker", changes.get(max).map(|change| change.range().start.to_string()).unwrap_or_default());
        }
    });
    xml.finish()
}
