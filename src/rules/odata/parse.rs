//! The grammar of filters: `or` binds least, then `and`, then `not`, then comparisons.

use super::super::entity::Value;
use super::super::fault::{Code, Fault};
use super::lex::{Token, What, refused, tokens};
use super::{Filter, Operand, Operator};

/// How deep parentheses and negations may nest.
const DEEPEST: usize = 100;

/// Reads a filter.
///
/// # Errors
/// 400 InvalidInput with the service's sentence, telling the position; 501 NotImplemented for what the language has and the service does
/// not do: functions, arithmetic, null, comparisons of two properties.
pub fn parse(text: &str) -> Result<Filter, Fault> {
    let mut parser = Parser { text, tokens: &tokens(text)?, at: 0, depth: 0 };
    let part = parser.any_of()?;
    match parser.peek() {
        What::End => parser.filter(part),
        _ => Err(parser.refused("Syntax error")),
    }
}

/// What a part of the text is, before it is known what it is for.
enum Part {
    Operand(Operand),
    Filter(Filter),
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

    /// Takes a word if it is this one.
    fn word(&mut self, wanted: &str) -> bool {
        let is = matches!(self.peek(), What::Word(word) if word == wanted);
        self.at += usize::from(is);
        is
    }

    fn refused(&self, what: &str) -> Fault {
        refused(what, self.tokens.get(self.at).map_or(0, |token| token.end), self.text)
    }

    /// A part that must be true or false.
    fn filter(&self, part: Part) -> Result<Filter, Fault> {
        match part {
            Part::Filter(filter) => Ok(filter),
            Part::Operand(Operand::Constant(constant)) if !matches!(constant, Value::Boolean(_)) => {
                Err(Code::InvalidInput.because(format!("{} alone is no condition", constant.kind().name())))
            }
            Part::Operand(operand) => Ok(Filter::Is(operand)),
        }
    }

    fn any_of(&mut self) -> Result<Part, Fault> {
        self.chain("or", Parser::all_of, Filter::Or)
    }

    fn all_of(&mut self) -> Result<Part, Fault> {
        self.chain("and", Parser::not, Filter::And)
    }

    /// One part, or several with a word between them.
    fn chain(
        &mut self,
        word: &str,
        next: fn(&mut Self) -> Result<Part, Fault>,
        join: fn(Vec<Filter>) -> Filter,
    ) -> Result<Part, Fault> {
        let first = next(self)?;
        if !self.word(word) {
            return Ok(first);
        }
        let mut parts = vec![self.filter(first)?];
        loop {
            let part = next(self)?;
            parts.push(self.filter(part)?);
            if !self.word(word) {
                return Ok(Part::Filter(join(parts)));
            }
        }
    }

    fn not(&mut self) -> Result<Part, Fault> {
        if !self.word("not") {
            return self.comparison();
        }
        self.deeper(|parser| {
            let part = parser.not()?;
            Ok(Part::Filter(Filter::Not(Box::new(parser.filter(part)?))))
        })
    }

    fn deeper(&mut self, inside: impl FnOnce(&mut Self) -> Result<Part, Fault>) -> Result<Part, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Code::InvalidInput.saying("Recursion limit reached."));
        }
        let part = inside(self)?;
        self.depth -= 1;
        Ok(part)
    }

    fn comparison(&mut self) -> Result<Part, Fault> {
        let left = self.primary()?;
        let What::Word(word) = self.peek() else { return Ok(left) };
        if ["add", "sub", "mul", "div", "mod"].contains(&word.as_str()) {
            return Err(Code::NotImplemented.because(format!("the operator {word}")));
        }
        let Some((operator, _)) = Operator::ALL.iter().find(|(_, known)| known == word) else { return Ok(left) };
        self.at += 1;
        let right = self.primary()?;
        compare(left, *operator, right)
    }

    fn primary(&mut self) -> Result<Part, Fault> {
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
            What::Null => return Err(Code::NotImplemented.because("null compares with nothing")),
            What::Word(name) => Operand::Property(name.into()),
            What::Close | What::Other | What::End => return Err(self.refused("Expression expected")),
        };
        self.at += 1;
        match (&part, self.peek()) {
            (Operand::Property(name), What::Open) => Err(Code::NotImplemented.because(format!("the function {name}"))),
            (Operand::Property(_), What::Other) => Err(self.refused("Syntax error")),
            _ => Ok(Part::Operand(part)),
        }
    }
}

/// A comparison. One side of it is a constant; what is true or false may be compared with `true` and `false`.
fn compare(left: Part, operator: Operator, right: Part) -> Result<Part, Fault> {
    let filter = match (left, right) {
        (Part::Operand(Operand::Property(_)), Part::Operand(Operand::Property(_))) => {
            return Err(Code::NotImplemented.because("two properties are compared"));
        }
        (Part::Operand(left), Part::Operand(right)) => Filter::Compare(left, operator, right),
        (Part::Filter(filter), Part::Operand(Operand::Constant(Value::Boolean(wanted))))
        | (Part::Operand(Operand::Constant(Value::Boolean(wanted))), Part::Filter(filter)) => match operator {
            Operator::Eq if wanted => filter,
            Operator::Ne if !wanted => filter,
            Operator::Eq | Operator::Ne => Filter::Not(Box::new(filter)),
            _ => return Err(Code::NotImplemented.because("conditions have no order")),
        },
        _ => return Err(Code::NotImplemented.because("two conditions are compared")),
    };
    Ok(Part::Filter(filter))
}
