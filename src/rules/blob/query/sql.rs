//! Queries as a tree, and their text.
//!
//! ```text
//! query = SELECT ( * | column, … | total | sys.split(bytes) ) FROM BlobStorage path [ WHERE expression ] [ LIMIT number ]
//! path  = *( .name | [number] | [*] )
//! total = COUNT(*) | COUNT(e) | SUM(e) | AVERAGE(e) | MIN(e) | MAX(e)
//! ```
//!
//! Chains of operators are lists, so that only parentheses nest: no query overflows the stack when it is parsed, evaluated or dropped.

use crate::rules::blob::query::value::{Kind, Value};
use std::fmt;

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
    At(usize),
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
    Call(Function, Vec<Expr>),
    /// `DATE_ADD('part', quantity, moment)`
    DateAdd(Part, Box<Expr>, Box<Expr>),
    /// `DATE_DIFF('part', from, to)`
    DateDiff(Part, Box<Expr>, Box<Expr>),
    /// `EXTRACT(part FROM moment)`
    Extract(Part, Box<Expr>),
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$what:meta])* $item:ident $text:literal $($other:literal)*),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$what])* $item),* }

        impl $name {
            /// All variants.
            pub const ALL: &[$name] = &[$($name::$item),*];

            /// The name in a query.
            pub fn text(self) -> &'static str {
                match self { $($name::$item => $text),* }
            }

            /// The variant with this name, in any case.
            pub fn read(text: &str) -> Option<$name> {
                $(if [$text, $($other),*].iter().any(|known| known.eq_ignore_ascii_case(text)) { return Some($name::$item); })*
                None
            }
        }
    };
}

words! {
    /// An operator of arithmetic.
    Sign {
        /// Addition.
        Plus "+",
        /// Subtraction.
        Minus "-",
        /// Multiplication.
        Times "*",
        /// Division.
        Over "/",
        /// The remainder of a division.
        Modulo "%",
    }
}

words! {
    /// A comparison of two values.
    Comparison {
        /// They are equal.
        Equal "=",
        /// They are not.
        NotEqual "<>" "!=",
        /// The first is less, or equal.
        LessOrEqual "<=",
        /// The first is less.
        Less "<",
        /// The first is greater, or equal.
        GreaterOrEqual ">=",
        /// The first is greater.
        Greater ">",
    }
}

words! {
    /// A function of values.
    Function {
        /// The number of characters of a text.
        CharLength "CHAR_LENGTH" "CHARACTER_LENGTH",
        /// A text in lower case.
        Lower "LOWER",
        /// A text in upper case.
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
        /// The timestamp of a text.
        ToTimestamp "TO_TIMESTAMP",
        /// A timestamp, formatted by a pattern.
        ToString "TO_STRING",
        /// The server's time.
        UtcNow "UTCNOW",
    }
}

words! {
    /// A part of a timestamp.
    Part {
        /// The year.
        Year "year",
        /// The month.
        Month "month",
        /// The day of the month.
        Day "day",
        /// The hour.
        Hour "hour",
        /// The minute.
        Minute "minute",
        /// The second.
        Second "second",
        /// The hours of its offset, which can only be extracted.
        TimezoneHour "timezone_hour",
        /// The minutes of its offset beyond the hours, which can only be extracted.
        TimezoneMinute "timezone_minute",
    }
}

impl Part {
    /// Returns true if it can be added to a timestamp.
    pub fn is_measure(self) -> bool {
        !matches!(self, Part::TimezoneHour | Part::TimezoneMinute)
    }
}

words! {
    /// An aggregate of values.
    Aggregate {
        /// Their number.
        Count "COUNT",
        /// Their sum.
        Sum "SUM",
        /// Their mean.
        Average "AVERAGE" "AVG",
        /// The least.
        Min "MIN",
        /// The greatest.
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

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SELECT ")?;
        match &self.select {
            Select::All => f.write_str("*")?,
            Select::Columns(columns) => list(f, columns)?,
            Select::Total(how, Some(of)) => write!(f, "{}({of})", how.text())?,
            Select::Total(how, None) => write!(f, "{}(*)", how.text())?,
            Select::Split(bytes) => write!(f, "sys.split({bytes})")?,
        }
        f.write_str(" FROM BlobStorage")?;
        steps(f, &self.from, false)?;
        if let Some(filter) = &self.filter {
            write!(f, " WHERE {filter}")?;
        }
        if let Some(limit) = self.limit {
            write!(f, " LIMIT {limit}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)?;
        match &self.name {
            Some(name) => write!(f, " AS \"{}\"", name.replace('"', "\"\"")),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Value(Value::Text(text)) => write!(f, "'{}'", text.replace('\'', "''")),
            Expr::Value(Value::Float(number)) => write!(f, "{number:?}"),
            Expr::Value(Value::Null | Value::Missing) => f.write_str("NULL"),
            Expr::Value(value) => f.write_str(&value.to_text()),
            Expr::Field(path) => steps(f, path, true),
            Expr::Not(inner) => write!(f, "(NOT {inner})"),
            Expr::Negate(inner) => write!(f, "(- {inner})"),
            Expr::All(parts) => joined(f, parts, " AND "),
            Expr::Any(parts) => joined(f, parts, " OR "),
            Expr::Chain(first, rest) => {
                write!(f, "({first}")?;
                for (sign, next) in rest {
                    write!(f, " {} {next}", sign.text())?;
                }
                f.write_str(")")
            }
            Expr::Compare(left, how, right) => write!(f, "({left} {} {right})", how.text()),
            Expr::Between(inner, low, high) => write!(f, "({inner} BETWEEN {low} AND {high})"),
            Expr::In(inner, values) => {
                write!(f, "({inner} IN (")?;
                list(f, values)?;
                f.write_str("))")
            }
            Expr::Like(inner, pattern, None) => write!(f, "({inner} LIKE {pattern})"),
            Expr::Like(inner, pattern, Some(escape)) => write!(f, "({inner} LIKE {pattern} ESCAPE {escape})"),
            Expr::IsNull(inner) => write!(f, "({inner} IS NULL)"),
            Expr::IsMissing(inner) => write!(f, "({inner} IS MISSING)"),
            Expr::DateAdd(part, quantity, moment) => write!(f, "DATE_ADD('{}', {quantity}, {moment})", part.text()),
            Expr::DateDiff(part, from, to) => write!(f, "DATE_DIFF('{}', {from}, {to})", part.text()),
            Expr::Extract(part, moment) => write!(f, "EXTRACT({} FROM {moment})", part.text()),
            Expr::Cast(inner, kind) => write!(f, "CAST({inner} AS {})", kind.text()),
            Expr::Call(function @ (Function::TrimLeading | Function::TrimTrailing), inner) => match &inner[..] {
                [text, of] => write!(f, "TRIM({} {of} FROM {text})", function.text()),
                _ => {
                    write!(f, "TRIM({} FROM ", function.text())?;
                    list(f, inner)?;
                    f.write_str(")")
                }
            },
            Expr::Call(Function::Trim, inner) if inner.len() == 2 => write!(f, "TRIM(BOTH {} FROM {})", inner[1], inner[0]),
            Expr::Call(function, inner) => {
                write!(f, "{}(", function.text())?;
                list(f, inner)?;
                f.write_str(")")
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { ", " })?;
        write!(f, "{item}")?;
    }
    Ok(())
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[Expr], word: &str) -> fmt::Result {
    f.write_str("(")?;
    for (at, part) in parts.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { word })?;
        write!(f, "{part}")?;
    }
    f.write_str(")")
}

/// Writes a path; with `begins`, the first name has no dot before it.
fn steps(f: &mut fmt::Formatter<'_>, path: &[Step], begins: bool) -> fmt::Result {
    for (at, step) in path.iter().enumerate() {
        match step {
            Step::Name(name, quoted) => {
                f.write_str(if begins && at == 0 { "" } else { "." })?;
                match quoted {
                    Quoted::Yes => write!(f, "\"{}\"", name.replace('"', "\"\""))?,
                    Quoted::No => f.write_str(name)?,
                }
            }
            Step::At(index) => write!(f, "[{index}]")?,
            Step::Each => f.write_str("[*]")?,
        }
    }
    Ok(())
}
