//! Seeds: resources that a server has from its start (`--seed`), or gets by a request (`POST /_lazuli/seed`).
//!
//! `document` is what a seed contains, `folder` reads one from files. A seed becomes requests to the pipelines of the services, so every
//! rule applies to it. Containers, queues, tables and shares that exist stay; blobs, entities and files of a name are replaced, and so
//! are all messages of a queue.

pub mod document;
pub mod error;
mod folder;

use crate::account::{Account, Accounts};
use crate::environment::Environment;
use crate::http::background::Background;
use crate::import::sender::{ImportRequest, RequestSender};
use crate::operation::{Service, ServiceKind};
use crate::seed::document::{AccountSeed, ContainerSeed, Content, FileSeed, QueueSeed, Seed, ShareSeed};
use crate::seed::error::SeedError;
use crate::store::Store;
pub use folder::read;
use http::StatusCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Writes seeds to the services of a server.
pub struct Seeder {
    /// The folder that requests without a document read again.
    pub folder: Option<PathBuf>,
    /// The name of the first account.
    first: String,
    accounts: Arc<Accounts>,
    senders: Vec<RequestSender>,
    services: Vec<Arc<dyn Service>>,
    _background: Arc<Background>,
}

impl std::fmt::Debug for Seeder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seeder").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// How many resources were written, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedCounts(BTreeMap<&'static str, u64>);

impl SeedCounts {
    fn count(&mut self, kind: &'static str) {
        *self.0.entry(kind).or_default() += 1;
    }

    pub fn json(&self) -> Value {
        json!(self.0)
    }
}

/// The largest piece of a file that a request writes, in bytes.
const RANGE: usize = 4 << 20;
/// The prefix of metadata headers.
const META: &str = "x-ms-meta-";

impl Seeder {
    /// A writer to these services.
    pub fn new(
        services: &[Arc<dyn Service>],
        accounts: &[Account],
        store: &Store,
        environment: &Arc<Environment>,
        folder: Option<PathBuf>,
    ) -> Seeder {
        let background = Arc::new(Background::default());
        let reachable: Arc<Accounts> = Arc::new(accounts.iter().map(RequestSender::with_own_key).collect());
        let sender = |service: &Arc<dyn Service>| {
            RequestSender::new(service.clone(), reachable.clone(), environment.clone(), store.clone(), &background)
        };
        Seeder {
            folder,
            first: accounts.first().map(|account| account.name.clone()).unwrap_or_default(),
            senders: services.iter().map(sender).collect(),
            accounts: reachable,
            services: services.to_vec(),
            _background: background,
        }
    }

    /// Writes the accounts of a seed that have no resources yet, so that a start does not undo what an earlier server stored.
    ///
    /// # Errors
    /// As [`Seeder::write`].
    pub async fn write_to_empty_accounts(&self, seed: Seed) -> Result<SeedCounts, SeedError> {
        let is_empty = |account: &str| self.services.iter().all(|service| service.resource_count(Some(account)) == 0);
        let accounts = seed.by_account(&self.first);
        self.write_accounts(accounts.into_iter().filter(|(account, _)| is_empty(account)).collect()).await
    }

    /// Writes a seed. What it has beside `accounts` goes to `account`, or to the first account.
    ///
    /// # Errors
    /// [`SeedError`] for an account that does not exist, and for the first resource that is refused. What came before it is written.
    pub async fn write(&self, seed: Seed, account: Option<&str>) -> Result<SeedCounts, SeedError> {
        self.write_accounts(seed.by_account(account.unwrap_or(&self.first))).await
    }

    async fn write_accounts(&self, accounts: BTreeMap<String, AccountSeed>) -> Result<SeedCounts, SeedError> {
        if let Some(unknown) = accounts.keys().find(|name| self.accounts.get(name).is_none()) {
            return Err(SeedError::UnknownAccount(unknown.clone()));
        }
        let mut written = SeedCounts::default();
        for (account, AccountSeed { containers, queues, tables, shares }) in accounts {
            for (name, container) in containers {
                self.container(&account, &name, container, &mut written).await?;
            }
            for (name, queue) in queues {
                self.queue(&account, &name, queue, &mut written).await?;
            }
            for (name, entities) in tables {
                self.table(&account, &name, entities, &mut written).await?;
            }
            for (name, share) in shares {
                self.share(&account, &name, share, &mut written).await?;
            }
        }
        Ok(written)
    }

    async fn container(
        &self,
        account: &str,
        name: &str,
        container: ContainerSeed,
        written: &mut SeedCounts,
    ) -> Result<(), SeedError> {
        let ContainerSeed { public_access, metadata, blobs } = container;
        let create = with_metadata(ImportRequest::put(&format!("/{name}")).query("restype", "container"), &metadata);
        let create = create.optional_header("x-ms-blob-public-access", public_access.as_deref());
        self.create(ServiceKind::Blob, account, &format!("container {name}"), create).await?;
        written.count("containers");
        for (blob, file) in blobs {
            let what = format!("blob {name}/{blob}");
            let put = ImportRequest::put(&format!("/{name}/{blob}")).header("x-ms-blob-type", "BlockBlob");
            let put = put.header("x-ms-blob-content-type", content_type(&blob, &file));
            let tags: Vec<String> = file.tags.iter().map(|(key, value)| format!("{}={}", encoded(key), encoded(value))).collect();
            let put = put.optional_header("x-ms-tags", Some(tags.join("&")).filter(|tags| !tags.is_empty()).as_deref());
            let put = with_metadata(put.optional_header("x-ms-access-tier", file.tier.as_deref()), &file.metadata);
            let content = content(&what, file.content).await?;
            self.send(ServiceKind::Blob, account, &what, put.body(content)).await?;
            written.count("blobs");
        }
        Ok(())
    }

    async fn queue(&self, account: &str, name: &str, queue: QueueSeed, written: &mut SeedCounts) -> Result<(), SeedError> {
        let what = format!("queue {name}");
        let create = with_metadata(ImportRequest::put(&format!("/{name}")), &queue.metadata);
        self.create(ServiceKind::Queue, account, &what, create).await?;
        written.count("queues");
        let messages = format!("/{name}/messages");
        self.send(ServiceKind::Queue, account, &what, ImportRequest::new("DELETE", &messages)).await?;
        for message in queue.messages {
            let text = message.as_str().map_or_else(|| message.to_string(), str::to_owned);
            let text = quick_xml::escape::escape(&text);
            let body = format!("<QueueMessage><MessageText>{text}</MessageText></QueueMessage>");
            self.send(ServiceKind::Queue, account, &what, ImportRequest::new("POST", &messages).body(body.into_bytes())).await?;
            written.count("messages");
        }
        Ok(())
    }

    async fn table(
        &self,
        account: &str,
        name: &str,
        entities: Vec<Map<String, Value>>,
        written: &mut SeedCounts,
    ) -> Result<(), SeedError> {
        let what = format!("table {name}");
        let create = ImportRequest::new("POST", "/Tables").body(json!({ "TableName": name }).to_string().into_bytes());
        self.create(ServiceKind::Table, account, &what, as_json(create)).await?;
        written.count("tables");
        for entity in entities {
            let key = |key: &str| {
                let reason = || format!("an entity has no {key} that is a text");
                let refused = || SeedError::Refused { account: account.to_owned(), what: what.clone(), reason: reason() };
                Ok(entity.get(key).and_then(Value::as_str).ok_or_else(refused)?.replace('\'', "''"))
            };
            let path = format!("/{name}(PartitionKey='{}',RowKey='{}')", key("PartitionKey")?, key("RowKey")?);
            let put = ImportRequest::put(&path).body(Value::Object(entity).to_string().into_bytes());
            self.send(ServiceKind::Table, account, &what, as_json(put)).await?;
            written.count("entities");
        }
        Ok(())
    }

    async fn share(&self, account: &str, name: &str, share: ShareSeed, written: &mut SeedCounts) -> Result<(), SeedError> {
        let create = with_metadata(ImportRequest::put(&format!("/{name}")).query("restype", "share"), &share.metadata);
        self.create(ServiceKind::File, account, &format!("share {name}"), create).await?;
        written.count("shares");
        for (path, file) in share.files {
            let what = format!("file {name}/{path}");
            for (at, _) in path.match_indices('/') {
                let create = ImportRequest::put(&format!("/{name}/{}", &path[..at])).query("restype", "directory");
                self.create(ServiceKind::File, account, &what, create).await?;
            }
            let kind = content_type(&path, &file);
            let content = content(&what, file.content).await?;
            let target = format!("/{name}/{path}");
            let create = ImportRequest::put(&target).header("x-ms-type", "file").header("x-ms-content-type", kind);
            let create = with_metadata(create.header("x-ms-content-length", content.len().to_string()), &file.metadata);
            self.send(ServiceKind::File, account, &what, create).await?;
            for (range, start) in content.chunks(RANGE).zip((0..).step_by(RANGE)) {
                let put = ImportRequest::put(&target).query("comp", "range").header("x-ms-write", "update");
                let put = put.header("x-ms-range", format!("bytes={start}-{}", start + range.len() - 1)).body(range.to_vec());
                self.send(ServiceKind::File, account, &what, put).await?;
            }
            written.count("files");
        }
        Ok(())
    }

    async fn send(&self, kind: ServiceKind, account: &str, what: &str, request: ImportRequest) -> Result<(), SeedError> {
        let refused = |error| SeedError::refused(account, what, error);
        self.sender(kind, account, what)?.send(account, request).await.map_err(refused)
    }

    /// Creates a resource that may exist.
    async fn create(&self, kind: ServiceKind, account: &str, what: &str, request: ImportRequest) -> Result<(), SeedError> {
        let refused = |error| SeedError::refused(account, what, error);
        // The Table service names the code only in the body.
        let exists = |code: &str| code.ends_with("AlreadyExists") || kind == ServiceKind::Table;
        let accepts = |status: StatusCode, code: &str| status == StatusCode::CONFLICT && exists(code);
        self.sender(kind, account, what)?.send_unless(account, request, accepts).await.map_err(refused)
    }

    fn sender(&self, kind: ServiceKind, account: &str, what: &str) -> Result<&RequestSender, SeedError> {
        let absent = || SeedError::Refused {
            account: account.to_owned(),
            what: what.to_owned(),
            reason: format!("the {} service does not run", kind.name()),
        };
        self.senders.iter().find(|sender| sender.kind == kind).ok_or_else(absent)
    }
}

fn with_metadata(request: ImportRequest, metadata: &BTreeMap<String, String>) -> ImportRequest {
    metadata.iter().fold(request, |request, (name, value)| request.header(&format!("{META}{name}"), value))
}

fn as_json(request: ImportRequest) -> ImportRequest {
    let request = request.header("content-type", "application/json").header("accept", "application/json");
    request.header("prefer", "return-no-content")
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Reads a content. Files are read on a thread that may block.
async fn content(what: &str, content: Option<Content>) -> Result<Vec<u8>, SeedError> {
    let path = match content {
        Some(Content::Bytes(bytes)) => return Ok(bytes),
        Some(Content::Path(path)) => path,
        None => return Err(SeedError::NoContent(what.to_owned())),
    };
    let unreadable = |error| SeedError::CannotRead { path: path.clone(), error };
    let file = path.clone();
    #[expect(clippy::disallowed_methods, reason = "seeds are read here")]
    let read = tokio::task::spawn_blocking(move || std::fs::read(file)).await;
    read.unwrap_or_else(|error| Err(std::io::Error::other(error))).map_err(unreadable)
}

/// The types of contents by the extensions of names.
const TYPES: [(&str, &str); 14] = [
    ("avif", "image/avif"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("html", "text/html"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("xml", "application/xml"),
];

/// The type of a content: the one that the seed names, or the one of the name's extension.
fn content_type(name: &str, file: &FileSeed) -> String {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let known = || TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension)).map(|(_, kind)| (*kind).to_owned());
    file.content_type.clone().or_else(known).unwrap_or_else(|| "application/octet-stream".to_owned())
}
