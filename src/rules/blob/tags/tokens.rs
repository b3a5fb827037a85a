//! The tokens of both languages: the conditions of `x-ms-if-tags` and the `where` of Find Blobs by Tags.

use crate::rules::comparison::Comparison;
use crate::rules::text::quoted;
use crate::rules::wire_name::WireName;

/// Why an expression is invalid, in the words of the service. Positions are in characters, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at or near character position {position}: {problem}")]
pub struct SyntaxError {
    pub position: usize,
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("unexpected '{0}'")]
    Unexpected(String),
    #[error("unexpected end")]
    UnexpectedEnd,
    #[error("parentheses nest too deep")]
    TooDeep,
    #[error("unsupported parameter '{0}'")]
    UnsupportedParameter(String),
    /// The service has this sentence for a lone word.
    #[error("expected an operator")]
    MissingOperator,
    #[error("expecting tag value")]
    MissingValue,
    #[error("tag must be between 1 and 128 characters in length")]
    KeyLength,
    #[error("tag value must be between 0 and 256 characters in length")]
    ValueLength,
    #[error("'{0}' not permitted in tag name or value")]
    ForbiddenCharacter(char),
}

impl Problem {
    pub fn at(self, position: usize) -> SyntaxError {
        SyntaxError { position, problem: self }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// `"…"`
    Key(String),
    /// `'…'`
    Value(String),
    /// A bare identifier: a key, AND, OR or `@container`.
    Word(String),
    Operator(Comparison),
    Open,
    Close,
}

impl Token {
    /// The text between the quotes, or the token as written.
    fn text(&self) -> &str {
        match self {
            Token::Key(text) | Token::Value(text) | Token::Word(text) => text,
            Token::Operator(operator) => operator.name(),
            Token::Open => "(",
            Token::Close => ")",
        }
    }
}

/// The remaining tokens in reverse order, each with its position.
pub struct Tokens {
    left: Vec<(usize, Token)>,
    /// The position after the text.
    end: usize,
}

impl Tokens {
    /// Splits a text into tokens.
    ///
    /// # Errors
    /// The first character that begins no token.
    pub fn of(text: &str) -> Result<Tokens, SyntaxError> {
        let length = text.chars().count();
        let mut left = Vec::new();
        let mut rest = text.trim_start();
        let mut ahead = rest.chars().count();
        while let Some(first) = rest.chars().next() {
            let position = length - ahead + 1;
            let (token, after) = split_token(rest, first).ok_or_else(|| Problem::Unexpected(first.to_string()).at(position))?;
            left.push((position, token));
            let next = after.trim_start();
            ahead -= rest.split_at(rest.len() - next.len()).0.chars().count();
            rest = next;
        }
        left.reverse();
        Ok(Tokens { left, end: length + 1 })
    }

    /// The position of the next token, or of the end of the text.
    pub fn position(&self) -> usize {
        self.left.last().map_or(self.end, |(position, _)| *position)
    }

    /// The error about an unexpected token.
    pub fn unexpected(&self) -> SyntaxError {
        let problem = match self.left.last() {
            Some((_, token)) => Problem::Unexpected(token.text().to_owned()),
            None => Problem::UnexpectedEnd,
        };
        problem.at(self.position())
    }

    /// Checks that no token is left.
    pub fn end(&self) -> Result<(), SyntaxError> {
        if self.left.is_empty() { Ok(()) } else { Err(self.unexpected()) }
    }

    /// An expression in parentheses.
    pub fn parentheses<T>(
        &mut self,
        depth: u32,
        inner: impl FnOnce(&mut Tokens, u32) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        let position = self.position();
        self.need(&Token::Open)?;
        let inner = inner(self, depth.checked_sub(1).ok_or_else(|| Problem::TooDeep.at(position))?)?;
        self.need(&Token::Close).map(|()| inner)
    }

    /// `key operator value`
    pub fn comparison(&mut self) -> Result<(String, Comparison, String), SyntaxError> {
        let position = self.position();
        let key = match self.left.last() {
            Some((_, Token::Word(word))) if word.starts_with('@') => {
                return Err(Problem::UnsupportedParameter(word.clone()).at(position));
            }
            Some((_, Token::Key(key))) => key.clone(),
            Some((_, Token::Word(word))) if !self.at_word("AND") && !self.at_word("OR") => word.clone(),
            _ => return Err(self.unexpected()),
        };
        self.left.pop();
        let operator = match self.left.last() {
            Some((_, Token::Operator(operator))) => *operator,
            None => return Err(Problem::MissingOperator.at(position)),
            Some(_) => return Err(self.unexpected()),
        };
        self.left.pop();
        Ok((key, operator, self.value()?))
    }

    pub fn value(&mut self) -> Result<String, SyntaxError> {
        match self.left.pop_if(|(_, next)| matches!(next, Token::Value(_))) {
            Some((_, Token::Value(value))) => Ok(value),
            _ if self.left.is_empty() => Err(Problem::MissingValue.at(self.end)),
            _ => Err(self.unexpected()),
        }
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.left.last(), Some((_, Token::Word(next))) if next.eq_ignore_ascii_case(word))
    }

    /// Consumes the next token if it is this word.
    pub fn take_word(&mut self, word: &str) -> bool {
        self.at_word(word) && self.left.pop().is_some()
    }

    pub fn at(&self, token: &Token) -> bool {
        self.left.last().is_some_and(|(_, next)| next == token)
    }

    /// Consumes this token.
    pub fn need(&mut self, token: &Token) -> Result<(), SyntaxError> {
        if self.left.pop_if(|(_, next)| next == token).is_some() { Ok(()) } else { Err(self.unexpected()) }
    }
}

/// The token at the start of `text`, and the rest after it.
fn split_token(text: &str, first: char) -> Option<(Token, &str)> {
    match first {
        '"' => quoted(text, '"').map(|(key, after)| (Token::Key(key), after)),
        '\'' => quoted(text, '\'').map(|(value, after)| (Token::Value(value), after)),
        '(' => Some((Token::Open, text.split_at(1).1)),
        ')' => Some((Token::Close, text.split_at(1).1)),
        '=' | '<' | '>' => {
            Comparison::NAMES.iter().find_map(|(operator, sign)| Some((Token::Operator(*operator), text.strip_prefix(*sign)?)))
        }
        'a'..='z' | 'A'..='Z' | '_' | '@' => {
            // `@` starts a new word: clients write `AND@container` without a blank.
            let name = text.strip_prefix('@').unwrap_or(text);
            let after = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
            Some((Token::Word(text.split_at(text.len() - after.len()).0.to_owned()), after))
        }
        _ => None,
    }
}
