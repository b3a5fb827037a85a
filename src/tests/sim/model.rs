//! A model of the Blob service, as plain as possible: maps, and an `if` for each rule. It shares no code with the server.

use std::collections::BTreeMap;

/// A condition on what is there.
#[derive(Clone, Debug)]
pub enum If {
    /// None.
    Always,
    /// `If-None-Match: *`
    Missing,
    /// `If-Match`
    Match(String),
    /// `If-None-Match`
    NoneMatch(String),
}

/// The conditions of a write.
#[derive(Clone, Debug)]
pub struct Write {
    /// Its condition.
    pub condition: If,
    /// Its lease id.
    pub lease: Option<String>,
}

/// Where a block list looks for a block.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// In the blob.
    Committed,
    /// Among the uncommitted blocks.
    Uncommitted,
    /// Among the uncommitted blocks, then in the blob.
    Latest,
}

/// An action on a lease.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// An id and seconds, -1 for ever.
    Acquire(&'static str, i64),
    /// The id held.
    Renew(&'static str),
    /// The id held and the one wanted.
    Change(&'static str, &'static str),
    /// The id held.
    Release(&'static str),
    /// Seconds until it is broken.
    Break(Option<u64>),
}

/// A lease that was acquired; infinite if it has no end.
#[derive(Clone, Debug)]
pub struct Lease {
    id: String,
    seconds: i64,
    end: Option<u64>,
    was_broken: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Blob {
    pub content: String,
    metadata: String,
    pub etag: String,
    blocks: Vec<(String, String)>,
    lease: Option<Lease>,
}

#[derive(Clone, Debug, Default)]
struct PendingBlocks {
    touched: u64,
    blocks: BTreeMap<String, String>,
    /// Of a name that only has blocks so far.
    lease: Option<Lease>,
}

#[derive(Clone, Debug, Default)]
struct Container {
    blobs: BTreeMap<String, Blob>,
    pending: BTreeMap<String, PendingBlocks>,
}

/// The blob service of one account.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Seconds since the beginning.
    pub now: u64,
    containers: BTreeMap<String, Container>,
    /// When containers were removed, since the last start.
    removed: BTreeMap<String, u64>,
}

const NO_CONTAINER: &str = "404 ContainerNotFound";
const NO_BLOB: &str = "404 BlobNotFound";
const CONDITION_NOT_MET: &str = "412 ConditionNotMet";
const NOT_LEASED: &str = "412 LeaseNotPresentWithBlobOperation";
const WEEK: u64 = 7 * 24 * 3600;
/// For how many seconds a container is being removed.
const GOING: u64 = 30;

impl Lease {
    fn state(&self, now: u64) -> &'static str {
        match (self.was_broken, self.end.is_some_and(|end| end <= now)) {
            (false, false) => "leased",
            (false, true) => "expired",
            (true, false) => "breaking",
            (true, true) => "broken",
        }
    }
}

impl Blob {
    pub fn lease_id(&self) -> Option<String> {
        self.lease.as_ref().map(|lease| lease.id.clone())
    }

    /// Takes the lease of another blob, or none.
    pub fn keep_lease(&mut self, of: Option<&Blob>) {
        self.lease = of.and_then(|of| of.lease.clone());
    }

    pub fn lease_state(&self, now: u64) -> &'static str {
        self.lease.as_ref().map_or("available", |lease| lease.state(now))
    }

    pub fn is_locked(&self, now: u64) -> bool {
        ["leased", "breaking"].contains(&self.lease_state(now))
    }

    pub fn lease_allows(&self, shown: Option<&String>, now: u64) -> Option<&'static str> {
        let holder = self.lease.as_ref().map(|lease| &lease.id);
        match (self.lease_state(now), shown) {
            ("leased" | "breaking", None) => Some("412 LeaseIdMissing"),
            ("leased" | "breaking", shown) if shown == holder => None,
            ("leased" | "breaking", _) => Some("412 LeaseIdMismatchWithBlobOperation"),
            (_, None) => None,
            ("available", _) => Some(NOT_LEASED),
            _ => Some("412 LeaseLost"),
        }
    }

    /// A write removes a lease that is over.
    pub fn written(&mut self, etag: &str, now: u64) {
        self.etag = etag.to_owned();
        if !self.is_locked(now) {
            self.lease = None;
        }
    }

    pub fn step_lease(&mut self, action: Action, now: u64) -> &'static str {
        let blob = self;
        let state = blob.lease_state(now);
        let end = |seconds: i64| u64::try_from(seconds).ok().map(|seconds| now + seconds);
        let is_holder = |blob: &Blob, id: &str| blob.lease.as_ref().is_some_and(|lease| lease.id == id);
        match action {
            Action::Acquire(id, seconds) => {
                if state == "breaking" && is_holder(blob, id) {
                    return "409 LeaseIsBreakingAndCannotBeAcquired";
                }
                if state == "breaking" || state == "leased" && !is_holder(blob, id) {
                    return "409 LeaseAlreadyPresent";
                }
                blob.lease = Some(Lease { id: id.to_owned(), seconds, end: end(seconds), was_broken: false });
                "201"
            }
            Action::Renew(id) => match &mut blob.lease {
                Some(lease) if lease.id == id && lease.was_broken => "409 LeaseIsBrokenAndCannotBeRenewed",
                Some(lease) if lease.id == id => {
                    lease.end = end(lease.seconds);
                    "200"
                }
                _ => "409 LeaseIdMismatchWithLeaseOperation",
            },
            Action::Change(from, to) => match (state, &mut blob.lease) {
                ("leased" | "breaking", Some(lease)) if lease.id != from && lease.id != to => {
                    "409 LeaseIdMismatchWithLeaseOperation"
                }
                ("breaking", _) => "409 LeaseIsBreakingAndCannotBeChanged",
                ("leased", Some(lease)) => {
                    lease.id = to.to_owned();
                    "200"
                }
                _ => "409 LeaseNotPresentWithLeaseOperation",
            },
            Action::Release(id) => {
                if !is_holder(blob, id) {
                    return "409 LeaseIdMismatchWithLeaseOperation";
                }
                blob.lease = None;
                "200"
            }
            Action::Break(period) => {
                let Some(lease) = &mut blob.lease else { return "409 LeaseNotPresentWithLeaseOperation" };
                // An infinite lease is broken now without a period; else at the earlier of its end and the end of the period.
                let requested = period.map(|seconds| now + seconds);
                lease.end = Some(requested.into_iter().chain(lease.end).min().unwrap_or(now));
                lease.was_broken = true;
                "202"
            }
        }
    }
}

impl Model {
    pub fn reset(&mut self) {
        self.containers.clear();
        self.removed.clear();
    }

    /// The server was started again.
    pub fn restarted(&mut self) {
        self.removed.clear();
    }

    pub fn containers(&self) -> Vec<String> {
        self.containers.keys().cloned().collect()
    }

    pub fn etag(&self, container: &str, blob: &str) -> Option<String> {
        Some(self.containers.get(container)?.blobs.get(blob)?.etag.clone())
    }

    pub fn lease_id(&self, container: &str, blob: &str) -> Option<String> {
        match self.blob(container, blob) {
            Some(blob) => blob.lease_id(),
            None => self.pending_lease(container, blob).map(|lease| lease.id),
        }
    }

    pub fn make_container(&mut self, name: &str) -> &'static str {
        if self.containers.contains_key(name) {
            return "409 ContainerAlreadyExists";
        }
        self.containers.insert(name.to_owned(), Container::default());
        "201"
    }

    pub fn remove_container(&mut self, name: &str) -> &'static str {
        if self.containers.remove(name).is_some() {
            self.removed.insert(name.to_owned(), self.now);
            return "202";
        }
        if self.removed.get(name).is_some_and(|at| self.now < at + GOING) { "202" } else { NO_CONTAINER }
    }

    /// Why a blob may not be changed.
    fn refuses_change(&self, container: &str, blob: &str, write: &Write) -> Option<&'static str> {
        let Some(container) = self.containers.get(container) else { return Some(NO_CONTAINER) };
        let Some(blob) = container.blobs.get(blob) else { return Some(NO_BLOB) };
        let failed = match &write.condition {
            If::Always => false,
            If::Missing => true,
            If::Match(etag) => *etag != blob.etag,
            If::NoneMatch(etag) => *etag == blob.etag,
        };
        if failed { Some(CONDITION_NOT_MET) } else { blob.lease_allows(write.lease.as_ref(), self.now) }
    }

    /// Why a blob may not be made, or made anew.
    fn refuses_making(&self, container_name: &str, blob_name: &str, write: &Write) -> Option<&'static str> {
        let Some(container) = self.containers.get(container_name) else { return Some(NO_CONTAINER) };
        let Some(blob) = container.blobs.get(blob_name) else {
            return match (&write.condition, &write.lease) {
                (If::Match(_), _) => Some(CONDITION_NOT_MET),
                (_, shown) => {
                    let waiting = Blob { lease: self.pending_lease(container_name, blob_name), ..Blob::default() };
                    waiting.lease_allows(shown.as_ref(), self.now)
                }
            };
        };
        let refused = blob.lease_allows(write.lease.as_ref(), self.now);
        refused.or(match &write.condition {
            If::Missing if write.lease.is_none() => Some("409 BlobAlreadyExists"),
            If::Match(etag) if *etag != blob.etag => Some(CONDITION_NOT_MET),
            If::NoneMatch(etag) if *etag == blob.etag => Some(CONDITION_NOT_MET),
            _ => None,
        })
    }

    /// Replaces a blob. Only an active lease of the old one remains.
    fn make(&mut self, container: &str, name: &str, mut made: Blob, etag: &str) {
        let container = self.containers.get_mut(container).unwrap();
        let waiting = container.pending.remove(name).filter(|pending| self.now < pending.touched + WEEK);
        made.lease = match container.blobs.get(name) {
            Some(old) => old.lease.clone(),
            None => waiting.and_then(|pending| pending.lease),
        };
        made.written(etag, self.now);
        container.blobs.insert(name.to_owned(), made);
    }

    fn pending(&self, container: &str, blob: &str) -> BTreeMap<String, String> {
        let pending = self.containers.get(container).and_then(|container| container.pending.get(blob));
        pending.filter(|pending| self.now < pending.touched + WEEK).map(|pending| pending.blocks.clone()).unwrap_or_default()
    }

    fn pending_lease(&self, container: &str, blob: &str) -> Option<Lease> {
        let pending = self.containers.get(container)?.pending.get(blob)?;
        pending.lease.clone().filter(|_| self.now < pending.touched + WEEK)
    }

    fn blob(&self, container: &str, blob: &str) -> Option<&Blob> {
        self.containers.get(container)?.blobs.get(blob)
    }

    pub fn put(&mut self, container: &str, blob: &str, write: &Write, text: &str, etag: &str) -> &'static str {
        if let Some(refusal) = self.refuses_making(container, blob, write) {
            return refusal;
        }
        self.make(container, blob, Blob { content: text.to_owned(), ..Blob::default() }, etag);
        "201"
    }

    pub fn put_block(&mut self, container: &str, blob: &str, write: &Write, id: &str, text: &str) -> &'static str {
        if let Some(refusal) = self.refuses_making(container, blob, write) {
            return refusal;
        }
        let mut blocks = self.pending(container, blob);
        blocks.insert(id.to_owned(), text.to_owned());
        let pending = PendingBlocks { touched: self.now, blocks, lease: self.pending_lease(container, blob) };
        self.containers.get_mut(container).unwrap().pending.insert(blob.to_owned(), pending);
        "201"
    }

    /// The ids of the blocks of a name, committed and uncommitted.
    pub fn blocks(&self, container: &str, blob: &str) -> Vec<String> {
        let committed = self.blob(container, blob).map(|blob| blob.blocks.clone()).unwrap_or_default();
        committed.into_iter().map(|(id, _)| id).chain(self.pending(container, blob).into_keys()).collect()
    }

    pub fn commit(&mut self, container: &str, blob: &str, write: &Write, list: &[(Choice, String)], etag: &str) -> &'static str {
        if let Some(refusal) = self.refuses_making(container, blob, write) {
            return refusal;
        }
        let pending = self.pending(container, blob);
        let committed: BTreeMap<String, String> =
            self.blob(container, blob).map(|blob| blob.blocks.iter().cloned().collect()).unwrap_or_default();
        let mut blocks = Vec::new();
        for (choice, id) in list {
            let found = match choice {
                Choice::Committed => committed.get(id),
                Choice::Uncommitted => pending.get(id),
                Choice::Latest => pending.get(id).or(committed.get(id)),
            };
            let Some(found) = found else { return "400 InvalidBlockList" };
            blocks.push((id.clone(), found.clone()));
        }
        let content = blocks.iter().map(|(_, text)| text.as_str()).collect();
        self.make(container, blob, Blob { content, blocks, ..Blob::default() }, etag);
        "201"
    }

    pub fn delete(&mut self, container: &str, blob: &str, write: &Write) -> &'static str {
        let write = &match write.condition {
            If::Missing => Write { condition: If::Always, ..write.clone() },
            _ => write.clone(),
        };
        if let Some(refusal) = self.refuses_change(container, blob, write) {
            return refusal;
        }
        let container = self.containers.get_mut(container).unwrap();
        container.blobs.remove(blob);
        container.pending.remove(blob);
        "202"
    }

    pub fn set_metadata(&mut self, container: &str, blob: &str, write: &Write, value: &str, etag: &str) -> &'static str {
        if let Some(refusal) = self.refuses_change(container, blob, write) {
            return refusal;
        }
        let now = self.now;
        let blob = self.containers.get_mut(container).unwrap().blobs.get_mut(blob).unwrap();
        blob.metadata = value.to_owned();
        blob.written(etag, now);
        "200"
    }

    pub fn copy(&mut self, from: (&str, &str), container: &str, blob: &str, write: &Write, etag: &str) -> &'static str {
        if !self.containers.contains_key(from.0) {
            return NO_CONTAINER;
        }
        let Some(source) = self.blob(from.0, from.1).cloned() else { return NO_BLOB };
        if let Some(refusal) = self.refuses_making(container, blob, write) {
            return if refusal == CONDITION_NOT_MET { "412 TargetConditionNotMet" } else { refusal };
        }
        let lease = self.blob(container, blob).and_then(|blob| blob.lease.as_ref());
        if lease.is_some_and(|lease| lease.state(self.now) == "leased" && lease.end.is_some()) {
            return "412 InfiniteLeaseDurationRequired";
        }
        self.make(container, blob, source, etag);
        "202"
    }

    pub fn lease(&mut self, container: &str, blob: &str, action: Action) -> &'static str {
        let now = self.now;
        let Some(container) = self.containers.get_mut(container) else { return NO_CONTAINER };
        if let Some(blob) = container.blobs.get_mut(blob) {
            return blob.step_lease(action, now);
        }
        // A name that only has blocks so far is a blob that can be leased.
        let Some(pending) = container.pending.get_mut(blob).filter(|pending| now < pending.touched + WEEK) else {
            return NO_BLOB;
        };
        let mut waiting = Blob { lease: pending.lease.take(), ..Blob::default() };
        let verdict = waiting.step_lease(action, now);
        pending.lease = waiting.lease;
        verdict
    }

    pub fn content(&self, container: &str, blob: &str) -> String {
        match (self.containers.contains_key(container), self.blob(container, blob)) {
            (_, Some(blob)) => blob.content.clone(),
            (true, None) => NO_BLOB.to_owned(),
            (false, None) => NO_CONTAINER.to_owned(),
        }
    }

    pub fn read(&self, container: &str, blob: &str, range: Option<(usize, usize)>) -> String {
        let Some(found) = self.blob(container, blob) else { return self.content(container, blob) };
        let (verdict, part) = match range {
            None => ("200", found.content.as_str()),
            Some((start, _)) if start >= found.content.len() => return "416 InvalidRange".to_owned(),
            Some((start, length)) => ("206", &found.content[start..found.content.len().min(start + length + 1)]),
        };
        format!("{verdict} {part:?} {} {} {}", found.etag, found.lease_state(self.now), found.metadata)
    }

    pub fn block_list(&self, container: &str, blob: &str) -> String {
        let blocks = self.blocks(container, blob);
        if self.blob(container, blob).is_none() && blocks.is_empty() { self.content(container, blob) } else { blocks.join(" ") }
    }

    pub fn list(&self, container: &str, prefix: &str, delimiter: &str, uncommitted: bool) -> Vec<String> {
        let Some(inside) = self.containers.get(container) else { return vec![NO_CONTAINER.to_owned()] };
        let mut names: Vec<&String> = inside.blobs.keys().collect();
        if uncommitted {
            names.extend(inside.pending.keys().filter(|name| !self.pending(container, name).is_empty()));
        }
        let mut entries: Vec<String> = Vec::new();
        for name in names.into_iter().filter(|name| name.starts_with(prefix)) {
            let cut = (!delimiter.is_empty()).then(|| name[prefix.len()..].find(delimiter)).flatten();
            entries.push(cut.map_or(name.clone(), |at| name[..prefix.len() + at + delimiter.len()].to_owned()));
        }
        entries.sort();
        entries.dedup();
        entries
    }
}
