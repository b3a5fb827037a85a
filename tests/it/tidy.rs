//! The rules of the house that no compiler knows.

use std::path::{Path, PathBuf};

/// A file of `src`: its path below it, and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The lines that are code and not test: numbered, without comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = if self.is_test() { 0 } else { usize::MAX };
        let lines = self.text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).take(end);
        lines.enumerate().map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
    }

    /// Whether the whole file is a test module.
    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs")
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push(Source { path: below, text: std::fs::read_to_string(&path).unwrap() });
            }
        }
    }
    assert!(found.len() > 50, "{} files were found", found.len());
    found
}

/// Whether a line names this word: not as a part of a longer one.
fn names(line: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let apart = |one: Option<char>, other: Option<char>| !(letter(one) && letter(other));
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        apart(before.chars().next_back(), word.chars().next()) && apart(word.chars().next_back(), after.chars().next())
    })
}

/// Every mention of one of these words in the code of these files.
fn mentions(folder: &str, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut looked = 0;
    for source in sources().iter().filter(|source| source.path.starts_with(folder)) {
        looked += 1;
        for (at, line) in source.code() {
            found.extend(words.iter().filter(|word| names(line, word)).map(|word| format!("{}:{at} names {word}", source.path)));
        }
    }
    assert!(looked > 0, "nothing is in {folder}");
    found
}

const NOTHING: Vec<String> = Vec::new();

#[test]
fn words_are_found_as_words() {
    assert!(names("use tokio::net;", "tokio") && names("async fn f()", "async") && names("std::fs::read(x)", "std::fs"));
    assert!(
        names("use crate::http::serve;", "crate::http")
            && names("x.unwrap();", ".unwrap()")
            && names("x.expect(\"y\")", ".expect(")
    );
    assert!(!names("let tokios = 1;", "tokio") && !names("parse_http(text)", "http::") && !names("x.unwrap_or(1)", ".unwrap()"));
    let source = Source { path: "a.rs".into(), text: "one // tokio\ntwo\n#[cfg(test)]\nmod tests { three }\n".into() };
    assert_eq!(source.code().collect::<Vec<_>>(), [(1, "one "), (2, "two")]);
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<String> =
        sources().into_iter().filter(|source| !source.text.starts_with("//! ")).map(|source| source.path).collect();
    assert_eq!(silent, NOTHING);
}

#[test]
fn no_file_is_longer_than_one_can_read() {
    let long = |source: &Source| source.text.lines().count() > 700;
    let long: Vec<String> = sources().into_iter().filter(long).map(|source| source.path).collect();
    assert_eq!(long, NOTHING);
}

/// Rules decide, from their arguments alone.
#[test]
fn rules_are_pure() {
    let outside = [
        "tokio",
        "hyper",
        "http::",
        "axum",
        "async",
        "std::fs",
        "std::net::Tcp",
        "TcpStream",
        "TcpListener",
        "SystemTime",
        "Instant",
        "std::env",
        "std::thread",
        "crate::http",
        "crate::store",
        "crate::op",
        "crate::blob",
        "crate::queue",
        "crate::service",
        "crate::table",
        "crate::world",
        "crate::config",
        "crate::control",
        "crate::account",
    ];
    assert_eq!(mentions("rules/", &outside), NOTHING);
}

/// The wire does not know what a blob is, no service sees a socket, and none knows another.
#[test]
fn the_wire_and_the_services_do_not_meet() {
    let services = ["blob", "queue", "table"].map(|name| (format!("{name}/"), format!("crate::{name}")));
    let keeps_from = |folder: &str, outside: &[&str]| {
        let others = services.iter().filter(|(own, _)| own != folder).map(|(_, module)| module.as_str());
        assert_eq!(mentions(folder, &others.chain(outside.iter().copied()).collect::<Vec<_>>()), NOTHING, "{folder}");
    };
    for (folder, _) in &services {
        keeps_from(folder, &["crate::http", "crate::config", "crate::control", "tokio", "hyper", "axum"]);
    }
    keeps_from("http/", &["crate::store::cell"]);
    keeps_from("service/", &["crate::http", "crate::config", "crate::control"]);
    keeps_from("store/", &["crate::http", "crate::service", "crate::op", "crate::config"]);
}

/// What can fail says so; what is not there yet answers 501; what is tested is tested always.
#[test]
fn nothing_is_left_to_chance() {
    assert_eq!(mentions("", &["todo!", "unimplemented!", ".unwrap()", ".expect(", "dbg!"]), NOTHING);
    let skipped =
        sources().into_iter().filter(|source| source.text.lines().any(|line| line.trim_start().starts_with("#[ignore")));
    assert_eq!(skipped.map(|source| source.path).collect::<Vec<_>>(), NOTHING);
}
