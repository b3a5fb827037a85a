//! Which operation a request asks for: the row with the most signs that all match, and a refusal otherwise, never a guess.

use crate::op::{Query, Row, SELECTORS, Shape, Sign, stated};
use crate::rules::fault::{Code, Fault};
use http::HeaderMap;

/// A service's rows, those with most signs first.
#[derive(Debug)]
pub struct Table {
    rows: Vec<(usize, &'static Row)>,
}

impl Table {
    /// A table of these rows; their order is remembered.
    pub fn new(rows: Vec<&'static Row>) -> Table {
        let mut rows: Vec<_> = rows.into_iter().enumerate().collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.signs.len()));
        Table { rows }
    }

    /// The operation that a request asks for, and its place in the service's table.
    ///
    /// # Errors
    /// 405 UnsupportedHttpVerb for a method that nothing here answers to; 400 InvalidQueryParameterValue for a selector that no
    /// operation on this path has, and MissingRequiredHeader or InvalidHeaderValue when only a header is missing or odd; 501
    /// for an operation of the reference that is not there yet.
    pub fn find(&self, method: &str, shape: Shape, query: &Query, headers: &HeaderMap) -> Result<(usize, &'static Row), Fault> {
        let any = |row: &Row| row.shape == Shape::Any && shape != Shape::Site;
        let here = || self.rows.iter().filter(|(_, row)| row.shape == shape || any(row));
        let shown = |row: &Row| row.methods.contains(&method) && row.signs.iter().all(|sign| shows(sign, query, headers));
        let claimed = |name: &str, row: &Row| {
            row.shape == Shape::Any
                || row.signs.iter().any(|sign| matches!(sign, Sign::Query(known, _) | Sign::HasQuery(known) if *known == name))
        };
        let unclaimed = |row: Option<&Row>| {
            SELECTORS.iter().find_map(|name| {
                let value = query.get(name)?;
                row.is_none_or(|row| !claimed(name, row)).then_some((*name, value))
            })
        };
        // A row that an empty header would choose, were it not required there: PUT with an empty x-ms-copy-source must not make an
        // empty blob.
        let empty = |sign: &Sign, row: &Row| match *sign {
            Sign::HasHeader(name) if headers.contains_key(name) && stated(headers, name).is_none() && row.requires(name) => {
                Some(name)
            }
            _ => None,
        };
        let meant = |row: &Row| {
            let signs = || row.signs.iter();
            let fits = row.methods.contains(&method) && unclaimed(Some(row)).is_none();
            let rest = || signs().all(|sign| empty(sign, row).is_some() || shows(sign, query, headers));
            signs().find_map(|sign| empty(sign, row)).filter(|_| fits && rest())
        };
        if let Some(name) = here().find_map(|(_, row)| meant(row)) {
            return Err(Fault::missing_header(name));
        }
        match here().find(|(_, row)| shown(row) && unclaimed(Some(row)).is_none()) {
            Some((place, row)) => Ok((*place, *row)),
            None => {
                let nearest = here().map(|(_, row)| *row).find(|row| shown(row));
                Err(self.refusal(method, shape, unclaimed(nearest), query, headers))
            }
        }
    }

    /// Why nothing was found.
    fn refusal(&self, method: &str, shape: Shape, selector: Option<(&str, &str)>, query: &Query, headers: &HeaderMap) -> Fault {
        if shape == Shape::Site {
            return Code::UnsupportedHttpVerb.saying("The resource doesn't support specified Http Verb.");
        }
        let by_query = |row: &Row| {
            row.signs.iter().all(|sign| !matches!(sign, Sign::Query(..) | Sign::HasQuery(_)) || shows(sign, query, headers))
        };
        let near = self.rows.iter().map(|(_, row)| *row).filter(|row| row.shape == shape && row.methods.contains(&method));
        // Rows that the query has chosen, and that now want a header of a certain value.
        let chosen = |row: &Row| row.signs.iter().any(|sign| matches!(sign, Sign::Query(..))) && by_query(row);
        let near = near.filter(|row| chosen(row));
        let odd = near.flat_map(|row| row.signs).find_map(|sign| match sign {
            Sign::Header(name, _) => Some(match stated(headers, name) {
                None => Fault::missing_header(name),
                Some(value) => Fault::header(name, value),
            }),
            _ => None,
        });
        if let Some(fault) = odd.filter(|_| selector.is_none_or(|(name, _)| name != "action")) {
            return fault;
        }
        match selector {
            Some((name, value)) => Fault::query(name, value, "Invalid query parameter value."),
            None if self.rows.iter().any(|(_, row)| row.methods.contains(&method)) => {
                Code::InvalidUri.because("no operation is asked for")
            }
            None => Code::UnsupportedHttpVerb.into(),
        }
    }
}

fn shows(sign: &Sign, query: &Query, headers: &HeaderMap) -> bool {
    match *sign {
        Sign::Query(name, value) => query.get(name).is_some_and(|given| given.eq_ignore_ascii_case(value)),
        Sign::HasQuery(name) => query.get(name).is_some(),
        Sign::Header(name, value) => stated(headers, name).is_some_and(|given| given.eq_ignore_ascii_case(value)),
        Sign::HasHeader(name) => stated(headers, name).is_some(),
        Sign::Lacks(name) => stated(headers, name).is_none(),
    }
}
