//! The vocabulary of the code: words that `docs/style.md` replaces, and that no identifier and no comment has.

use super::{NOTHING, files_below};

/// Identifiers, as they are.
const IDENTIFIERS: &str = "Fault Op Row Shape SELECTORS Permit Grant Guard Accepts Call Asked Ask Term At Kept Aside Staged About Named \
                           Held Holdings Told Recorded Manners Known Asking Asker Reach Opens Elsewhere Trouble Mistake Unreadable Unmet \
                           Patient Sniffed Spelled World House Door";

/// Words of comments and of identifiers, in any letter case. Those of `is_leased` and `IsLeased` are `is` and `leased`.
const WORDS: &str = "told tell tells asked asks ask spelled spelt spelling spells spellings door born stamp stamps manners aside holdings \
                     dice mistake mistakes trouble unmet lent lends lend house thus hence thither whence sits";

/// Several words in a row. What follows `-` makes a phrase legitimate.
const PHRASES: [(&str, &str); 6] =
    [("no more", "than"), ("for who", ""), ("what there is", ""), ("one who", ""), ("who asks", ""), ("read off", "")];

/// A comment does not begin with this word and a colon. It ends in `(recorded)`, or names the recording.
const LABEL: &str = "Recorded:";

/// Words that a name on the wire forces: the file, the word, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// A piece of Rust. Strings and characters are not among them.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    Identifier(&'a str),
    /// From `//` to the end of the line, or a block.
    Comment(&'a str),
}

/// The identifiers and comments of a file, with their lines.
fn tokens(text: &str) -> Vec<(usize, Token<'_>)> {
    let (mut found, mut rest, mut line) = (Vec::new(), text, 1);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            string(rest)
        } else if first == '\'' {
            character(rest).unwrap_or(1)
        } else if is_word(first) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let hashes = after.len() - after.trim_start_matches('#').len();
            match matches!(word, "r" | "br" | "cr") && after[hashes..].starts_with('"') {
                true => {
                    let close = format!("\"{}", "#".repeat(hashes));
                    let begin = end + hashes + 1;
                    rest[begin..].find(&close).map_or(rest.len(), |at| begin + at + close.len())
                }
                false => end,
            }
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        if token.starts_with("//") || token.starts_with("/*") {
            found.push((line, Token::Comment(token)));
        } else if is_word(first) && !token.contains('"') {
            found.push((line, Token::Identifier(token)));
        }
        line += token.matches('\n').count();
        rest = after;
    }
    found
}

/// The length of a string with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let closes = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        closes
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// The length of a character with its quotes; `None` for a lifetime.
fn character(text: &str) -> Option<usize> {
    let mut letters = text.char_indices().skip(1);
    let (_, first) = letters.next()?;
    match first {
        '\\' => {
            letters.next()?;
            letters.find(|(_, c)| *c == '\'').map(|(at, _)| at + 1)
        }
        _ => letters.next().filter(|(_, c)| *c == '\'').map(|(at, _)| at + 1),
    }
}

/// The words of an identifier in lower case: those between underscores, and those that begin with a capital.
fn words_of(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for letter in identifier.chars() {
        let begins = letter.is_uppercase() && !before.is_uppercase();
        if (letter == '_' || begins) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if letter != '_' {
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

fn old_words(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| WORDS.split_whitespace().any(|old| old == *word)).cloned().collect()
}

/// The old phrases that end behind the first `known` words.
fn old_phrases(words: &[String], known: usize) -> Vec<String> {
    let holds = |at: usize, phrase: &str, unless: &str| {
        let rest = words.get(at..).unwrap_or_default();
        let parts: Vec<&str> = phrase.split(' ').collect();
        let is_allowed = !unless.is_empty() && rest.get(parts.len()).is_some_and(|next| next == unless);
        rest.len() >= parts.len()
            && rest.iter().zip(&parts).all(|(word, part)| word == part)
            && at + parts.len() > known
            && !is_allowed
    };
    let found = PHRASES.iter().filter(|(phrase, unless)| (0..words.len()).any(|at| holds(at, phrase, unless)));
    found.map(|(phrase, _)| (*phrase).to_owned()).collect()
}

/// The old words of a file, with their lines.
fn offences(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    // The line of the last comment, and its words: a line feed may divide a phrase.
    let mut last: (usize, Vec<String>) = (0, Vec::new());
    for (line, token) in tokens(text) {
        let old = match token {
            Token::Identifier(identifier) if IDENTIFIERS.split_whitespace().any(|old| old == identifier) => {
                vec![identifier.to_owned()]
            }
            Token::Identifier(identifier) => {
                let words = words_of(identifier);
                [old_words(&words), old_phrases(&words, 0)].concat()
            }
            Token::Comment(text) => {
                let label = text.contains(LABEL).then(|| LABEL.to_owned());
                let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                let words: Vec<String> = split.map(str::to_lowercase).collect();
                let before = if last.0 + 1 == line { std::mem::take(&mut last.1) } else { Vec::new() };
                let phrases = old_phrases(&[&before[..], &words].concat(), before.len());
                let old = label.into_iter().chain(old_words(&words)).chain(phrases).collect();
                last = (line, words);
                old
            }
        };
        found.extend(old.into_iter().map(|word| (line, word)));
    }
    found
}

#[test]
fn old_words_are_found_in_code_and_comments_and_not_in_strings() {
    for (text, expected) in [
        ("let was_asked = 1;", &["asked"][..]),
        ("struct AskedTwice;", &["asked"]),
        ("struct Asked;", &["Asked"]),
        ("struct Timestamp; fn known() {} // It is known.", &[]),
        ("/// Tells the time.\nfn f() {}", &["tells"]),
        ("f(\"it is told // told\", 'a', '\\'', r#\"told \" told\"#, b\"told\");", &[]),
        ("fn f<'told>() {}", &["told"]),
        ("// no more than five", &[]),
        ("// From when on it is no\n// more.", &["no more"]),
        ("// one two\n// three", &[]),
        ("// Recorded: this", &["Recorded:"]),
        ("fn is_no_more() {}", &["no more"]),
    ] {
        let found: Vec<String> = offences(text).into_iter().map(|(_, word)| word).collect();
        assert_eq!(found, expected, "{text}");
    }
    assert_eq!(offences("one\n\"two\nthree\"\nlet told = 4;"), [(4, "told".to_owned())]);
}

#[test]
fn no_old_word_is_used() {
    let mut found = Vec::new();
    for source in ["src", "tests", "benches"].into_iter().flat_map(files_below) {
        let excepted = |word: &str| EXCEPTIONS.iter().any(|(path, old, _)| *path == source.path && *old == word);
        let offences = offences(&source.text).into_iter().filter(|(_, word)| !excepted(word));
        found.extend(offences.map(|(line, word)| format!("{}:{line} has the old word {word:?}", source.path)));
    }
    assert_eq!(found, NOTHING, "docs/style.md has the words to use instead");
}
