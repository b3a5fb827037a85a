//! The tokens of a filter. Like the service, refusals name the position behind the unexpected token.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::{Value, value};

/// A token, and its end: a number of characters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) what: What,
    pub(super) end: usize,
}

/// The kinds of token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// A property, an operator, a function.
    Word(String),
    /// A constant.
    Constant(Value),
    /// `null`, which cannot be compared.
    Null,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`, `/` and the like, of syntax that the service does not support.
    Other,
    /// The end of the filter.
    End,
}

/// Splits a filter into tokens. The last is [`What::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, StorageError> {
    let letters: Vec<char> = text.chars().collect();
    let mut lexer = Lexer { text, letters: &letters, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        let last = token.what == What::End;
        tokens.push(token);
        if last {
            return Ok(tokens);
        }
    }
}

/// 400 InvalidInput with a message that quotes the filter.
pub(super) fn refused(what: &str, at: usize, text: &str) -> StorageError {
    ErrorCode::InvalidInput.with_message(format!("{what} at position {at} in '{text}'."))
}

struct Lexer<'a> {
    text: &'a str,
    letters: &'a [char],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    /// Consumes characters that match.
    fn take(&mut self, matches: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while let Some(letter) = self.peek(0).filter(|letter| matches(*letter)) {
            text.push(letter);
            self.at += 1;
        }
        text
    }

    fn next(&mut self) -> Result<Token, StorageError> {
        self.take(char::is_whitespace);
        let what = match self.peek(0) {
            None => What::End,
            Some('\'') => What::Constant(Value::String(self.quoted()?.into())),
            Some('(') => self.single(What::Open),
            Some(')') => self.single(What::Close),
            Some(',' | '/' | '*' | '=' | '?' | '@' | '$' | '.' | ':' | ';') => self.single(What::Other),
            Some(letter) if letter.is_ascii_digit() => self.number()?,
            Some('-') if self.peek(1).is_some_and(|next| next.is_ascii_digit() || next == '.') => self.number()?,
            Some('-') if self.letters.get(self.at + 1..self.at + 4) == Some(&['I', 'N', 'F']) => {
                self.at += 4;
                What::Constant(Value::Double(f64::NEG_INFINITY))
            }
            Some('-') => self.single(What::Other),
            Some(letter) if letter == '_' || letter.is_alphabetic() => self.word()?,
            Some(letter) => {
                return Err(refused(&format!("Syntax error: character '{letter}' is not valid"), self.at, self.text));
            }
        };
        Ok(Token { what, end: self.at })
    }

    fn single(&mut self, what: What) -> What {
        self.at += 1;
        what
    }

    /// Reads a quoted text, in which quotes are doubled.
    fn quoted(&mut self) -> Result<String, StorageError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            text += &self.take(|letter| letter != '\'');
            if self.peek(0).is_none() {
                return Err(refused("There is an unterminated string literal", self.at, self.text));
            }
            self.at += 1;
            if self.peek(0) != Some('\'') {
                return Ok(text);
            }
            text.push('\'');
            self.at += 1;
        }
    }

    fn word(&mut self) -> Result<What, StorageError> {
        let word = self.take(|letter| letter == '_' || letter.is_alphanumeric());
        if self.peek(0) == Some('\'') {
            let text = self.quoted()?;
            let (kind, constant) = match word.as_str() {
                "datetime" => ("Edm.DateTime", value::date(&text).map(Value::DateTime)),
                "guid" => ("Edm.Guid", value::guid(&text).map(Value::Guid)),
                "X" | "x" | "binary" => ("Edm.Binary", hexadecimal(&text).map(|bytes| Value::Binary(bytes.into()))),
                _ => return Err(refused("Syntax error", self.at, self.text)),
            };
            return constant.map(What::Constant).ok_or_else(|| self.unrecognized(kind, &text));
        }
        Ok(match word.as_str() {
            "true" => What::Constant(Value::Boolean(true)),
            "false" => What::Constant(Value::Boolean(false)),
            "null" => What::Null,
            "INF" => What::Constant(Value::Double(f64::INFINITY)),
            "NaN" => What::Constant(Value::Double(f64::NAN)),
            _ => What::Word(word),
        })
    }

    /// Reads one or more digits.
    fn digits(&mut self) -> Result<String, StorageError> {
        let digits = self.take(|letter| letter.is_ascii_digit());
        if digits.is_empty() { Err(refused("A digit was expected", self.at, self.text)) } else { Ok(digits) }
    }

    fn number(&mut self) -> Result<What, StorageError> {
        let mut text = String::new();
        if self.peek(0) == Some('-') {
            text.push('-');
            self.at += 1;
        }
        text += &self.take(|letter| letter.is_ascii_digit());
        let mut whole = true;
        if self.peek(0) == Some('.') {
            whole = false;
            self.at += 1;
            text = format!("{text}.{}", self.digits()?);
        }
        if matches!(self.peek(0), Some('e' | 'E')) {
            whole = false;
            self.at += 1;
            text.push('e');
            text += &self.take(|letter| letter == '+' || letter == '-');
            text += &self.digits()?;
        }
        let (kind, constant) = match self.peek(0) {
            Some('L' | 'l') if whole => {
                self.at += 1;
                ("Edm.Int64", text.parse().ok().map(Value::Int64))
            }
            Some('D' | 'd' | 'F' | 'f') => {
                self.at += 1;
                ("Edm.Double", value::double(&text).map(Value::Double))
            }
            _ if whole => ("Edm.Int32", text.parse().ok().map(Value::Int32)),
            _ => ("Edm.Double", value::double(&text).map(Value::Double)),
        };
        if self.peek(0).is_some_and(|next| next == '_' || next.is_alphanumeric()) {
            return Err(refused("Syntax error", self.at, self.text));
        }
        constant.map(What::Constant).ok_or_else(|| self.unrecognized(kind, &text))
    }

    fn unrecognized(&self, kind: &str, literal: &str) -> StorageError {
        ErrorCode::InvalidInput
            .with_message(format!("Unrecognized '{kind}' literal '{literal}' at '{}' in '{}'.", self.at, self.text))
    }
}

/// Reads bytes of two hexadecimal digits each.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some((digit(pair.first()?)? * 16 + digit(pair.get(1)?)?) as u8)).collect()
}
