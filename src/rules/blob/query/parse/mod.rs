//! The parser of queries: tokens, and the tree that they form.

use crate::rules::blob::query::dates::Part;
use crate::rules::blob::query::sql::{Aggregate, Column, Expr, Function, Query, Quoted, Select, Sign, Step};
use crate::rules::blob::query::value::{Kind, Value};
use crate::rules::comparison::Comparison;
use crate::rules::text::{chain, quoted};
use crate::rules::wire_name::WireName;

/// The deepest nesting of parentheses, calls and signs, which limits the stack that a query uses.
const DEEPEST: u32 = 32;
/// The most columns of a query (reference).
const MOST_COLUMNS: usize = 49;
/// The smallest batch of `sys.split` in bytes (reference).
const LEAST_SPLIT: u64 = 10 << 20;

/// Why a query is invalid. Positions are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("at character {0}: unexpected {1}")]
    Unexpected(usize, String),
    #[error("unexpected end")]
    UnexpectedEnd,
    #[error("at character {0}: {1:?} is no {2}")]
    InvalidToken(usize, String, &'static str),
    #[error("the expression nests too deep")]
    TooDeep,
    #[error("a batch must be at least {} bytes", LEAST_SPLIT)]
    SmallBatch,
    #[error("more than {} columns", MOST_COLUMNS)]
    TooManyColumns,
    #[error("{0} does not take {1} arguments")]
    ArgumentCount(&'static str, usize),
    #[error("there is no function {0:?}")]
    UnknownFunction(String),
    #[error("an index is too large")]
    LargeIndex,
}

type Result<T> = std::result::Result<T, ParseError>;

/// A token of a query.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A bare word: a keyword or a name.
    Word(String),
    /// `"…"`
    Name(String),
    /// `'…'`
    Text(String),
    /// Digits, with an optional fraction and exponent.
    Number(String),
    /// Any other symbol.
    Symbol(&'static str),
}

/// The keywords, which cannot be bare names.
const RESERVED: [&str; 17] = [
    "SELECT", "FROM", "WHERE", "LIMIT", "AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "ESCAPE", "IS", "NULL", "AS", "MISSING",
    "TRUE", "FALSE",
];
const SYMBOLS: [&str; 19] = ["<>", "!=", "<=", ">=", "=", "<", ">", "+", "-", "*", "/", "%", "(", ")", ",", ".", "[", "]", ";"];

/// Parses a query.
///
/// # Errors
/// The first error in the text.
pub fn parse(text: &str) -> Result<Query> {
    let mut tokens = Tokens::of(text)?;
    let query = tokens.query()?;
    tokens.take(";");
    match tokens.0.last() {
        None => Ok(query),
        next => Err(unexpected(next)),
    }
}

/// The remaining tokens in reverse order, each with its position in the text counted from 1.
struct Tokens(Vec<(usize, Token)>);

impl Tokens {
    fn of(text: &str) -> Result<Tokens> {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let position = text.len() - rest.len() + 1;
            let (token, after) = match first {
                '"' => quoted(rest, '"').map(|(name, after)| (Token::Name(name), after)),
                '\'' => quoted(rest, '\'').map(|(inner, after)| (Token::Text(inner), after)),
                '0'..='9' => {
                    let (number, after) = rest.split_at(number(rest));
                    Some((Token::Number(number.to_owned()), after))
                }
                c if c.is_alphabetic() || c == '_' => {
                    let more = |c: char| c.is_alphanumeric() || c == '_';
                    let (word, after) = rest.split_at(rest.find(|c| !more(c)).unwrap_or(rest.len()));
                    Some((Token::Word(word.to_owned()), after))
                }
                _ => SYMBOLS.into_iter().find_map(|symbol| Some((Token::Symbol(symbol), rest.strip_prefix(symbol)?))),
            }
            .ok_or_else(|| ParseError::Unexpected(position, format!("{first:?}")))?;
            tokens.push((position, token));
            rest = after.trim_start();
        }
        tokens.reverse();
        Ok(Tokens(tokens))
    }

    fn query(&mut self) -> Result<Query> {
        self.need_word("SELECT")?;
        let select = self.select()?;
        self.need_word("FROM")?;
        self.need_word("BlobStorage")?;
        let from = self.path(Vec::new())?;
        let filter = if self.take_word("WHERE") { Some(self.expression(DEEPEST)?) } else { None };
        let limit = if self.take_word("LIMIT") { Some(self.number()?) } else { None };
        Ok(Query { select, from, filter, limit })
    }

    fn select(&mut self) -> Result<Select> {
        if self.take("*") {
            return Ok(Select::All);
        }
        if self.at_word("sys") && self.is_symbol(1, ".") {
            self.skip(2);
            self.need_word("split")?;
            self.need("(")?;
            let bytes = self.number()?;
            self.need(")")?;
            return if bytes < LEAST_SPLIT { Err(ParseError::SmallBatch) } else { Ok(Select::Split(bytes)) };
        }
        if let Some(how) = self.call_of(Aggregate::parse) {
            let of = if how == Aggregate::Count && self.take("*") { None } else { Some(self.expression(DEEPEST)?) };
            self.need(")")?;
            return Ok(Select::Total(how, of));
        }
        let columns = self.list(|tokens| {
            let value = tokens.expression(DEEPEST)?;
            let name = if tokens.take_word("AS") { Some(tokens.name()?.0) } else { None };
            Ok(Column { value, name })
        })?;
        if columns.len() > MOST_COLUMNS { Err(ParseError::TooManyColumns) } else { Ok(Select::Columns(columns)) }
    }

    /// One or more items, separated by commas.
    fn list<T>(&mut self, item: impl Fn(&mut Tokens) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn expression(&mut self, depth: u32) -> Result<Expr> {
        let depth = deeper(depth)?;
        let conjunction =
            |tokens: &mut Tokens| chain(tokens, |tokens| tokens.take_word("AND"), Expr::All, |tokens| tokens.negation(depth));
        chain(self, |tokens| tokens.take_word("OR"), Expr::Any, conjunction)
    }

    fn negation(&mut self, depth: u32) -> Result<Expr> {
        if self.take_word("NOT") {
            return Ok(Expr::Not(Box::new(self.negation(deeper(depth)?)?)));
        }
        self.comparison(depth)
    }

    fn comparison(&mut self, depth: u32) -> Result<Expr> {
        let left = Box::new(self.sum(depth)?);
        if let Some(how) = self.symbol_of(Comparison::parse) {
            return Ok(Expr::Compare(left, how, Box::new(self.sum(depth)?)));
        }
        if self.take_word("IS") {
            let not = self.take_word("NOT");
            let is = if self.take_word("MISSING") {
                Expr::IsMissing(left)
            } else {
                self.need_word("NULL")?;
                Expr::IsNull(left)
            };
            return Ok(negated(not, is));
        }
        let not = self.take_word("NOT");
        let test = if self.take_word("BETWEEN") {
            let low = self.sum(depth)?;
            self.need_word("AND")?;
            Expr::Between(left, Box::new(low), Box::new(self.sum(depth)?))
        } else if self.take_word("IN") {
            self.need("(")?;
            Expr::In(left, self.arguments(depth)?)
        } else if self.take_word("LIKE") {
            let pattern = Box::new(self.sum(depth)?);
            let escape = if self.take_word("ESCAPE") { Some(Box::new(self.sum(depth)?)) } else { None };
            Expr::Like(left, pattern, escape)
        } else if not {
            return Err(unexpected(self.0.last()));
        } else {
            return Ok(*left);
        };
        Ok(negated(not, test))
    }

    fn sum(&mut self, depth: u32) -> Result<Expr> {
        self.arithmetic(&[Sign::Plus, Sign::Minus], |tokens| {
            tokens.arithmetic(&[Sign::Times, Sign::Over, Sign::Modulo], |tokens| tokens.signed(depth))
        })
    }

    fn arithmetic(&mut self, signs: &[Sign], part: impl Fn(&mut Tokens) -> Result<Expr>) -> Result<Expr> {
        let first = part(self)?;
        let mut rest = Vec::new();
        while let Some(sign) = self.symbol_of(|text| Sign::parse(text).filter(|sign| signs.contains(sign))) {
            rest.push((sign, part(self)?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    fn signed(&mut self, depth: u32) -> Result<Expr> {
        if self.take("-") {
            return Ok(Expr::Negate(Box::new(self.signed(deeper(depth)?)?)));
        }
        self.primary(depth)
    }

    fn primary(&mut self, depth: u32) -> Result<Expr> {
        if self.take("(") {
            let inner = self.expression(depth)?;
            self.need(")")?;
            return Ok(inner);
        }
        for (word, value) in [("NULL", Value::Null), ("TRUE", Value::Bool(true)), ("FALSE", Value::Bool(false))] {
            if self.take_word(word) {
                return Ok(Expr::Value(value));
            }
        }
        if self.take_call("CAST") {
            let inner = self.expression(depth)?;
            self.need_word("AS")?;
            let kind = self.word_of(Kind::parse)?;
            self.need(")")?;
            return Ok(Expr::Cast(Box::new(inner), kind));
        }
        if self.take_call("DATE_ADD") {
            let (part, quantity, moment) = self.date_arguments(depth)?;
            return Ok(Expr::DateAdd(part, quantity, moment));
        }
        if self.take_call("DATE_DIFF") {
            let (part, from, to) = self.date_arguments(depth)?;
            return Ok(Expr::DateDiff(part, from, to));
        }
        if self.take_call("EXTRACT") {
            let part = self.part(|_| true)?;
            self.need_word("FROM")?;
            let moment = self.expression(depth)?;
            self.need(")")?;
            return Ok(Expr::Extract(part, Box::new(moment)));
        }
        if self.take_call("TRIM") {
            return self.trim(depth);
        }
        let named = |word: &str| Function::parse(word).filter(|f| !matches!(f, Function::TrimLeading | Function::TrimTrailing));
        if let Some(function) = self.call_of(named) {
            let given = self.arguments(depth)?;
            let (least, most) = function.arity();
            if !(least..=most).contains(&given.len()) {
                return Err(ParseError::ArgumentCount(function.name(), given.len()));
            }
            return Ok(Expr::Function(function, given));
        }
        match self.0.pop() {
            Some((_, Token::Text(text))) => Ok(Expr::Value(Value::Text(text))),
            Some((position, Token::Number(text))) => {
                let value = text.parse().map(Value::Int).ok().or_else(|| text.parse().map(Value::Float).ok());
                value.map(Expr::Value).ok_or(ParseError::InvalidToken(position, text, "number"))
            }
            Some(next) => {
                self.0.push(next);
                let (name, quoted) = self.name()?;
                if quoted == Quoted::No && self.is_symbol(0, "(") {
                    return Err(ParseError::UnknownFunction(name));
                }
                Ok(Expr::Field(self.path(vec![Step::Name(name, quoted)])?))
            }
            None => Err(unexpected(None)),
        }
    }

    /// The rest after `DATE_ADD(` or `DATE_DIFF(`: `part, first, second)`.
    fn date_arguments(&mut self, depth: u32) -> Result<(Part, Box<Expr>, Box<Expr>)> {
        let part = self.part(Part::is_measure)?;
        self.need(",")?;
        let first = self.expression(depth)?;
        self.need(",")?;
        let second = self.expression(depth)?;
        self.need(")")?;
        Ok((part, Box::new(first), Box::new(second)))
    }

    /// An allowed part of a timestamp, in quotes or bare.
    fn part(&mut self, will_do: fn(Part) -> bool) -> Result<Part> {
        match self.0.pop() {
            Some((position, Token::Word(word) | Token::Text(word))) => Part::parse(&word)
                .filter(|part| will_do(*part))
                .ok_or(ParseError::InvalidToken(position, word, "part of a date that will do here")),
            other => Err(unexpected(other.as_ref())),
        }
    }

    /// The rest after `TRIM(`: `text)` or `[BOTH | LEADING | TRAILING] [characters] FROM text)`.
    fn trim(&mut self, depth: u32) -> Result<Expr> {
        let side = self.word_of(|word| match Function::parse(word) {
            side @ Some(Function::TrimLeading | Function::TrimTrailing) => side,
            _ => word.eq_ignore_ascii_case("BOTH").then_some(Function::Trim),
        });
        let function = side.clone().unwrap_or(Function::Trim);
        let first = if self.at_word("FROM") { None } else { Some(self.expression(depth)?) };
        let given = if self.take_word("FROM") {
            std::iter::once(self.expression(depth)?).chain(first).collect()
        } else if side.is_ok() {
            return Err(unexpected(self.0.last()));
        } else {
            first.into_iter().collect()
        };
        self.need(")")?;
        Ok(Expr::Function(function, given))
    }

    /// The rest after an open parenthesis: expressions and the closing parenthesis.
    fn arguments(&mut self, depth: u32) -> Result<Vec<Expr>> {
        if self.take(")") {
            return Ok(Vec::new());
        }
        let given = self.list(|tokens| tokens.expression(depth))?;
        self.need(")")?;
        Ok(given)
    }

    /// The steps of a path.
    fn path(&mut self, mut path: Vec<Step>) -> Result<Vec<Step>> {
        loop {
            if self.take(".") {
                let (name, quoted) = self.name()?;
                path.push(Step::Name(name, quoted));
            } else if self.take("[") {
                path.push(if self.take("*") {
                    Step::Each
                } else {
                    Step::Index(usize::try_from(self.number()?).map_err(|_| ParseError::LargeIndex)?)
                });
                self.need("]")?;
            } else {
                return Ok(path);
            }
        }
    }

    fn name(&mut self) -> Result<(String, Quoted)> {
        match self.0.pop() {
            Some((_, Token::Name(name))) => Ok((name, Quoted::Yes)),
            Some((_, Token::Word(word))) if !RESERVED.iter().any(|known| known.eq_ignore_ascii_case(&word)) => {
                Ok((word, Quoted::No))
            }
            other => Err(unexpected(other.as_ref())),
        }
    }

    fn number(&mut self) -> Result<u64> {
        match self.0.pop() {
            Some((position, Token::Number(text))) => {
                text.parse().map_err(|_| ParseError::InvalidToken(position, text, "whole number"))
            }
            other => Err(unexpected(other.as_ref())),
        }
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.0.last(), Some((_, Token::Word(next))) if next.eq_ignore_ascii_case(word))
    }

    fn take_word(&mut self, word: &str) -> bool {
        self.at_word(word) && self.0.pop().is_some()
    }

    fn need_word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { Err(unexpected(self.0.last())) }
    }

    /// Consumes the next word if it is valid here.
    fn word_of<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Result<T> {
        match self.0.last() {
            Some((_, Token::Word(word))) => {
                let meant = read(word).ok_or_else(|| unexpected(self.0.last()))?;
                self.skip(1);
                Ok(meant)
            }
            next => Err(unexpected(next)),
        }
    }

    /// Consumes the next word and an open parenthesis if the word is valid there.
    fn call_of<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let called = if self.is_symbol(1, "(") { self.word_of(read).ok() } else { None };
        self.skip(usize::from(called.is_some()));
        called
    }

    /// Consumes the name of this function and an open parenthesis.
    fn take_call(&mut self, name: &str) -> bool {
        self.call_of(|word| word.eq_ignore_ascii_case(name).then_some(())).is_some()
    }

    fn symbol_of<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let Some((_, Token::Symbol(symbol))) = self.0.last() else { return None };
        let meant = read(symbol)?;
        self.skip(1);
        Some(meant)
    }

    /// Returns true if the token at this distance after the next one is this symbol.
    fn is_symbol(&self, ahead: usize, symbol: &str) -> bool {
        let token = self.0.len().checked_sub(ahead + 1).and_then(|at| self.0.get(at));
        matches!(token, Some((_, Token::Symbol(found))) if *found == symbol)
    }

    fn take(&mut self, symbol: &str) -> bool {
        self.is_symbol(0, symbol) && self.0.pop().is_some()
    }

    fn need(&mut self, symbol: &str) -> Result<()> {
        if self.take(symbol) { Ok(()) } else { Err(unexpected(self.0.last())) }
    }

    fn skip(&mut self, pieces: usize) {
        self.0.truncate(self.0.len().saturating_sub(pieces));
    }
}

fn deeper(depth: u32) -> Result<u32> {
    depth.checked_sub(1).ok_or(ParseError::TooDeep)
}

fn negated(not: bool, test: Expr) -> Expr {
    if not { Expr::Not(Box::new(test)) } else { test }
}

fn unexpected(next: Option<&(usize, Token)>) -> ParseError {
    next.map_or(ParseError::UnexpectedEnd, |(position, token)| ParseError::Unexpected(*position, format!("{token:?}")))
}

/// The length of the number at the start of `text`: digits, a fraction, an exponent.
fn number(text: &str) -> usize {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    if text[end..].starts_with('.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests;
