//! No files of `src` import each other in a circle.
//!
//! A file imports another if a path that begins with `crate::` or `super::` ends in an item of it: in a `use`, or in the code. A
//! re-export is followed to the file that defines the item, and is an import unless it is of a child's item. So a parent may drive its children and re-export their items, and its children may import
//! each other; but if a child imports what its parent defines, the parent must not import the child.

use super::{NOTHING, Source, sources};
use std::collections::{BTreeMap, BTreeSet};

/// A path, such as `["services", "shared", "lease"]`.
type Path = Vec<String>;

/// What a file imports, and what it re-exports under a name.
#[derive(Default)]
struct Imports {
    used: Vec<Path>,
    exported: BTreeMap<String, Path>,
}

fn path_of(text: &str) -> Path {
    text.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The module of a file: `services/queue/mod.rs` is `services::queue`.
fn module(file: &str) -> Path {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    if path == "lib" { Path::new() } else { path.split('/').map(str::to_owned).collect() }
}

fn parent(module: &Path) -> &[String] {
    module.split_last().map_or(&[], |(_, parent)| parent)
}

/// The text of a file without comments and tests.
fn code(source: &Source) -> String {
    let end = source.text.find("#[cfg(test)]\nmod ").unwrap_or(source.text.len());
    source.text[..end].lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The paths of a use tree (`a::{b, c as d}`), each with the name that it gets.
fn leaves(tree: &str, before: &Path, found: &mut Vec<(Path, String)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let mut base = before.clone();
        base.extend(path_of(&tree[..open]));
        let inside = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
        let (mut depth, mut start) = (0, 0);
        for (at, letter) in inside.char_indices().chain([(inside.len(), ',')]) {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    leaves(&inside[start..at], &base, found);
                    start = at + 1;
                }
                _ => {}
            }
        }
    } else if !tree.is_empty() {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut full = before.clone();
        full.extend(path_of(path));
        if full.last().is_some_and(|last| last == "self") {
            full.pop();
        }
        let name = if name.is_empty() { full.last().cloned().unwrap_or_default() } else { name.trim().to_owned() };
        found.push((full, name));
    }
}

/// The imports of a file with this module path.
fn imports(own: &Path, code: &str) -> Imports {
    let mut imports = Imports::default();
    let mut rest = String::new();
    let mut statement: Option<(bool, String)> = None;
    for line in code.lines() {
        let text = line.trim_start();
        let (visibility, after) = match text.strip_prefix("pub") {
            Some(after) if after.starts_with([' ', '(']) => (true, after.split_once("use ").map_or("", |(_, tree)| tree)),
            _ => (false, text.strip_prefix("use ").unwrap_or_default()),
        };
        let begins = text.starts_with("use ") || visibility && text.split_whitespace().nth(1) == Some("use");
        match &mut statement {
            Some((_, tree)) => tree.push_str(text),
            None if begins => statement = Some((visibility, after.to_owned())),
            None => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
        if let Some((exports, tree)) = statement.take_if(|(_, tree)| tree.contains(';')) {
            let mut found = Vec::new();
            leaves(tree.trim_end_matches(';'), &Path::new(), &mut found);
            for (path, name) in found {
                let full = match path.first().map(String::as_str) {
                    Some("crate") => path[1..].to_vec(),
                    Some("self") => [&own[..], &path[1..]].concat(),
                    Some("super") => [parent(own), &path[1..]].concat(),
                    _ if exports => [&own[..], &path].concat(),
                    _ => continue,
                };
                if exports {
                    imports.exported.insert(name, full.clone());
                }
                if !exports || !full.starts_with(own) {
                    imports.used.push(full);
                }
            }
        }
    }
    for (word, base) in [("crate::", &[][..]), ("super::", parent(own))] {
        for (at, _) in rest.match_indices(word) {
            let in_macro = rest[..at].ends_with('$');
            let path = rest[at + word.len()..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next();
            imports.used.extend(path.filter(|_| !in_macro).map(|path| [base, &path_of(path)].concat()));
        }
    }
    imports
}

/// The module that defines the item of a path, if it is in a file.
fn definition(path: &Path, modules: &BTreeMap<Path, Imports>) -> Path {
    let mut path = path.clone();
    for _ in 0..6 {
        let length = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length])).unwrap_or(0);
        let module = path[..length].to_vec();
        let exported = path.get(length).and_then(|name| modules.get(&module)?.exported.get(name));
        match exported {
            Some(exported) => path = [&exported[..], &path[length + 1..]].concat(),
            None => return module,
        }
    }
    path
}

/// The modules that each module imports, directly or not.
fn reachable(edges: &BTreeMap<Path, BTreeSet<Path>>, from: &Path) -> BTreeSet<Path> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(edges.get(module).into_iter().flatten().filter(|next| found.insert((*next).clone())));
    }
    found
}

/// The circles among these files, each as the paths of its modules.
fn circles(files: &[(Path, String)]) -> Vec<Vec<String>> {
    let modules: BTreeMap<Path, Imports> = files.iter().map(|(module, code)| (module.clone(), imports(module, code))).collect();
    let edges: BTreeMap<Path, BTreeSet<Path>> = modules
        .iter()
        .map(|(own, imports)| {
            let used = imports.used.iter().map(|path| definition(path, &modules));
            (own.clone(), used.filter(|module| module != own).collect())
        })
        .collect();
    let all: BTreeMap<&Path, BTreeSet<Path>> = edges.keys().map(|module| (module, reachable(&edges, module))).collect();
    let circle = |module: &Path| {
        let others = all[module].iter().filter(|other| all.get(other).is_some_and(|back| back.contains(module)));
        others.map(|path| path.join("::")).collect::<Vec<_>>()
    };
    let found: BTreeSet<Vec<String>> = edges.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    found.into_iter().collect()
}

#[test]
fn circles_are_found_through_lists_and_re_exports() {
    let files = |files: &[(&str, &str)]| -> Vec<(Path, String)> {
        files.iter().map(|(path, code)| (module(path), (*code).to_owned())).collect()
    };
    for (given, expected) in [
        (&[("a.rs", "use crate::b::B;"), ("b.rs", "use std::fmt;")][..], &[][..]),
        (&[("a.rs", "use crate::b::B;"), ("b.rs", "fn f() { crate::a::g() }")], &["a b"]),
        (&[("a.rs", "use crate::b::B;"), ("b.rs", "const A: u8 = super::a::A;")], &["a b"]),
        (&[("a.rs", "pub use crate::b::B;"), ("b.rs", "use super::a::A;")], &["a b"]),
        (
            &[("a.rs", "use crate::{\n    b::{B, C},\n    d,\n};"), ("b.rs", "use crate::d::D;"), ("d.rs", "use crate::a::A;")],
            &["a b d"],
        ),
        // Children import each other through the parent.
        (&[("a/mod.rs", "pub use b::B;\npub use c::C;"), ("a/b.rs", "use crate::a::C;"), ("a/c.rs", "")], &[]),
        (
            &[("a/mod.rs", "pub use b::B;\npub use c::C;"), ("a/b.rs", "use crate::a::C;"), ("a/c.rs", "use crate::a::B as D;")],
            &["a::b a::c"],
        ),
        // A child imports what its parent defines, and the parent imports the child.
        (&[("a/mod.rs", "use crate::a::b::B;"), ("a/b.rs", "use crate::a::A;")], &["a a::b"]),
        (&[("a/mod.rs", "pub struct A;"), ("a/b.rs", "use crate::a::A;")], &[]),
    ] {
        let found: Vec<String> = circles(&files(given)).into_iter().map(|circle| circle.join(" ")).collect();
        assert_eq!(found, expected, "{given:?}");
    }
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let sources = sources();
    let code = sources.iter().filter(|source| !source.is_test() && source.path != "main.rs");
    let files: Vec<(Path, String)> = code.map(|source| (module(&source.path), self::code(source))).collect();
    let found = circles(&files);
    let found: Vec<String> = found.into_iter().map(|circle| circle.join(", ")).collect();
    assert_eq!(found, NOTHING);
}
