//! Queries as a tree.
//!
//! ```text
//! query = SELECT ( * | column, … | total | sys.split(bytes) ) FROM BlobStorage path [ WHERE expression ] [ LIMIT number ]
//! path  = *( .name | [number] | [*] )
//! total = COUNT(*) | COUNT(e) | SUM(e) | AVERAGE(e) | MIN(e) | MAX(e)
//! ```
//!
//! Chains of operators are lists, so that only parentheses nest: no query overflows the stack when it is parsed, evaluated or dropped.

use crate::rules::blob::query::dates::Part;
use crate::rules::blob::query::value::{Kind, Value};
use crate::rules::comparison::Comparison;
use crate::rules::wire_name::wire_enum;

/// A query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The columns of the answer.
    pub select: Select,
    /// The path to the rows in a JSON document.
    pub from: Vec<Step>,
    /// The condition on the rows.
    pub filter: Option<Expr>,
    /// The most rows of the answer.
    pub limit: Option<u64>,
}

/// The columns of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Select {
    /// Every row unchanged.
    All,
    /// These columns of every row.
    Columns(Vec<Column>),
    /// One value for all rows.
    Total(Aggregate, Option<Expr>),
    /// The sizes in bytes of batches of whole rows, each of at least this size.
    Split(u64),
}

/// A column of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub value: Expr,
    /// The name that the query sets.
    pub name: Option<String>,
}

/// A step of a path in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The member with this name: case-insensitive, unless it is quoted.
    Name(String, Quoted),
    /// An element of an array, counted from 0.
    Index(usize),
    /// Each element of an array.
    Each,
}

/// Whether a name is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoted {
    /// It is case-sensitive.
    Yes,
    /// It is case-insensitive.
    No,
}

/// An expression over a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal.
    Value(Value),
    /// A value of the row.
    Field(Vec<Step>),
    /// `NOT e`
    Not(Box<Expr>),
    /// `-e`
    Negate(Box<Expr>),
    /// `a AND b AND …`
    All(Vec<Expr>),
    /// `a OR b OR …`
    Any(Vec<Expr>),
    /// `a + b - c …` or `a * b / c …`, from the left.
    Chain(Box<Expr>, Vec<(Sign, Expr)>),
    /// `a = b`
    Compare(Box<Expr>, Comparison, Box<Expr>),
    /// `e BETWEEN low AND high`
    Between(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `e IN (a, b, …)`
    In(Box<Expr>, Vec<Expr>),
    /// `e LIKE pattern [ESCAPE c]`
    Like(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// `e IS NULL`, which is also true of a missing value.
    IsNull(Box<Expr>),
    /// `e IS MISSING`
    IsMissing(Box<Expr>),
    /// `CAST(e AS kind)`
    Cast(Box<Expr>, Kind),
    /// `f(a, b, …)`
    Function(Function, Vec<Expr>),
    /// `DATE_ADD('part', quantity, moment)`
    DateAdd(Part, Box<Expr>, Box<Expr>),
    /// `DATE_DIFF('part', from, to)`
    DateDiff(Part, Box<Expr>, Box<Expr>),
    /// `EXTRACT(part FROM moment)`
    Extract(Part, Box<Expr>),
}

wire_enum! {
    /// An operator of arithmetic.
    Sign {
        Plus "+",
        Minus "-",
        Times "*",
        Over "/",
        /// The remainder of a division.
        Modulo "%",
    }
}

wire_enum! {
    /// A function of values.
    Function {
        /// The number of characters of a text.
        CharLength "CHAR_LENGTH" "CHARACTER_LENGTH",
        Lower "LOWER",
        Upper "UPPER",
        /// A part of a text: its start, counted from 0 as in the example of the reference, and its length.
        Substring "SUBSTRING",
        /// A text without spaces, or these characters, around it.
        Trim "TRIM",
        /// A text without them at its start.
        TrimLeading "LEADING",
        /// A text without them at its end.
        TrimTrailing "TRAILING",
        /// The first value, or null if the second is equal.
        NullIf "NULLIF",
        /// The first value that is not null.
        Coalesce "COALESCE",
        ToTimestamp "TO_TIMESTAMP",
        /// A timestamp, formatted by a pattern.
        ToString "TO_STRING",
        /// The server's time.
        UtcNow "UTCNOW",
    }
}

wire_enum! {
    /// An aggregate of values.
    Aggregate {
        Count "COUNT",
        Sum "SUM",
        Average "AVERAGE" "AVG",
        Min "MIN",
        Max "MAX",
    }
}

impl Function {
    /// The least and the most arguments.
    pub fn arity(self) -> (usize, usize) {
        match self {
            Function::CharLength | Function::Lower | Function::Upper | Function::ToTimestamp => (1, 1),
            Function::Substring => (2, 3),
            Function::Trim | Function::TrimLeading | Function::TrimTrailing => (1, 2),
            Function::NullIf | Function::ToString => (2, 2),
            Function::Coalesce => (1, usize::MAX),
            Function::UtcNow => (0, 0),
        }
    }
}
