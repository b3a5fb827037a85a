//! The grammar of filters: `or` binds least, then `and`, then `not`, then comparisons.
//!
//! The type of a property is unknown to the parser. Where the grammar requires a condition, the service assumes that a property is a text,
//! so that `Married and Age eq 5` is refused (live tests of the .NET library). So is a property as the whole filter, which the library
//! avoids with `Married eq true` (Azure/azure-sdk-for-net#30185).

use crate::rules::comparison::Comparison;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::{Type, Value};
use crate::rules::table::odata::lex::{Token, What, refused, tokens};
use crate::rules::table::odata::{Filter, Operand};
use crate::rules::wire_name::WireName;

/// The maximum depth of parentheses and negations.
const DEEPEST: usize = 100;

/// Parses a filter.
///
/// # Errors
/// 400 InvalidInput with the service's message and the position; 400 InvalidInput for null (Azure/Azurite#2471 has the service's answer)
/// and for `True`, which is not a constant; 501 NotImplemented for parts of the language that the service does not support: functions,
/// arithmetic, comparisons of two properties.
pub fn parse(text: &str) -> Result<Filter, StorageError> {
    let mut parser = Parser { text, tokens: &tokens(text)?, at: 0, depth: 0 };
    let part = parser.any_of()?;
    match parser.peek() {
        What::End => {
            let kind = part.kind();
            part.condition().ok_or_else(|| ErrorCode::InvalidInput.with_reason(format!("{} alone is no condition", kind.name())))
        }
        _ => Err(parser.refused("Syntax error")),
    }
}

/// A parsed part of a filter: an operand or a condition.
enum Part {
    Operand(Operand),
    Filter(Filter),
}

impl Part {
    /// Its type, if it is known.
    fn kind(&self) -> Type {
        match self {
            Part::Operand(Operand::Constant(constant)) => constant.kind(),
            Part::Operand(Operand::Property(name)) if &**name == "Timestamp" => Type::DateTime,
            Part::Operand(Operand::Property(_)) => Type::String,
            Part::Filter(_) => Type::Boolean,
        }
    }

    /// The condition, if it is one.
    fn condition(self) -> Option<Filter> {
        match self {
            Part::Filter(filter) => Some(filter),
            Part::Operand(Operand::Constant(Value::Boolean(flag))) => Some(Filter::Is(flag)),
            Part::Operand(_) => None,
        }
    }
}

/// The operators that join conditions.
#[derive(Clone, Copy)]
struct Chain {
    word: &'static str,
    /// The service's name for it.
    name: &'static str,
    join: fn(Vec<Filter>) -> Filter,
}

const OR: Chain = Chain { word: "or", name: "Or", join: Filter::Or };
const AND: Chain = Chain { word: "and", name: "And", join: Filter::And };

impl Chain {
    /// Checks that both sides are conditions.
    fn check(self, left: Type, right: Type) -> Result<(), StorageError> {
        match (left, right) {
            (Type::Boolean, Type::Boolean) => Ok(()),
            _ => Err(ErrorCode::InvalidInput.with_message(format!(
                "A binary operator with incompatible types was detected. Found operand types '{}' and '{}' for operator kind '{}'.",
                left.name(),
                right.name(),
                self.name
            ))),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &What {
        self.tokens.get(self.at).map_or(&What::End, |token| &token.what)
    }

    /// Consumes the next token if it is this word.
    fn word(&mut self, expected: &str) -> bool {
        let is = matches!(self.peek(), What::Word(word) if word == expected);
        self.at += usize::from(is);
        is
    }

    fn refused(&self, what: &str) -> StorageError {
        refused(what, self.tokens.get(self.at).map_or(0, |token| token.end), self.text)
    }

    fn any_of(&mut self) -> Result<Part, StorageError> {
        self.chain(OR, Parser::all_of)
    }

    fn all_of(&mut self) -> Result<Part, StorageError> {
        self.chain(AND, Parser::not)
    }

    /// Parses one part, or several that are joined.
    fn chain(&mut self, chain: Chain, next: fn(&mut Self) -> Result<Part, StorageError>) -> Result<Part, StorageError> {
        let first = next(self)?;
        if !self.word(chain.word) {
            return Ok(first);
        }
        let mut left = first.kind();
        let mut parts = Vec::from_iter(first.condition());
        loop {
            let part = next(self)?;
            chain.check(left, part.kind())?;
            left = Type::Boolean;
            parts.extend(part.condition());
            if !self.word(chain.word) {
                return Ok(Part::Filter((chain.join)(parts)));
            }
        }
    }

    fn not(&mut self) -> Result<Part, StorageError> {
        if !self.word("not") {
            return self.comparison();
        }
        self.deeper(|parser| {
            let part = parser.not()?;
            let kind = part.kind();
            let condition = part.condition().ok_or_else(|| {
                ErrorCode::InvalidInput.with_message(format!(
                    "A unary operator with an incompatible type was detected. Found operand type '{}' for operator kind 'Not'.",
                    kind.name()
                ))
            })?;
            Ok(Part::Filter(Filter::Not(Box::new(condition))))
        })
    }

    fn deeper(&mut self, inside: impl FnOnce(&mut Self) -> Result<Part, StorageError>) -> Result<Part, StorageError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ErrorCode::InvalidInput.with_message("Recursion limit reached."));
        }
        let part = inside(self)?;
        self.depth -= 1;
        Ok(part)
    }

    fn comparison(&mut self) -> Result<Part, StorageError> {
        let left = self.primary()?;
        let What::Word(word) = self.peek() else { return Ok(left) };
        let operator = match word.as_str() {
            "eq" => Comparison::Equal,
            "ne" => Comparison::NotEqual,
            "gt" => Comparison::Greater,
            "ge" => Comparison::GreaterOrEqual,
            "lt" => Comparison::Less,
            "le" => Comparison::LessOrEqual,
            "add" | "sub" | "mul" | "div" | "mod" => {
                return Err(ErrorCode::NotImplemented.with_reason(format!("the operator {word}")));
            }
            _ => return Ok(left),
        };
        self.at += 1;
        let right = self.primary()?;
        compare(left, operator, right)
    }

    fn primary(&mut self) -> Result<Part, StorageError> {
        let part = match self.peek().clone() {
            What::Open => {
                self.at += 1;
                return self.deeper(|parser| {
                    let part = parser.any_of()?;
                    match parser.peek() {
                        What::Close => parser.at += 1,
                        _ => return Err(parser.refused("')' or operator expected")),
                    }
                    Ok(part)
                });
            }
            What::Constant(constant) => Operand::Constant(constant),
            What::Null => return Err(ErrorCode::InvalidInput.with_reason("null compares with nothing")),
            What::Word(name) => Operand::Property(name.into()),
            What::Close | What::Other | What::End => return Err(self.refused("Expression expected")),
        };
        self.at += 1;
        match (&part, self.peek()) {
            (Operand::Property(name), What::Open) => Err(ErrorCode::NotImplemented.with_reason(format!("the function {name}"))),
            (Operand::Property(_), What::Other) => Err(self.refused("Syntax error")),
            _ => Ok(Part::Operand(part)),
        }
    }
}

/// Builds a comparison. One operand is a constant. A condition may be compared with `true` and `false`.
fn compare(left: Part, operator: Comparison, right: Part) -> Result<Part, StorageError> {
    let filter = match (left, right) {
        (Part::Operand(Operand::Property(one)), Part::Operand(Operand::Property(other))) => {
            if is_flag(&one) || is_flag(&other) {
                return Err(ErrorCode::InvalidInput.with_reason("true and false are written in lower case"));
            }
            return Err(ErrorCode::NotImplemented.with_reason("two properties are compared"));
        }
        (Part::Operand(left), Part::Operand(right)) => Filter::Compare(left, operator, right),
        (Part::Filter(filter), Part::Operand(Operand::Constant(Value::Boolean(wanted))))
        | (Part::Operand(Operand::Constant(Value::Boolean(wanted))), Part::Filter(filter)) => match operator {
            Comparison::Equal if wanted => filter,
            Comparison::NotEqual if !wanted => filter,
            Comparison::Equal | Comparison::NotEqual => Filter::Not(Box::new(filter)),
            _ => return Err(ErrorCode::NotImplemented.with_reason("conditions have no order")),
        },
        _ => return Err(ErrorCode::NotImplemented.with_reason("two conditions are compared")),
    };
    Ok(Part::Filter(filter))
}

/// Returns true for `true` and `false` in another letter case.
fn is_flag(word: &str) -> bool {
    word.eq_ignore_ascii_case("true") || word.eq_ignore_ascii_case("false")
}
