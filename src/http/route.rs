//! Which operation a request asks for: the row with the most signs that all match, and a refusal otherwise, never a guess.

use crate::operation::{OperationSpec, Query, ResourceKind, SELECTING_PARAMETERS, Selector, header_text};
use crate::rules::error::{ErrorCode, StorageError};
use http::HeaderMap;

/// A service's rows, those with most signs first.
#[derive(Debug)]
pub struct Table {
    operations: Vec<(usize, &'static OperationSpec)>,
}

impl Table {
    /// A table of these rows; their order is remembered.
    pub fn new(operations: Vec<&'static OperationSpec>) -> Table {
        let mut operations: Vec<_> = operations.into_iter().enumerate().collect();
        operations.sort_by_key(|(_, spec)| std::cmp::Reverse(spec.selectors.len()));
        Table { operations }
    }

    /// The operation that a request asks for, and its place in the service's table.
    ///
    /// # Errors
    /// 405 UnsupportedHttpVerb for a method that nothing here answers to; 400 InvalidQueryParameterValue for a selector that no
    /// operation on this path has, and MissingRequiredHeader or InvalidHeaderValue when only a header is missing or odd; 501
    /// for an operation of the reference that is not there yet.
    pub fn find(
        &self,
        method: &str,
        shape: ResourceKind,
        query: &Query,
        headers: &HeaderMap,
    ) -> Result<(usize, &'static OperationSpec), StorageError> {
        let any = |spec: &OperationSpec| spec.resource == ResourceKind::Any && shape != ResourceKind::Site;
        let here = || self.operations.iter().filter(|(_, spec)| spec.resource == shape || any(spec));
        let shown = |spec: &OperationSpec| {
            spec.methods.contains(&method) && spec.selectors.iter().all(|sign| matches(sign, query, headers))
        };
        let claimed = |name: &str, spec: &OperationSpec| {
            spec.resource == ResourceKind::Any
                || spec
                    .selectors
                    .iter()
                    .any(|sign| matches!(sign, Selector::Query(known, _) | Selector::HasQuery(known) if *known == name))
        };
        let unclaimed = |spec: Option<&OperationSpec>| {
            SELECTING_PARAMETERS.iter().find_map(|name| {
                let value = query.get(name)?;
                spec.is_none_or(|spec| !claimed(name, spec)).then_some((*name, value))
            })
        };
        // A row that an empty header would choose, were it not required there: PUT with an empty x-ms-copy-source must not make an
        // empty blob.
        let empty = |sign: &Selector, spec: &OperationSpec| match *sign {
            Selector::HasHeader(name)
                if headers.contains_key(name) && header_text(headers, name).is_none() && spec.requires(name) =>
            {
                Some(name)
            }
            _ => None,
        };
        let meant = |spec: &OperationSpec| {
            let signs = || spec.selectors.iter();
            let fits = spec.methods.contains(&method) && unclaimed(Some(spec)).is_none();
            let rest = || signs().all(|sign| empty(sign, spec).is_some() || matches(sign, query, headers));
            signs().find_map(|sign| empty(sign, spec)).filter(|_| fits && rest())
        };
        if let Some(name) = here().find_map(|(_, spec)| meant(spec)) {
            return Err(StorageError::missing_header(name));
        }
        match here().find(|(_, spec)| shown(spec) && unclaimed(Some(spec)).is_none()) {
            Some((place, spec)) => Ok((*place, *spec)),
            None => {
                let nearest = here().map(|(_, spec)| *spec).find(|spec| shown(spec));
                Err(self.refusal(method, shape, unclaimed(nearest), query, headers))
            }
        }
    }

    /// Why nothing was found.
    fn refusal(
        &self,
        method: &str,
        shape: ResourceKind,
        selector: Option<(&str, &str)>,
        query: &Query,
        headers: &HeaderMap,
    ) -> StorageError {
        if shape == ResourceKind::Site {
            return ErrorCode::UnsupportedHttpVerb.with_message("The resource doesn't support specified Http Verb.");
        }
        let by_query = |spec: &OperationSpec| {
            spec.selectors
                .iter()
                .all(|sign| !matches!(sign, Selector::Query(..) | Selector::HasQuery(_)) || matches(sign, query, headers))
        };
        let near =
            self.operations.iter().map(|(_, spec)| *spec).filter(|spec| spec.resource == shape && spec.methods.contains(&method));
        // Rows that the query has chosen, and that now want a header of a certain value.
        let chosen =
            |spec: &OperationSpec| spec.selectors.iter().any(|sign| matches!(sign, Selector::Query(..))) && by_query(spec);
        let near = near.filter(|spec| chosen(spec));
        let odd = near.flat_map(|spec| spec.selectors).find_map(|sign| match sign {
            Selector::Header(name, _) => Some(match header_text(headers, name) {
                None => StorageError::missing_header(name),
                Some(value) => StorageError::invalid_header(name, value),
            }),
            _ => None,
        });
        if let Some(error) = odd.filter(|_| selector.is_none_or(|(name, _)| name != "action")) {
            return error;
        }
        match selector {
            Some((name, value)) => StorageError::invalid_query(name, value, "Invalid query parameter value."),
            None if self.operations.iter().any(|(_, spec)| spec.methods.contains(&method)) => {
                ErrorCode::InvalidUri.with_reason("no operation is asked for")
            }
            None => ErrorCode::UnsupportedHttpVerb.into(),
        }
    }
}

fn matches(sign: &Selector, query: &Query, headers: &HeaderMap) -> bool {
    match *sign {
        Selector::Query(name, value) => query.get(name).is_some_and(|given| given.eq_ignore_ascii_case(value)),
        Selector::HasQuery(name) => query.get(name).is_some(),
        Selector::Header(name, value) => header_text(headers, name).is_some_and(|given| given.eq_ignore_ascii_case(value)),
        Selector::HasHeader(name) => header_text(headers, name).is_some(),
        Selector::Lacks(name) => header_text(headers, name).is_none(),
    }
}
