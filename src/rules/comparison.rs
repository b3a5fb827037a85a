//! The comparisons of the query languages: of `$filter`, of index tags and of Query Blob Contents.

use crate::rules::wire_name::wire_enum;
use std::cmp::Ordering;

wire_enum! {
    /// A comparison operator, with its sign.
    Comparison {
        Equal "=",
        NotEqual "<>" "!=",
        LessOrEqual "<=",
        Less "<",
        GreaterOrEqual ">=",
        Greater ">",
    }
}

impl Comparison {
    /// Returns true for operands in this order.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Less => order.is_lt(),
            Comparison::GreaterOrEqual => order.is_ge(),
            Comparison::Greater => order.is_gt(),
        }
    }

    /// The operator after its operands are exchanged.
    pub fn flipped(self) -> Comparison {
        match self {
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Less => Comparison::Greater,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            Comparison::Greater => Comparison::Less,
            same => same,
        }
    }
}
