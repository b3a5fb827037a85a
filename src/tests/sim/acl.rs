//! Access control lists of the model of paths: maps of entries.

use std::collections::{BTreeMap, BTreeSet};

pub const READ: u8 = 4;
pub const WRITE: u8 = 2;
pub const EXECUTE: u8 = 1;

/// The permissions by the entries `user:`, `user:ID`, `group:`, `group:ID`, `mask:` and `other:`.
pub type Entries = BTreeMap<String, u8>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acl {
    pub access: Entries,
    default: Option<Entries>,
    pub is_sticky: bool,
}

/// The entries of a request, with their scopes.
fn parsed(text: &str) -> (Entries, Entries) {
    let (mut access, mut default) = (Entries::new(), Entries::new());
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (scope, part) = part.strip_prefix("default:").map_or((&mut access, part), |rest| (&mut default, rest));
        let (name, rwx) = part.rsplit_once(':').unwrap();
        scope.insert(name.to_owned(), rwx.bytes().zip([4, 2, 1]).filter(|(letter, _)| *letter != b'-').map(|(_, bit)| bit).sum());
    }
    (access, default)
}

fn is_named(entry: &str) -> bool {
    !entry.ends_with(':')
}

fn rwx(bits: u8) -> String {
    ["r", "w", "x"]
        .into_iter()
        .zip([READ, WRITE, EXECUTE])
        .map(|(letter, bit)| if bits & bit > 0 { letter } else { "-" })
        .collect()
}

/// The entries of the owner, the owning group and others.
fn base(user: u8, group: u8, other: u8) -> Entries {
    [("user:", user), ("group:", group), ("other:", other)].map(|(name, bits)| (name.to_owned(), bits)).into()
}

/// The union of all that the mask limits.
fn computed_mask(entries: &Entries) -> u8 {
    entries.iter().filter(|(name, _)| is_named(name) || *name == "group:").fold(0, |all, (_, bits)| all | bits)
}

fn put(mut entries: Entries, new: &Entries) -> Entries {
    entries.extend(new.clone());
    if new.keys().any(|name| is_named(name)) && !new.contains_key("mask:") {
        entries.insert("mask:".to_owned(), computed_mask(&entries));
    }
    entries
}

fn without(mut entries: Entries, names: &BTreeSet<&str>) -> Option<Entries> {
    let before = entries.len();
    entries.retain(|name, _| !is_named(name) || !names.contains(name.as_str()));
    let has_mask = entries.contains_key("mask:");
    if names.contains("mask:") && has_mask {
        if entries.keys().any(|name| is_named(name)) {
            return None;
        }
        entries.remove("mask:");
    } else if entries.len() < before && has_mask {
        entries.insert("mask:".to_owned(), computed_mask(&entries));
    }
    Some(entries)
}

impl Acl {
    pub fn plain(mode: u16) -> Acl {
        let bits = |shift: u16| (mode >> shift & 7) as u8;
        Acl { access: base(bits(6), bits(3), bits(0)), default: None, is_sticky: mode & 0o1000 > 0 }
    }

    /// Of a new path below a directory with this list.
    pub fn of_new(&self, is_directory: bool, mode: Option<u16>, umask: Option<u16>, acl: Option<&str>) -> Option<Acl> {
        let mode = mode.unwrap_or(if is_directory { 0o777 } else { 0o666 });
        let Some(default) = &self.default else {
            let new = Acl::plain(mode & !umask.unwrap_or(0o027));
            return acl.map_or(Some(new.clone()), |acl| new.set(acl, is_directory));
        };
        let mut access = default.clone();
        let group = if access.contains_key("mask:") { "mask:" } else { "group:" };
        for (name, shift) in [("user:", 6), (group, 3), ("other:", 0)] {
            *access.get_mut(name).unwrap() &= (mode >> shift & 7) as u8;
        }
        let new = Acl { access, default: is_directory.then(|| default.clone()), is_sticky: false };
        let Some(acl) = acl else { return Some(new) };
        let set = new.set(acl, is_directory)?;
        Some(if parsed(acl).1.is_empty() { Acl { default: new.default, ..set } } else { set })
    }

    fn bases(&self) -> Entries {
        self.access
            .iter()
            .filter(|(name, _)| ["user:", "group:", "other:"].contains(&name.as_str()))
            .map(|(name, bits)| (name.clone(), *bits))
            .collect()
    }

    pub fn set(&self, text: &str, is_directory: bool) -> Option<Acl> {
        let (access, default) = parsed(text);
        if !is_directory && !default.is_empty() {
            return None;
        }
        let mut new = Acl { access: put(self.bases(), &access), default: None, is_sticky: self.is_sticky };
        new.default = (!default.is_empty()).then(|| put(new.bases(), &default));
        Some(new)
    }

    pub fn modify(&self, text: &str) -> Acl {
        let (access, default) = parsed(text);
        let mut new = Acl { access: put(self.access.clone(), &access), ..self.clone() };
        if !default.is_empty() {
            new.default = Some(put(self.default.clone().unwrap_or_else(|| new.bases()), &default));
        }
        new
    }

    pub fn remove(&self, text: &str) -> Option<Acl> {
        let written: Vec<String> = text
            .split(',')
            .map(|name| {
                let (scope, name) = name.strip_prefix("default:").map_or(("", name), |rest| ("default:", rest));
                format!("{scope}{name}{}", if name.contains(':') { "" } else { ":" })
            })
            .collect();
        let of_default: BTreeSet<&str> = written.iter().filter_map(|name| name.strip_prefix("default:")).collect();
        let of_access: BTreeSet<&str> = written.iter().map(String::as_str).filter(|name| !name.starts_with("default:")).collect();
        let access = without(self.access.clone(), &of_access)?;
        let mut new = Acl { access, ..self.clone() };
        if let Some(default) = self.default.clone().filter(|_| !of_default.is_empty()) {
            let mut default = without(default, &of_default)?;
            let bases: Vec<&str> = ["user:", "group:", "other:"].into_iter().filter(|name| of_default.contains(name)).collect();
            for name in &bases {
                default.insert((*name).to_owned(), new.access[*name]);
            }
            if bases.contains(&"group:") && default.contains_key("mask:") {
                default.insert("mask:".to_owned(), computed_mask(&default));
            }
            let is_empty = bases.len() == 3 && !default.keys().any(|name| is_named(name));
            new.default = (!is_empty).then_some(default);
        }
        Some(new)
    }

    pub fn chmod(&self, mode: u16) -> Acl {
        let mut new = self.clone();
        let group = if self.access.contains_key("mask:") { "mask:" } else { "group:" };
        for (name, shift) in [("user:", 6), (group, 3), ("other:", 0)] {
            new.access.insert(name.to_owned(), (mode >> shift & 7) as u8);
        }
        new.is_sticky = mode & 0o1000 > 0;
        new
    }

    /// The list with its entries sorted.
    pub fn text(&self) -> String {
        let written = |prefix: &str, entries: &Entries| {
            entries.iter().map(|(name, bits)| format!("{prefix}{name}:{}", rwx(*bits))).collect::<Vec<_>>()
        };
        let mut all = written("", &self.access);
        all.extend(self.default.iter().flat_map(|default| written("default:", default)));
        all.sort();
        all.join(",")
    }

    pub fn permissions(&self) -> String {
        let group = self.access.get("mask:").unwrap_or(&self.access["group:"]);
        let other = rwx(self.access["other:"]);
        let other = match (self.is_sticky, other.strip_suffix('x')) {
            (false, _) => other,
            (true, Some(rest)) => format!("{rest}t"),
            (true, None) => format!("{}T", &other[..2]),
        };
        let plus = if self.access.len() > 3 || self.default.is_some() { "+" } else { "" };
        format!("{}{}{other}{plus}", rwx(self.access["user:"]), rwx(*group))
    }
}
