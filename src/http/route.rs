//! Routing: the operation of a request is the one with the most selectors that all match. If there is none, the request is refused.

use crate::operation::{OperationSpec, Query, ResourceKind, SELECTING_PARAMETERS, Selector, header_text, header_value};
use crate::rules::error::{ErrorCode, StorageError};
use http::{HeaderMap, HeaderValue};

/// The operations of a service with their indices, those with the most selectors first.
#[derive(Debug)]
pub struct Table {
    operations: Vec<(usize, &'static OperationSpec)>,
}

impl Table {
    /// Creates the table of these operations.
    pub fn new(operations: Vec<&'static OperationSpec>) -> Table {
        let mut operations: Vec<_> = operations.into_iter().enumerate().collect();
        operations.sort_by_key(|(_, spec)| std::cmp::Reverse(spec.selectors.len()));
        Table { operations }
    }

    /// The operation of a request, and its index in the list of the service.
    ///
    /// # Errors
    /// 405 UnsupportedHttpVerb for a method that no operation has; 400 InvalidQueryParameterValue for a selecting parameter that no
    /// operation on this path has, MissingRequiredHeader or InvalidHeaderValue if only a header is missing or wrong, and InvalidUri
    /// otherwise.
    pub fn find(
        &self,
        method: &str,
        resource: ResourceKind,
        query: &Query,
        headers: &HeaderMap,
    ) -> Result<(usize, &'static OperationSpec), StorageError> {
        let any = |spec: &OperationSpec| spec.resource == ResourceKind::Any && resource != ResourceKind::Site;
        let on_path = |spec: &OperationSpec| (spec.resource == resource || any(spec)) && spec.methods.contains(&method);
        let candidates = || self.operations.iter().filter(|(_, spec)| on_path(spec));
        let matching = |spec: &OperationSpec| spec.selectors.iter().all(|selector| matches(selector, query, headers));
        let sent: Vec<_> = SELECTING_PARAMETERS.iter().filter_map(|name| Some((*name, query.get(name)?))).collect();
        let unclaimed = |spec: &OperationSpec| sent.iter().copied().find(|(name, _)| !claims(spec, name));
        // An operation that requires a header and would be selected by it, if it were not empty: PUT with an empty x-ms-copy-source must
        // not create an empty blob.
        let empty = |selector: &Selector, spec: &OperationSpec| match *selector {
            Selector::HasHeader(name) => {
                let is_empty = header_value(headers, name).is_some_and(HeaderValue::is_empty);
                (is_empty && spec.requires(name)).then_some(name)
            }
            _ => None,
        };
        let missing_header = |spec: &OperationSpec| {
            let name = spec.selectors.iter().find_map(|selector| empty(selector, spec))?;
            let rest =
                || spec.selectors.iter().all(|selector| empty(selector, spec).is_some() || matches(selector, query, headers));
            (unclaimed(spec).is_none() && rest()).then_some(name)
        };
        // Few requests have an empty header, so most of them need not be compared with every operation twice.
        if headers.values().any(HeaderValue::is_empty)
            && let Some(name) = candidates().find_map(|(_, spec)| missing_header(spec))
        {
            return Err(StorageError::missing_header(name));
        }
        match candidates().find(|(_, spec)| matching(spec) && unclaimed(spec).is_none()) {
            Some((place, spec)) => Ok((*place, *spec)),
            None => {
                let nearest = candidates().find(|(_, spec)| matching(spec));
                let unclaimed = nearest.map_or(sent.first().copied(), |(_, spec)| unclaimed(spec));
                Err(self.refusal(method, resource, unclaimed, query, headers))
            }
        }
    }

    /// The error for a request without a matching operation.
    fn refusal(
        &self,
        method: &str,
        resource: ResourceKind,
        selector: Option<(&str, &str)>,
        query: &Query,
        headers: &HeaderMap,
    ) -> StorageError {
        if resource == ResourceKind::Site {
            return ErrorCode::UnsupportedHttpVerb.with_message("The resource doesn't support specified Http Verb.");
        }
        let by_query = |spec: &OperationSpec| {
            spec.selectors.iter().all(|selector| !matches!(selector, Selector::Query(..)) || matches(selector, query, headers))
        };
        let near = self
            .operations
            .iter()
            .map(|(_, spec)| *spec)
            .filter(|spec| spec.resource == resource && spec.methods.contains(&method));
        // Operations that the query selects, but that need another value of a header.
        let chosen = |spec: &OperationSpec| {
            spec.selectors.iter().any(|selector| matches!(selector, Selector::Query(..))) && by_query(spec)
        };
        let near = near.filter(|spec| chosen(spec));
        let odd = near.flat_map(|spec| spec.selectors).find_map(|selector| match selector {
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
                ErrorCode::InvalidUri.with_reason("no operation is requested")
            }
            None => ErrorCode::UnsupportedHttpVerb.into(),
        }
    }
}

/// Returns true if a selector of the operation names this parameter. A preflight request is about all operations.
fn claims(spec: &OperationSpec, parameter: &str) -> bool {
    let names = |selector: &Selector| matches!(selector, Selector::Query(name, _) if *name == parameter);
    spec.resource == ResourceKind::Any || spec.selectors.iter().any(names)
}

fn matches(selector: &Selector, query: &Query, headers: &HeaderMap) -> bool {
    match *selector {
        Selector::Query(name, value) => query.get(name).is_some_and(|given| given.eq_ignore_ascii_case(value)),
        Selector::Header(name, value) => header_text(headers, name).is_some_and(|given| given.eq_ignore_ascii_case(value)),
        Selector::HasHeader(name) => header_text(headers, name).is_some(),
        Selector::Lacks(name) => header_text(headers, name).is_none(),
    }
}
