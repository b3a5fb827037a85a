//! Containers and their blobs.

use crate::import::error::{ImportError, ItemError};
use crate::import::policies;
use crate::import::report::Report;
use crate::import::sender::{ImportRequest, RequestSender};
use crate::import::workspace::{Database, Document, buffer, is_zeros, list, number, string, text};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The tier whose blobs cannot be changed.
const ARCHIVE: &str = "Archive";
/// The most bytes of one Put Page or Append Block.
const STEP: usize = 4 << 20;
/// The size in bytes of the longest page blob whose MD5 is checked. It may be mostly zeros.
const MAX_HASHED: u64 = 1 << 30;
const SNAPSHOTS: &str = "snapshots with a new timestamp";

/// Imports containers and blobs.
///
/// # Errors
/// When the import cannot continue.
pub async fn import(sender: &RequestSender, from: &Database, report: &mut Report) -> Result<(), ImportError> {
    for document in from.collection("$CONTAINERS_COLLECTION$") {
        let (account, name) = (string(document, "accountName"), string(document, "name"));
        let public_access = document.get("properties").and_then(|properties| text(properties, "publicAccess"));
        let request = || {
            let request = ImportRequest::put(&format!("/{name}")).query("restype", "container");
            request.optional_header("x-ms-blob-public-access", public_access)
        };
        report.advance();
        report.count("containers", name, sender.send(account, request().metadata(document)).await)?;
        policies::import(sender, (account, name), request(), list(document, "containerAcl"), report).await?;
        if is_leased(document) {
            report.count_not_imported("leases", name, "acquire it again");
        }
    }
    let mut blobs: Vec<&Document> = from.collection("$BLOBS_COLLECTION$").iter().collect();
    // The snapshots of a blob in their order, then the blob itself. The sort is stable.
    blobs.sort_by_key(|blob| match text(blob, "snapshot") {
        Some(time) => (false, time.to_owned()),
        None => (true, String::new()),
    });
    let mut import = BlobImport { sender, from, report, snapshots: BTreeMap::new(), archived: Vec::new() };
    for document in blobs {
        import.report.advance();
        import.import_blob(document).await?;
    }
    for ((account, path), outcomes) in std::mem::take(&mut import.snapshots) {
        import.delete(&account, &path, outcomes).await?;
    }
    for block in from.collection("$BLOCKS_COLLECTION$") {
        import.report.advance();
        import.import_block(block).await?;
    }
    // An archived blob cannot be changed, so this comes last.
    for blob in std::mem::take(&mut import.archived) {
        if let Err(error) = blob.archive(sender).await {
            import.report.count("archive tiers", &blob.path, Err(error))?;
        }
    }
    Ok(())
}

/// A blob or a snapshot to archive after everything else is imported.
#[derive(Debug)]
struct Archived {
    account: String,
    path: String,
    /// The timestamp of a snapshot.
    snapshot: Option<String>,
    /// The tier to which it is rehydrated.
    rehydrating: Option<&'static str>,
}

impl Archived {
    async fn archive(&self, sender: &RequestSender) -> Result<(), ItemError> {
        for tier in [ARCHIVE].into_iter().chain(self.rehydrating) {
            let request = ImportRequest::put(&self.path).query("comp", "tier").header("x-ms-access-tier", tier);
            let request = self.snapshot.iter().fold(request, |request, time| request.query("snapshot", time));
            sender.send(&self.account, request).await?;
        }
        Ok(())
    }
}

fn is_leased(document: &Document) -> bool {
    document.get("properties").and_then(|properties| text(properties, "leaseState")).is_some_and(|state| state != "available")
}

/// The outcome for one blob or snapshot.
type Outcome = Result<Option<Archived>, ItemError>;

/// The import of the blobs of a database.
struct BlobImport<'a> {
    sender: &'a RequestSender,
    from: &'a Database,
    report: &'a mut Report,
    /// The outcomes for the snapshots of a blob that is not yet imported, by account and path.
    snapshots: BTreeMap<(String, String), Vec<Outcome>>,
    archived: Vec<Archived>,
}

impl BlobImport<'_> {
    async fn import_blob(&mut self, document: &Document) -> Result<(), ImportError> {
        let path = format!("/{}/{}", string(document, "containerName"), string(document, "name"));
        let flag = |name: &str| document.get(name).and_then(Value::as_bool);
        // A blob with only uncommitted blocks exists as soon as these are imported.
        if flag("isCommitted") == Some(false) {
            return Ok(());
        }
        if flag("deleted") == Some(true) {
            self.report.count_not_imported("deleted blobs", &path, "they were deleted");
            return Ok(());
        }
        let account = string(document, "accountName");
        let blob = Blob { sender: self.sender, from: self.from, document, path: &path, account };
        let key = (account.to_owned(), path.clone());
        if text(document, "snapshot").is_some() {
            let outcome = blob.write(true, self.report).await;
            self.snapshots.entry(key).or_default().push(outcome);
            return Ok(());
        }
        let snapshots = self.snapshots.remove(&key).unwrap_or_default();
        match blob.write(false, self.report).await {
            Ok(archived) => self.count("blobs", &path, Ok(archived))?,
            Err(error) => {
                self.count("blobs", &path, Err(error))?;
                return self.delete(account, &path, snapshots).await;
            }
        }
        for outcome in snapshots {
            self.count(SNAPSHOTS, &path, outcome)?;
        }
        if is_leased(document) {
            self.report.count_not_imported("leases", &path, "acquire it again");
        }
        if text(blob.properties(), "copyId").is_some() {
            self.report.count_not_imported("records of copies", &path, "the blobs themselves are there");
        }
        Ok(())
    }

    fn count(&mut self, kind: &'static str, path: &str, outcome: Outcome) -> Result<(), ImportError> {
        let outcome = outcome.map(|archived| self.archived.extend(archived));
        self.report.count(kind, path, outcome)
    }

    /// Deletes what was written of a blob that is not imported: a part of it, or the state of a snapshot in its place.
    async fn delete(&mut self, account: &str, path: &str, snapshots: Vec<Outcome>) -> Result<(), ImportError> {
        let request = ImportRequest::new("DELETE", path).header("x-ms-delete-snapshots", "include");
        if let Err(ItemError::Fatal(error)) = self.sender.send(account, request).await {
            return Err(error);
        }
        for outcome in snapshots {
            let outcome = outcome.and_then(|_| Err(ItemError::NotImported("their blob was not imported".to_owned())));
            self.report.count(SNAPSHOTS, path, outcome)?;
        }
        Ok(())
    }

    async fn import_block(&mut self, block: &Document) -> Result<(), ImportError> {
        let path = format!("/{}/{}", string(block, "containerName"), string(block, "blobName"));
        let outcome = match content(self.from, block) {
            Ok(bytes) => {
                let request = ImportRequest::put(&path).query("comp", "block").query("blockid", string(block, "name"));
                self.sender.send(string(block, "accountName"), request.body(bytes)).await
            }
            Err(error) => Err(error),
        };
        self.report.count("uncommitted blocks", &path, outcome)
    }
}

/// A blob that is imported.
struct Blob<'a> {
    sender: &'a RequestSender,
    from: &'a Database,
    document: &'a Document,
    account: &'a str,
    path: &'a str,
}

impl Blob<'_> {
    fn properties(&self) -> &Value {
        self.document.get("properties").unwrap_or(&Value::Null)
    }

    async fn send(&self, request: ImportRequest) -> Result<(), ItemError> {
        self.sender.send(self.account, request).await
    }

    fn request(&self) -> ImportRequest {
        ImportRequest::put(self.path)
    }

    /// A request that creates the blob, with the headers that only such a request has.
    fn creation(&self) -> ImportRequest {
        let inferred = self.properties().get("accessTierInferred").and_then(Value::as_bool) == Some(true);
        let tier = text(self.properties(), "accessTier").filter(|tier| !inferred && *tier != ARCHIVE);
        let tags = list(self.document.get("blobTags").unwrap_or(&Value::Null), "blobTagSet").iter().map(|tag| {
            let member = |name| utf8_percent_encode(string(tag, name), NON_ALPHANUMERIC).to_string();
            format!("{}={}", member("key"), member("value"))
        });
        let tags = tags.collect::<Vec<_>>().join("&");
        let request = self.request().metadata(self.document).optional_header("x-ms-access-tier", tier);
        self.with_headers(request.optional_header("x-ms-tags", Some(tags.as_str()).filter(|tags| !tags.is_empty())))
    }

    fn with_headers(&self, request: ImportRequest) -> ImportRequest {
        let headers = [
            ("contentType", "x-ms-blob-content-type"),
            ("contentEncoding", "x-ms-blob-content-encoding"),
            ("contentLanguage", "x-ms-blob-content-language"),
            ("contentDisposition", "x-ms-blob-content-disposition"),
            ("cacheControl", "x-ms-blob-cache-control"),
        ];
        let value = |member| text(self.properties(), member);
        headers.into_iter().fold(request, |request, (member, header)| request.optional_header(header, value(member)))
    }

    /// Writes the blob, and takes a snapshot if it is one. Returns what remains to be archived.
    async fn write(&self, snapshot: bool, report: &mut Report) -> Outcome {
        // Each of these reads all content before its first request, so that no blob is written whose bytes are incomplete.
        let md5 = match string(self.properties(), "blobType") {
            "BlockBlob" => self.write_blocks().await?,
            "AppendBlob" => self.write_appended().await?,
            "PageBlob" => self.write_pages().await?,
            other => return Err(ItemError::NotImported(format!("no such type of blob: {}", other.escape_debug()))),
        };
        // The client that wrote the blob may have set any MD5, so the bytes are imported in any case.
        if self.recorded_md5().zip(md5).is_some_and(|(recorded, md5)| recorded != md5) {
            let kind = if snapshot { SNAPSHOTS } else { "blobs" };
            report.count_different(kind, self.path, "its MD5 is not the one that Azurite recorded");
        }
        let mut time = None;
        if snapshot {
            let headers = self.sender.send_for_headers(self.account, self.request().query("comp", "snapshot")).await?;
            time = headers.get("x-ms-snapshot").and_then(|time| time.to_str().ok()).map(str::to_owned);
        } else if self.properties().get("isSealed").and_then(Value::as_bool) == Some(true) {
            self.send(self.request().query("comp", "seal")).await?;
        }
        if text(self.properties(), "accessTier") != Some(ARCHIVE) {
            return Ok(None);
        }
        let rehydrating = match text(self.properties(), "archiveStatus") {
            Some("rehydrate-pending-to-hot") => Some("Hot"),
            Some("rehydrate-pending-to-cool") => Some("Cool"),
            Some("rehydrate-pending-to-cold") => Some("Cold"),
            _ => None,
        };
        Ok(Some(Archived { account: self.account.to_owned(), path: self.path.to_owned(), snapshot: time, rehydrating }))
    }

    /// The committed blocks: their ids and bytes.
    fn committed(&self) -> Result<Vec<(String, Vec<u8>)>, ItemError> {
        let blocks = list(self.document, "committedBlocksInOrder").iter();
        let blocks = blocks.map(|block| Ok((string(block, "name").to_owned(), content(self.from, block)?)));
        let blocks: Vec<(String, Vec<u8>)> = blocks.collect::<Result<_, ItemError>>()?;
        self.check_length(blocks.iter().map(|(_, bytes)| bytes.len() as u64).sum())?;
        Ok(blocks)
    }

    fn check_length(&self, read: u64) -> Result<(), ItemError> {
        match number(self.properties(), "contentLength") {
            Some(length) if length == read => Ok(()),
            _ => Err(ItemError::NotImported("its length is not that of its bytes".to_owned())),
        }
    }

    /// The MD5 in Azurite's database, which Azurite computed or the client set.
    fn recorded_md5(&self) -> Option<Vec<u8>> {
        buffer(self.properties(), "contentMD5").filter(|md5| md5.len() == 16)
    }

    /// Writes a block blob; returns the MD5 of its content.
    async fn write_blocks(&self) -> Result<Option<Vec<u8>>, ItemError> {
        if list(self.document, "committedBlocksInOrder").is_empty() && self.document.get("persistency").is_some() {
            let bytes = content(self.from, self.document)?;
            self.check_length(bytes.len() as u64)?;
            let md5 = md5_of([&*bytes]);
            self.send(self.creation().header("x-ms-blob-type", "BlockBlob").body(bytes)).await?;
            return self.set_recorded_md5().await.map(|()| md5);
        }
        let mut blocks = self.committed()?;
        let md5 = md5_of(blocks.iter().map(|(_, bytes)| &**bytes));
        // A block list of committed and later blocks may have one id for different bytes. Then all blocks get new ids.
        let mut known: HashMap<&str, &[u8]> = HashMap::new();
        if blocks.iter().any(|(id, bytes)| known.insert(id, bytes).is_some_and(|before| before != bytes)) {
            blocks.iter_mut().enumerate().for_each(|(at, (id, _))| *id = STANDARD.encode(format!("block-{at:05}-")));
        }
        let mut block_list = String::from("<BlockList>");
        for (id, bytes) in blocks {
            block_list.push_str(&format!("<Latest>{}</Latest>", quick_xml::escape::escape(&id)));
            self.send(self.request().query("comp", "block").query("blockid", &id).body(bytes)).await?;
        }
        block_list.push_str("</BlockList>");
        let recorded = self.recorded_md5().map(|md5| STANDARD.encode(md5));
        let request = self.creation().optional_header("x-ms-blob-content-md5", recorded.as_deref()).query("comp", "blocklist");
        self.send(request.body(block_list.into_bytes())).await.map(|()| md5)
    }

    /// Writes an append blob; returns the MD5 of its content.
    async fn write_appended(&self) -> Result<Option<Vec<u8>>, ItemError> {
        let blocks = self.committed()?;
        let md5 = md5_of(blocks.iter().map(|(_, bytes)| &**bytes));
        self.send(self.creation().header("x-ms-blob-type", "AppendBlob")).await?;
        for (_, bytes) in blocks {
            for part in bytes.chunks(STEP) {
                self.send(self.request().query("comp", "appendblock").body(part.to_vec())).await?;
            }
        }
        self.set_recorded_md5().await.map(|()| md5)
    }

    /// Writes a page blob; returns the MD5 of its content.
    async fn write_pages(&self) -> Result<Option<Vec<u8>>, ItemError> {
        let mut ranges = Vec::new();
        for range in list(self.document, "pageRangesInOrder") {
            if range.get("persistency").is_some_and(is_zeros) {
                continue;
            }
            let start = number(range, "start").ok_or_else(missing)?;
            let bytes = content(self.from, range)?;
            let end = number(range, "end").and_then(|end| end.checked_sub(start)?.checked_add(1));
            if end != Some(bytes.len() as u64) {
                return Err(missing());
            }
            ranges.push((start, bytes));
        }
        let length = number(self.properties(), "contentLength").ok_or_else(missing)?;
        let md5 = self.recorded_md5().and_then(|_| md5_of_pages(&ranges, length));
        let sequence = number(self.properties(), "blobSequenceNumber").unwrap_or_default();
        let request = self.creation().header("x-ms-blob-type", "PageBlob").header("x-ms-blob-content-length", length.to_string());
        self.send(request.header("x-ms-blob-sequence-number", sequence.to_string())).await?;
        for (start, bytes) in ranges {
            for (at, part) in bytes.chunks(STEP).enumerate() {
                let from = start.saturating_add((at * STEP) as u64);
                let range = format!("bytes={from}-{}", from.saturating_add(part.len() as u64 - 1));
                let request =
                    self.request().query("comp", "page").header("x-ms-page-write", "update").header("x-ms-range", range);
                self.send(request.body(part.to_vec())).await?;
            }
        }
        self.set_recorded_md5().await.map(|()| md5)
    }

    /// Sets the recorded MD5, which may differ from that of the bytes. The request repeats the other headers, because it replaces all.
    async fn set_recorded_md5(&self) -> Result<(), ItemError> {
        let Some(md5) = self.recorded_md5() else { return Ok(()) };
        let request = self.with_headers(self.request().query("comp", "properties"));
        self.send(request.header("x-ms-blob-content-md5", STANDARD.encode(md5))).await
    }
}

fn md5_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Option<Vec<u8>> {
    Some(parts.into_iter().fold(Md5::new(), |md5, part| md5.chain_update(part)).finalize().to_vec())
}

/// The MD5 of a page blob, with the zeros between its ranges. `None` if it is too long to hash, or if its ranges overlap.
fn md5_of_pages(ranges: &[(u64, Vec<u8>)], length: u64) -> Option<Vec<u8>> {
    const ZEROS: [u8; 4096] = [0; 4096];
    let (mut md5, mut at) = (Md5::new(), 0);
    for (start, bytes) in ranges.iter().map(|(start, bytes)| (*start, &**bytes)).chain([(length, &[][..])]) {
        let mut gap = start.checked_sub(at).filter(|_| length <= MAX_HASHED)?;
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

fn content(from: &Database, document: &Document) -> Result<Vec<u8>, ItemError> {
    from.content(document)?.ok_or_else(missing)
}

fn missing() -> ItemError {
    ItemError::NotImported("its bytes are not in the workspace".to_owned())
}
