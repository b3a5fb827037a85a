//! Containers and their blobs.

use crate::import::error::{ImportError, ItemError};
use crate::import::policies;
use crate::import::report::Report;
use crate::import::sender::{ImportRequest, RequestSender};
use crate::import::workspace::{Database, Document, buffer, is_zeros, list, number, text};
use crate::operation::ServiceKind;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The tier whose blobs take no change.
const ARCHIVE: &str = "Archive";
/// Bytes of one Put Page or Append Block, at most.
const STEP: usize = 4 << 20;
/// Bytes of the longest page blob, mostly zeros perhaps, whose MD5 is looked at.
const LONGEST: u64 = 1 << 30;

/// Brings containers and blobs over.
///
/// # Errors
/// When nothing can be written any more.
pub async fn bring(door: &RequestSender, from: &Database, report: &mut Report) -> Result<(), ImportError> {
    for document in from.collection("$CONTAINERS_COLLECTION$") {
        let (account, name) = (text(document, "accountName").unwrap_or_default(), text(document, "name").unwrap_or_default());
        let path = format!("/{name}");
        report.count("containers", name, container(door, account, &path, document).await)?;
        let policies = list(document, "containerAcl");
        if !policies.is_empty() {
            let ask = ImportRequest::new("PUT", &path).query("restype", "container").query("comp", "acl");
            let ask = ask.header_of("x-ms-blob-public-access", public_access(document)).body(policies::document(policies));
            report.count("lists of access policies", name, door.ask(ServiceKind::Blob, account, ask).await)?;
        }
        if is_leased(document) {
            report.leave("leases", name, "acquire it again");
        }
    }
    let mut blobs: Vec<&Document> = from.collection("$BLOBS_COLLECTION$").iter().collect();
    // The states of a name one after the other, the blob as it is at last. What is of equal rank stays in order.
    blobs.sort_by_key(|blob| match text(blob, "snapshot") {
        Some(moment) => (false, moment.to_owned()),
        None => (true, String::new()),
    });
    let (mut taken, mut archived) = (Taken::new(), Vec::new());
    for document in blobs {
        bring_blob(door, from, document, (&mut taken, &mut archived), report).await?;
    }
    for ((account, name), outcomes) in taken {
        leave(door, &account, &name, outcomes, report).await?;
    }
    for block in from.collection("$BLOCKS_COLLECTION$") {
        let name =
            format!("/{}/{}", text(block, "containerName").unwrap_or_default(), text(block, "blobName").unwrap_or_default());
        let outcome = match bytes(from, block) {
            Ok(bytes) => {
                let id = text(block, "name").unwrap_or_default();
                let ask = ImportRequest::new("PUT", &name).query("comp", "block").query("blockid", id).body(bytes);
                door.ask(ServiceKind::Blob, text(block, "accountName").unwrap_or_default(), ask).await
            }
            Err(trouble) => Err(trouble),
        };
        report.count("uncommitted blocks", &name, outcome)?;
    }
    // What is in the archive takes no change any more, so this comes last.
    for blob in archived {
        let outcome = blob.archive(door).await;
        if let Err(trouble) = outcome {
            report.count("archive tiers", &blob.path, Err(trouble))?;
        }
    }
    Ok(())
}

/// A blob or a snapshot that goes to the archive once everything else is there.
#[derive(Debug)]
struct Archived {
    account: String,
    path: String,
    /// The moment of the snapshot, if it is one.
    snapshot: Option<String>,
    /// The tier that it was on its way to.
    rehydrating: Option<&'static str>,
}

impl Archived {
    async fn archive(&self, door: &RequestSender) -> Result<(), ItemError> {
        for tier in [ARCHIVE].into_iter().chain(self.rehydrating) {
            let ask = ImportRequest::new("PUT", &self.path).query("comp", "tier").header("x-ms-access-tier", tier);
            let ask = self.snapshot.iter().fold(ask, |ask, moment| ask.query("snapshot", moment));
            door.ask(ServiceKind::Blob, &self.account, ask).await?;
        }
        Ok(())
    }
}

async fn container(door: &RequestSender, account: &str, path: &str, document: &Document) -> Result<(), ItemError> {
    let ask = ImportRequest::new("PUT", path).query("restype", "container").metadata(document);
    door.ask(ServiceKind::Blob, account, ask.header_of("x-ms-blob-public-access", public_access(document))).await
}

fn public_access(container: &Document) -> Option<&str> {
    text(container.get("properties")?, "publicAccess")
}

fn is_leased(document: &Document) -> bool {
    document.get("properties").and_then(|properties| text(properties, "leaseState")).is_some_and(|state| state != "available")
}

/// What became of the snapshots of a name, until the blob itself is there: by account and path.
type Taken = BTreeMap<(String, String), Vec<Result<Option<Archived>, ItemError>>>;

const SNAPSHOTS: &str = "snapshots with a new timestamp";

async fn bring_blob(
    door: &RequestSender,
    from: &Database,
    document: &Document,
    (taken, archived): (&mut Taken, &mut Vec<Archived>),
    report: &mut Report,
) -> Result<(), ImportError> {
    let name = format!("/{}/{}", text(document, "containerName").unwrap_or_default(), text(document, "name").unwrap_or_default());
    let is = |what: &str| document.get(what).and_then(Value::as_bool);
    // What holds nothing but uncommitted blocks is there as soon as they are.
    if is("isCommitted") == Some(false) {
        return Ok(());
    }
    if is("deleted") == Some(true) {
        report.leave("deleted blobs", &name, "they were deleted");
        return Ok(());
    }
    let account = text(document, "accountName").unwrap_or_default();
    let blob = Blob { door, from, document, path: &name, account };
    let key = (account.to_owned(), name.clone());
    if text(document, "snapshot").is_some() {
        taken.entry(key).or_default().push(blob.write(true, report).await);
        return Ok(());
    }
    let snapshots = taken.remove(&key).unwrap_or_default();
    let mut keep = |outcome: Result<Option<Archived>, ItemError>| outcome.map(|later| archived.extend(later));
    match blob.write(false, report).await {
        Ok(later) => _ = report.count("blobs", &name, keep(Ok(later)))?,
        Err(trouble) => {
            report.count("blobs", &name, Err(trouble))?;
            return leave(door, account, &name, snapshots, report).await;
        }
    }
    for outcome in snapshots {
        report.count(SNAPSHOTS, &name, keep(outcome))?;
    }
    if is_leased(document) {
        report.leave("leases", &name, "acquire it again");
    }
    if text(blob.properties(), "copyId").is_some() {
        report.leave("records of copies", &name, "the blobs themselves are there");
    }
    Ok(())
}

/// Takes away what was written of a name whose blob stays behind: a part of it, or the state of a snapshot in its place.
async fn leave(
    door: &RequestSender,
    account: &str,
    name: &str,
    snapshots: Vec<Result<Option<Archived>, ItemError>>,
    report: &mut Report,
) -> Result<(), ImportError> {
    let ask = ImportRequest::new("DELETE", name).header("x-ms-delete-snapshots", "include");
    if let Err(ItemError::Fatal(why)) = door.ask(ServiceKind::Blob, account, ask).await {
        return Err(why);
    }
    for outcome in snapshots {
        let outcome = outcome.and_then(|_| Err(ItemError::NotImported("their blob stays behind".to_owned())));
        report.count(SNAPSHOTS, name, outcome)?;
    }
    Ok(())
}

/// A blob on its way.
struct Blob<'a> {
    door: &'a RequestSender,
    from: &'a Database,
    document: &'a Document,
    account: &'a str,
    path: &'a str,
}

impl Blob<'_> {
    fn properties(&self) -> &Value {
        self.document.get("properties").unwrap_or(&Value::Null)
    }

    async fn send(&self, ask: ImportRequest) -> Result<(), ItemError> {
        self.door.ask(ServiceKind::Blob, self.account, ask).await
    }

    fn ask(&self) -> ImportRequest {
        ImportRequest::new("PUT", self.path)
    }

    /// A request that makes the blob: with what only such a one can say.
    fn make(&self) -> ImportRequest {
        let inferred = self.properties().get("accessTierInferred").and_then(Value::as_bool) == Some(true);
        let tier = text(self.properties(), "accessTier").filter(|tier| !inferred && *tier != ARCHIVE);
        let tags = list(self.document.get("blobTags").unwrap_or(&Value::Null), "blobTagSet").iter().map(|tag| {
            let member = |name| utf8_percent_encode(text(tag, name).unwrap_or_default(), NON_ALPHANUMERIC).to_string();
            format!("{}={}", member("key"), member("value"))
        });
        let tags = tags.collect::<Vec<_>>().join("&");
        let ask = self.ask().metadata(self.document).header_of("x-ms-access-tier", tier);
        self.with_headers(ask.header_of("x-ms-tags", Some(tags.as_str()).filter(|tags| !tags.is_empty())))
    }

    fn with_headers(&self, ask: ImportRequest) -> ImportRequest {
        let known = [
            ("contentType", "x-ms-blob-content-type"),
            ("contentEncoding", "x-ms-blob-content-encoding"),
            ("contentLanguage", "x-ms-blob-content-language"),
            ("contentDisposition", "x-ms-blob-content-disposition"),
            ("cacheControl", "x-ms-blob-cache-control"),
        ];
        known.into_iter().fold(ask, |ask, (name, header)| ask.header_of(header, text(self.properties(), name)))
    }

    /// Writes the blob, and takes a snapshot of it if it is to be one; returns what is left to do in the end.
    async fn write(&self, snapshot: bool, report: &mut Report) -> Result<Option<Archived>, ItemError> {
        let kind = text(self.properties(), "blobType").unwrap_or_default();
        // Read first: nothing is written of a blob whose bytes are not all there.
        let md5 = match kind {
            "BlockBlob" => self.write_blocks().await?,
            "AppendBlob" => self.write_appended().await?,
            "PageBlob" => self.write_pages().await?,
            other => return Err(ItemError::NotImported(format!("no such type of blob: {}", other.escape_debug()))),
        };
        // Whoever wrote the blob may have said any MD5: the bytes come as they are.
        if self.recorded_md5().zip(md5).is_some_and(|(recorded, md5)| recorded != md5) {
            let what = if snapshot { SNAPSHOTS } else { "blobs" };
            report.warn(what, self.path, "its MD5 is not the one that Azurite recorded");
        }
        let mut moment = None;
        if snapshot {
            let headers = self.door.answer(ServiceKind::Blob, self.account, self.ask().query("comp", "snapshot")).await?;
            moment = headers.get("x-ms-snapshot").and_then(|moment| moment.to_str().ok()).map(str::to_owned);
        } else if self.properties().get("isSealed").and_then(Value::as_bool) == Some(true) {
            self.send(self.ask().query("comp", "seal")).await?;
        }
        let rehydrating = match text(self.properties(), "archiveStatus") {
            Some("rehydrate-pending-to-hot") => Some("Hot"),
            Some("rehydrate-pending-to-cool") => Some("Cool"),
            Some("rehydrate-pending-to-cold") => Some("Cold"),
            _ => None,
        };
        let archived =
            || Archived { account: self.account.to_owned(), path: self.path.to_owned(), snapshot: moment, rehydrating };
        Ok((text(self.properties(), "accessTier") == Some(ARCHIVE)).then(archived))
    }

    /// The bytes of the committed blocks, each with its id.
    fn committed(&self) -> Result<Vec<(String, Vec<u8>)>, ItemError> {
        let blocks = list(self.document, "committedBlocksInOrder").iter();
        let read = blocks.map(|block| Ok((text(block, "name").unwrap_or_default().to_owned(), bytes(self.from, block)?)));
        let read: Vec<(String, Vec<u8>)> = read.collect::<Result<_, ItemError>>()?;
        self.check_length(read.iter().map(|(_, bytes)| bytes.len() as u64).sum())?;
        Ok(read)
    }

    fn check_length(&self, read: u64) -> Result<(), ItemError> {
        match number(self.properties(), "contentLength") {
            Some(length) if length == read => Ok(()),
            _ => Err(ItemError::NotImported("its length is not that of its bytes".to_owned())),
        }
    }

    /// The MD5 that Azurite has for it, by itself or as its owner said.
    fn recorded_md5(&self) -> Option<Vec<u8>> {
        buffer(self.properties(), "contentMD5").filter(|md5| md5.len() == 16)
    }

    /// Writes it; returns the MD5 of what was read.
    async fn write_blocks(&self) -> Result<Option<Vec<u8>>, ItemError> {
        let recorded = self.recorded_md5().map(|md5| STANDARD.encode(md5));
        let (make, recorded) = (self.make(), recorded.as_deref());
        if list(self.document, "committedBlocksInOrder").is_empty() && self.document.get("persistency").is_some() {
            let bytes = bytes(self.from, self.document)?;
            self.check_length(bytes.len() as u64)?;
            let md5 = md5_of([&*bytes]);
            let made = self.send(make.header("x-ms-blob-type", "BlockBlob").body(bytes)).await;
            return self.keep_md5(made, recorded).await.map(|()| md5);
        }
        let mut blocks = self.committed()?;
        let md5 = md5_of(blocks.iter().map(|(_, bytes)| &**bytes));
        // One id for different bytes, as a list of committed and later blocks may have: they get ids of their own.
        let mut known: HashMap<&str, &[u8]> = HashMap::new();
        if blocks.iter().any(|(id, bytes)| known.insert(id, bytes).is_some_and(|before| before != bytes)) {
            blocks.iter_mut().enumerate().for_each(|(at, (id, _))| *id = STANDARD.encode(format!("block-{at:05}-")));
        }
        let mut named = String::from("<BlockList>");
        for (id, bytes) in blocks {
            named.push_str(&format!("<Latest>{}</Latest>", quick_xml::escape::escape(&id)));
            self.send(self.ask().query("comp", "block").query("blockid", &id).body(bytes)).await?;
        }
        named.push_str("</BlockList>");
        let ask = make.header_of("x-ms-blob-content-md5", recorded).query("comp", "blocklist");
        self.send(ask.body(named.into_bytes())).await.map(|()| md5)
    }

    async fn write_appended(&self) -> Result<Option<Vec<u8>>, ItemError> {
        let blocks = self.committed()?;
        let md5 = md5_of(blocks.iter().map(|(_, bytes)| &**bytes));
        self.send(self.make().header("x-ms-blob-type", "AppendBlob")).await?;
        for (_, bytes) in blocks {
            for part in bytes.chunks(STEP) {
                self.send(self.ask().query("comp", "appendblock").body(part.to_vec())).await?;
            }
        }
        self.keep_own_md5().await.map(|()| md5)
    }

    async fn write_pages(&self) -> Result<Option<Vec<u8>>, ItemError> {
        let mut ranges = Vec::new();
        for range in list(self.document, "pageRangesInOrder") {
            let pointer = range.get("persistency").unwrap_or(&Value::Null);
            if !is_zeros(pointer) {
                let start = number(range, "start").ok_or_else(missing)?;
                let bytes = bytes(self.from, range)?;
                let end = number(range, "end").and_then(|end| end.checked_sub(start)?.checked_add(1));
                if end != Some(bytes.len() as u64) {
                    return Err(missing());
                }
                ranges.push((start, bytes));
            }
        }
        let length = number(self.properties(), "contentLength").ok_or_else(missing)?;
        let md5 = self.recorded_md5().and_then(|_| md5_of_pages(&ranges, length));
        let sequence = number(self.properties(), "blobSequenceNumber").unwrap_or_default();
        let make = self.make().header("x-ms-blob-type", "PageBlob").header("x-ms-blob-content-length", length.to_string());
        self.send(make.header("x-ms-blob-sequence-number", sequence.to_string())).await?;
        for (start, bytes) in ranges {
            for (at, part) in bytes.chunks(STEP).enumerate() {
                let from = start.saturating_add((at * STEP) as u64);
                let range = format!("bytes={from}-{}", from.saturating_add(part.len() as u64 - 1));
                let ask = self.ask().query("comp", "page").header("x-ms-page-write", "update").header("x-ms-range", range);
                self.send(ask.body(part.to_vec())).await?;
            }
        }
        self.keep_own_md5().await.map(|()| md5)
    }

    async fn keep_own_md5(&self) -> Result<(), ItemError> {
        let md5 = self.recorded_md5().map(|md5| STANDARD.encode(md5));
        self.keep_md5(Ok(()), md5.as_deref()).await
    }

    /// Says the MD5 that the owner said, which need not be that of the bytes. It is said with the other headers, or they are gone.
    async fn keep_md5(&self, made: Result<(), ItemError>, md5: Option<&str>) -> Result<(), ItemError> {
        made?;
        match md5 {
            Some(md5) => {
                let ask = self.with_headers(self.ask().query("comp", "properties"));
                self.send(ask.header("x-ms-blob-content-md5", md5)).await
            }
            None => Ok(()),
        }
    }
}

fn md5_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Option<Vec<u8>> {
    Some(parts.into_iter().fold(Md5::new(), |md5, part| md5.chain_update(part)).finalize().to_vec())
}

/// The MD5 of a page blob with the zeros between its ranges; nothing for one that is too long for that, or whose ranges overlap.
fn md5_of_pages(ranges: &[(u64, Vec<u8>)], length: u64) -> Option<Vec<u8>> {
    const ZEROS: [u8; 4096] = [0; 4096];
    let (mut md5, mut at) = (Md5::new(), 0);
    for (start, bytes) in ranges.iter().map(|(start, bytes)| (*start, &**bytes)).chain([(length, &[][..])]) {
        let mut gap = start.checked_sub(at).filter(|_| length <= LONGEST)?;
        while gap > 0 {
            let part = gap.min(ZEROS.len() as u64);
            md5.update(&ZEROS[..part as usize]);
            gap -= part;
        }
        md5.update(bytes);
        at = start + bytes.len() as u64;
    }
    Some(md5.finalize().to_vec())
}

fn bytes(from: &Database, document: &Document) -> Result<Vec<u8>, ItemError> {
    let read = document
        .get("persistency")
        .map(|pointer| from.bytes(pointer))
        .transpose()
        .map_err(|error| ItemError::NotImported(error.to_string()))?;
    read.flatten().ok_or_else(missing)
}

fn missing() -> ItemError {
    ItemError::NotImported("its bytes are not in the workspace".to_owned())
}
