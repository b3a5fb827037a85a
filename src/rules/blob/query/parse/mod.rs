//! The parser of queries: tokens, and the tree that they form.

use crate::rules::blob::query::sql::{Aggregate, Column, Comparison, Expr, Function, Part, Query, Quoted, Select, Sign, Step};
use crate::rules::blob::query::value::{Kind, Value};

/// The deepest nesting of parentheses, calls and signs, which limits the stack that a query uses.
const DEEPEST: u32 = 32;
/// The most columns of a query (reference).
const MOST_COLUMNS: usize = 49;
/// The smallest batch of `sys.split` in bytes (reference).
const LEAST_SPLIT: u64 = 10 << 20;

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

/// Parses a query, or returns the reason why it is invalid.
pub fn parse(text: &str) -> Result<Query, String> {
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
    fn of(text: &str) -> Result<Tokens, String> {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let place = text.len() - rest.len() + 1;
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
            .ok_or_else(|| format!("at character {place}: unexpected {first:?}"))?;
            tokens.push((place, token));
            rest = after.trim_start();
        }
        tokens.reverse();
        Ok(Tokens(tokens))
    }

    fn query(&mut self) -> Result<Query, String> {
        self.need_word("SELECT")?;
        let select = self.select()?;
        self.need_word("FROM")?;
        self.need_word("BlobStorage")?;
        let from = self.path(Vec::new())?;
        let filter = if self.take_word("WHERE") { Some(self.expression(DEEPEST)?) } else { None };
        let limit = if self.take_word("LIMIT") { Some(self.number()?) } else { None };
        Ok(Query { select, from, filter, limit })
    }

    fn select(&mut self) -> Result<Select, String> {
        if self.take("*") {
            return Ok(Select::All);
        }
        if self.at_word("sys") && self.is_symbol(1, ".") {
            self.skip(2);
            self.need_word("split")?;
            self.need("(")?;
            let bytes = self.number()?;
            self.need(")")?;
            return if bytes < LEAST_SPLIT {
                Err(format!("a batch must be at least {LEAST_SPLIT} bytes"))
            } else {
                Ok(Select::Split(bytes))
            };
        }
        if let Some(how) = self.call_of(Aggregate::read) {
            let of = if how == Aggregate::Count && self.take("*") { None } else { Some(self.expression(DEEPEST)?) };
            self.need(")")?;
            return Ok(Select::Total(how, of));
        }
        let mut columns = Vec::new();
        loop {
            let value = self.expression(DEEPEST)?;
            let name = if self.take_word("AS") { Some(self.name()?.0) } else { None };
            columns.push(Column { value, name });
            if columns.len() > MOST_COLUMNS {
                return Err(format!("more than {MOST_COLUMNS} columns"));
            }
            if !self.take(",") {
                return Ok(Select::Columns(columns));
            }
        }
    }

    fn expression(&mut self, depth: u32) -> Result<Expr, String> {
        let depth = depth.checked_sub(1).ok_or("the expression nests too deep")?;
        self.words("OR", Expr::Any, |tokens| tokens.words("AND", Expr::All, |tokens| tokens.negation(depth)))
    }

    /// One part, or several separated by this word.
    fn words(
        &mut self,
        word: &str,
        join: fn(Vec<Expr>) -> Expr,
        part: impl Fn(&mut Tokens) -> Result<Expr, String>,
    ) -> Result<Expr, String> {
        let first = part(self)?;
        if !self.at_word(word) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.take_word(word) {
            parts.push(part(self)?);
        }
        Ok(join(parts))
    }

    fn negation(&mut self, depth: u32) -> Result<Expr, String> {
        if self.take_word("NOT") {
            let deeper = depth.checked_sub(1).ok_or("the expression nests too deep")?;
            return Ok(Expr::Not(Box::new(self.negation(deeper)?)));
        }
        self.comparison(depth)
    }

    fn comparison(&mut self, depth: u32) -> Result<Expr, String> {
        let left = Box::new(self.sum(depth)?);
        if let Some(how) = self.symbol_of(Comparison::read) {
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

    fn sum(&mut self, depth: u32) -> Result<Expr, String> {
        self.chain(&[Sign::Plus, Sign::Minus], |tokens| {
            tokens.chain(&[Sign::Times, Sign::Over, Sign::Modulo], |tokens| tokens.signed(depth))
        })
    }

    fn chain(&mut self, signs: &[Sign], part: impl Fn(&mut Tokens) -> Result<Expr, String>) -> Result<Expr, String> {
        let first = part(self)?;
        let mut rest = Vec::new();
        while let Some(sign) = self.symbol_of(|text| Sign::read(text).filter(|sign| signs.contains(sign))) {
            rest.push((sign, part(self)?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    fn signed(&mut self, depth: u32) -> Result<Expr, String> {
        if self.take("-") {
            let deeper = depth.checked_sub(1).ok_or("the expression nests too deep")?;
            return Ok(Expr::Negate(Box::new(self.signed(deeper)?)));
        }
        self.primary(depth)
    }

    fn primary(&mut self, depth: u32) -> Result<Expr, String> {
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
        if self.call_of(|word| word.eq_ignore_ascii_case("CAST").then_some(())).is_some() {
            let inner = self.expression(depth)?;
            self.need_word("AS")?;
            let kind = self.word_of(Kind::read)?;
            self.need(")")?;
            return Ok(Expr::Cast(Box::new(inner), kind));
        }
        if let Some(make) = self.call_of(date_function) {
            let part = self.part(Part::is_measure)?;
            self.need(",")?;
            let first = self.expression(depth)?;
            self.need(",")?;
            let second = self.expression(depth)?;
            self.need(")")?;
            return Ok(make(part, Box::new(first), Box::new(second)));
        }
        if self.call_of(|word| word.eq_ignore_ascii_case("EXTRACT").then_some(())).is_some() {
            let part = self.part(|_| true)?;
            self.need_word("FROM")?;
            let moment = self.expression(depth)?;
            self.need(")")?;
            return Ok(Expr::Extract(part, Box::new(moment)));
        }
        if self.call_of(|word| word.eq_ignore_ascii_case("TRIM").then_some(())).is_some() {
            return self.trim(depth);
        }
        let named = |word: &str| Function::read(word).filter(|f| !matches!(f, Function::TrimLeading | Function::TrimTrailing));
        if let Some(function) = self.call_of(named) {
            let given = self.arguments(depth)?;
            let (least, most) = function.arity();
            if !(least..=most).contains(&given.len()) {
                return Err(format!("{} does not take {} arguments", function.text(), given.len()));
            }
            return Ok(Expr::Call(function, given));
        }
        match self.0.pop() {
            Some((_, Token::Text(text))) => Ok(Expr::Value(Value::Text(text))),
            Some((place, Token::Number(text))) => {
                let value = text.parse().map(Value::Int).ok().or_else(|| text.parse().map(Value::Float).ok());
                value.map(Expr::Value).ok_or_else(|| format!("at character {place}: {text:?} is no number"))
            }
            Some(next) => {
                self.0.push(next);
                let (name, quoted) = self.name()?;
                if quoted == Quoted::No && self.is_symbol(0, "(") {
                    return Err(format!("there is no function {name:?}"));
                }
                Ok(Expr::Field(self.path(vec![Step::Name(name, quoted)])?))
            }
            None => Err(unexpected(None)),
        }
    }

    /// An allowed part of a timestamp, in quotes or bare.
    fn part(&mut self, will_do: fn(Part) -> bool) -> Result<Part, String> {
        match self.0.pop() {
            Some((place, Token::Word(word) | Token::Text(word))) => Part::read(&word)
                .filter(|part| will_do(*part))
                .ok_or_else(|| format!("at character {place}: {word:?} is no part of a date that will do here")),
            other => Err(unexpected(other.as_ref())),
        }
    }

    /// The rest after `TRIM(`: `text)` or `[BOTH | LEADING | TRAILING] [characters] FROM text)`.
    fn trim(&mut self, depth: u32) -> Result<Expr, String> {
        let side = self.word_of(|word| match Function::read(word) {
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
        Ok(Expr::Call(function, given))
    }

    /// The rest after an open parenthesis: expressions and the closing parenthesis.
    fn arguments(&mut self, depth: u32) -> Result<Vec<Expr>, String> {
        let mut given = Vec::new();
        if self.take(")") {
            return Ok(given);
        }
        loop {
            given.push(self.expression(depth)?);
            if !self.take(",") {
                self.need(")")?;
                return Ok(given);
            }
        }
    }

    /// The steps of a path.
    fn path(&mut self, mut path: Vec<Step>) -> Result<Vec<Step>, String> {
        loop {
            if self.take(".") {
                let (name, quoted) = self.name()?;
                path.push(Step::Name(name, quoted));
            } else if self.take("[") {
                path.push(if self.take("*") {
                    Step::Each
                } else {
                    Step::At(usize::try_from(self.number()?).map_err(|_| "an index is too large")?)
                });
                self.need("]")?;
            } else {
                return Ok(path);
            }
        }
    }

    fn name(&mut self) -> Result<(String, Quoted), String> {
        match self.0.pop() {
            Some((_, Token::Name(name))) => Ok((name, Quoted::Yes)),
            Some((_, Token::Word(word))) if !RESERVED.iter().any(|known| known.eq_ignore_ascii_case(&word)) => {
                Ok((word, Quoted::No))
            }
            other => Err(unexpected(other.as_ref())),
        }
    }

    fn number(&mut self) -> Result<u64, String> {
        match self.0.pop() {
            Some((place, Token::Number(text))) => {
                text.parse().map_err(|_| format!("at character {place}: {text:?} is no whole number"))
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

    fn need_word(&mut self, word: &str) -> Result<(), String> {
        if self.take_word(word) { Ok(()) } else { Err(unexpected(self.0.last())) }
    }

    /// Consumes the next word if it is valid here.
    fn word_of<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Result<T, String> {
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
        if called.is_some() {
            self.skip(1);
        }
        called
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

    fn need(&mut self, symbol: &str) -> Result<(), String> {
        if self.take(symbol) { Ok(()) } else { Err(unexpected(self.0.last())) }
    }

    fn skip(&mut self, pieces: usize) {
        self.0.truncate(self.0.len().saturating_sub(pieces));
    }
}

/// The functions of two values and a part of a date, which are parsed alike.
type DateFunction = fn(Part, Box<Expr>, Box<Expr>) -> Expr;
const DATE_FUNCTIONS: [(&str, DateFunction); 2] = [("DATE_ADD", Expr::DateAdd), ("DATE_DIFF", Expr::DateDiff)];

fn date_function(word: &str) -> Option<DateFunction> {
    DATE_FUNCTIONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, make)| *make)
}

fn negated(not: bool, test: Expr) -> Expr {
    if not { Expr::Not(Box::new(test)) } else { test }
}

fn unexpected(next: Option<&(usize, Token)>) -> String {
    match next {
        Some((place, token)) => format!("at character {place}: unexpected {token:?}"),
        None => "unexpected end".to_owned(),
    }
}

/// The text inside the quotes at the start of `text`, with doubled quotes reduced, and the rest after them.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut rest = text.strip_prefix(quote)?;
    loop {
        let (part, after) = rest.split_once(quote)?;
        inner.push_str(part);
        match after.strip_prefix(quote) {
            Some(more) => {
                inner.push(quote);
                rest = more;
            }
            None => return Some((inner, after)),
        }
    }
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
