//! The queries that can be asked of a blob's content, as a tree, and how they are written.
//!
//! ```text
//! query = SELECT ( * | column, … | total | sys.split(bytes) ) FROM BlobStorage path [ WHERE expression ] [ LIMIT number ]
//! path  = *( .name | [number] | [*] )
//! total = COUNT(*) | COUNT(e) | SUM(e) | AVERAGE(e) | MIN(e) | MAX(e)
//! ```
//!
//! Chains of operators are lists, so that only parentheses nest: no query overflows the stack that reads, runs or drops it.

use crate::rules::blob::query::value::{Kind, Value};
use std::fmt;

/// A query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// What is answered of each row.
    pub select: Select,
    /// Which parts of a JSON document are the rows.
    pub from: Vec<Step>,
    /// Which rows are answered.
    pub filter: Option<Expr>,
    /// How many rows are answered at most.
    pub limit: Option<u64>,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Select {
    /// Every row as it is.
    All,
    /// Of every row, these.
    Columns(Vec<Column>),
    /// Of all rows, one value.
    Total(Aggregate, Option<Expr>),
    /// How many bytes each batch of whole rows takes, that is no smaller than this.
    Split(u64),
}

/// A column of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its value.
    pub value: Expr,
    /// The name given to it.
    pub name: Option<String>,
}

/// A step into a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the member of this name: in any case of letters, unless it is quoted.
    Name(String, Quoted),
    /// To an element of an array, counted from 0.
    At(usize),
    /// To each element of an array.
    Each,
}

/// Whether a name is written in quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoted {
    /// It is: its case matters.
    Yes,
    /// It is not.
    No,
}

/// An expression over a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal.
    Value(Value),
    /// A part of the row.
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
    /// `e IS NULL`, which a missing value is as well.
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
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$item),*];

            /// How it is written.
            pub fn text(self) -> &'static str {
                match self { $($name::$item => $text),* }
            }

            /// What is written so, in any case of letters.
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
        /// What division leaves.
        Modulo "%",
    }
}

words! {
    /// How two values are compared.
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
        /// How many characters a text has.
        CharLength "CHAR_LENGTH" "CHARACTER_LENGTH",
        /// A text in lower case.
        Lower "LOWER",
        /// A text in upper case.
        Upper "UPPER",
        /// A part of a text: from where, counted from 0 as the reference's example does, and how long.
        Substring "SUBSTRING",
        /// A text without spaces, or these characters, around it.
        Trim "TRIM",
        /// A text without them before it.
        TrimLeading "LEADING",
        /// A text without them after it.
        TrimTrailing "TRAILING",
        /// The first value, or null if the second is equal.
        NullIf "NULLIF",
        /// The first value that is not null.
        Coalesce "COALESCE",
        /// The moment that a text writes.
        ToTimestamp "TO_TIMESTAMP",
        /// A moment, written by a pattern.
        ToString "TO_STRING",
        /// The server's time.
        UtcNow "UTCNOW",
    }
}

words! {
    /// A part of a moment.
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
    /// Whether moments can be moved by it.
    pub fn is_measure(self) -> bool {
        !matches!(self, Part::TimezoneHour | Part::TimezoneMinute)
    }
}

words! {
    /// How many values become one.
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
    /// How few and how many arguments it takes.
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

/// A path; `begins` when its first name has no dot before it.
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
