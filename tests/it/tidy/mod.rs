//! The rules of this project that no compiler checks.

mod circles;
mod words;

use std::path::{Path, PathBuf};

/// A file: its path and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The lines that are code and not test: numbered, without comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = if self.is_test() { Some(0) } else { self.tests() };
        self.text[..end.unwrap_or(self.text.len())]
            .lines()
            .enumerate()
            .map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
    }

    /// Where the module `tests` of this file begins.
    fn tests(&self) -> Option<usize> {
        let is_module = |at: &usize| {
            let mut lines = self.text[*at..].lines().skip_while(|line| line.is_empty() || line.starts_with("#["));
            lines.next().is_some_and(|line| line.ends_with("mod tests {"))
        };
        self.text.match_indices("\n#[cfg(test)]\n").map(|(at, _)| at).find(is_module)
    }

    /// Whether the whole file is a test module.
    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("tests/")
    }
}

/// The files of `src`, with their paths below it.
fn sources() -> Vec<Source> {
    let found = files_below("src");
    assert!(found.len() > 50, "{} files were found", found.len());
    found.into_iter().map(|source| Source { path: source.path.trim_start_matches("src/").to_owned(), ..source }).collect()
}

/// The files of Rust in a folder of the project, with their paths from its root.
fn files_below(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut found, mut folders) = (Vec::new(), vec![root.join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push(Source { path: below, text: std::fs::read_to_string(&path).unwrap() });
            }
        }
    }
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
    let source = Source { path: "a.rs".into(), text: "one // tokio\ntwo\n#[cfg(test)]\nmod tests {\n    three\n}\n".into() };
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

/// Rules decide from their arguments alone.
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
    ];
    assert_eq!(mentions("rules/", &outside), NOTHING);
}

/// The layers, and what each may use beside itself. A room that is not listed here may not exist.
const LAYERS: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("account", &["rules"]),
    ("environment", &["rules"]),
    ("pfx", &[]),
    ("authority", &[]),
    ("client_variables", &["authority"]),
    ("launch", &[]),
    ("system_trust", &[]),
    ("log", &[]),
    ("progress", &[]),
    ("store", &["rules", "environment", "progress"]),
    ("user", &["store"]),
    ("identity", &["rules", "environment"]),
    ("operation", &["rules", "account", "environment", "store"]),
    ("services/shared", &["rules", "account", "environment", "store", "operation"]),
    ("services/blob", SERVICE),
    ("services/queue", SERVICE),
    ("services/table", SERVICE),
    ("services/file", SERVICE),
    ("diagnostics", &["rules", "environment", "operation"]),
    ("http", &["rules", "account", "authority", "environment", "store", "operation", "identity", "diagnostics", "log", "pfx"]),
    ("control", &["rules", "account", "environment", "store", "operation", "diagnostics", "http", "seed"]),
    ("console", &["rules", "operation", "http", "control"]),
    ("config", &["rules", "account", "client_variables", "store", "log", "user", "pfx"]),
    ("health", &["config"]),
    (
        "emulator",
        &[
            "rules",
            "account",
            "authority",
            "client_variables",
            "environment",
            "store",
            "operation",
            "identity",
            "services",
            "diagnostics",
            "http",
            "console",
            "control",
            "config",
            "progress",
            "seed",
        ],
    ),
    ("seed", &["rules", "account", "environment", "store", "operation", "http", "import"]),
    ("check", &["rules", "account", "store", "services", "progress"]),
    ("import", &["rules", "account", "environment", "store", "operation", "services", "http", "config", "progress"]),
    (
        "command_line",
        &[
            "account",
            "authority",
            "client_variables",
            "environment",
            "store",
            "operation",
            "user",
            "launch",
            "log",
            "system_trust",
            "http",
            "config",
            "health",
            "emulator",
            "check",
            "import",
            "progress",
        ],
    ),
];

/// What a service may use: no other service, no socket.
const SERVICE: &[&str] = &["rules", "account", "environment", "store", "operation", "services/shared"];

/// The layer of a module path such as `services/blob/ops`.
fn layer(path: &str) -> String {
    let mut parts = path.split('/');
    let first = parts.next().unwrap().trim_end_matches(".rs");
    match parts.next() {
        Some(second) if first == "services" => format!("{first}/{}", second.trim_end_matches(".rs")),
        _ => first.to_owned(),
    }
}

/// Every layer, and every service, uses only what stands below it.
#[test]
fn arrows_point_down() {
    let mut upward = Vec::new();
    for source in sources()
        .iter()
        .filter(|source| !source.is_test() && !["main.rs", "lib.rs", "services/mod.rs"].contains(&source.path.as_str()))
    {
        let own = layer(&source.path);
        let Some((_, may_use)) = LAYERS.iter().find(|(name, _)| *name == own) else {
            upward.push(format!("{} belongs to no layer", source.path));
            continue;
        };
        for (at, line) in source.code() {
            for (_, used) in line.match_indices("crate::").map(|(at, word)| line.split_at(at + word.len())) {
                let names = used.strip_prefix('{').map_or(used, |list| list.split('}').next().unwrap_or_default());
                let ends = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
                let count = if names == used { 1 } else { usize::MAX };
                for path in names.split(ends).filter(|path| !path.is_empty()).take(count) {
                    let used = layer(&path.replace("::", "/"));
                    let room = used.split('/').next().unwrap_or_default();
                    if used != own && !may_use.contains(&used.as_str()) && !may_use.contains(&room) {
                        upward.push(format!("{}:{at} uses {used}", source.path));
                    }
                }
            }
        }
    }
    assert_eq!(upward, NOTHING);
}

/// Services see no socket, and the wire sees no state.
#[test]
fn the_wire_and_the_services_do_not_meet() {
    assert_eq!(mentions("services/", &["tokio", "hyper", "axum"]), NOTHING);
    assert_eq!(mentions("http/", &["crate::store::cell"]), NOTHING);
}

/// What can fail says so; what is not there yet answers 501; what is tested is tested always.
#[test]
fn nothing_is_left_to_chance() {
    assert_eq!(mentions("", &["todo!", "unimplemented!", ".unwrap()", ".expect(", "dbg!"]), NOTHING);
    let skipped =
        sources().into_iter().filter(|source| source.text.lines().any(|line| line.trim_start().starts_with("#[ignore")));
    assert_eq!(skipped.map(|source| source.path).collect::<Vec<_>>(), NOTHING);
}
