//! The query language of tables: the part of `$filter` and `$select` of OData 3 that the service supports.

mod evaluate;
mod lex;
mod parse;
mod ranges;
mod select;
#[cfg(test)]
mod tests;

use crate::rules::comparison::Comparison;
use crate::rules::table::entity::Value;
pub use evaluate::{Record, ValueRef};
pub use parse::parse;
pub use ranges::ranges;
pub use select::Select;

/// A condition on an entity.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// All of two or more.
    And(Vec<Filter>),
    /// Any of two or more.
    Or(Vec<Filter>),
    Not(Box<Filter>),
    Compare(Operand, Comparison, Operand),
    /// `true` or `false`.
    Is(bool),
}

impl Filter {
    /// The same filter with its texts in lower case, to compare names without regard to case.
    #[must_use]
    pub fn in_lower_case(self) -> Filter {
        let all = |parts: Vec<Filter>| parts.into_iter().map(Filter::in_lower_case).collect();
        match self {
            Filter::And(parts) => Filter::And(all(parts)),
            Filter::Or(parts) => Filter::Or(all(parts)),
            Filter::Not(part) => Filter::Not(Box::new(part.in_lower_case())),
            Filter::Compare(left, operator, right) => Filter::Compare(left.in_lower_case(), operator, right.in_lower_case()),
            Filter::Is(flag) => Filter::Is(flag),
        }
    }
}

/// An operand of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// The name of a property.
    Property(Box<str>),
    Constant(Value),
}

impl Operand {
    fn in_lower_case(self) -> Operand {
        match self {
            Operand::Constant(Value::String(text)) => Operand::Constant(Value::String(text.to_lowercase().into())),
            other => other,
        }
    }
}
