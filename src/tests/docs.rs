//! `docs/compatibility.md`, written from the operation tables.

use crate::account::Accounts;
use crate::operation::{FieldLocation, OperationSpec, ResourceKind, Secondary, Selector, Service, ServiceKind};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::{Blobs, DataLake};
use crate::services::file::Files;
use crate::services::queue::Queues;
use crate::services::table::Tables;
use crate::store::Store;
use crate::tests::fields::fields;
use std::sync::Arc;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/compatibility.md");

#[test]
fn docs_compatibility_md_is_fresh() {
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let text = std::fs::read_to_string(PAGE).unwrap_or_default().replace("\r\n", "\n");
    assert!(text == page, "docs/compatibility.md is stale: UPDATE_DOCS=1 cargo test docs");
}

fn page() -> String {
    let accounts = Accounts::default();
    let services: [Box<dyn Service>; 5] = [
        Box::new(Blobs::open(&accounts, &Store::MEMORY).unwrap()),
        Box::new(Queues::open(&accounts, &Store::MEMORY).unwrap()),
        Box::new(Tables::open(&accounts, &Store::MEMORY).unwrap()),
        Box::new(Files::open(&accounts, &Store::MEMORY).unwrap()),
        Box::new(DataLake::new(Arc::new(Blobs::open(&accounts, &Store::MEMORY).unwrap()))),
    ];
    let mut text = INTRODUCTION.to_owned();
    for service in services {
        text += &format!("\n## {}\n\n", service.kind().name());
        text += "| Operation | Request | Takes | SAS | Public | Conditions | Lease | Secondary | Success |\n";
        text += "|---|---|---|---|---|---|---|---|---|\n";
        for row in service.operations() {
            text += &line(row, service.kind());
        }
    }
    text + ABSENT
}

fn line(row: &OperationSpec, kind: ServiceKind) -> String {
    let cells = [
        row.name.to_owned(),
        request(row, kind),
        inputs(row),
        letters(&row.requires),
        public(row.requires.public).to_owned(),
        conditions(row.conditions).to_owned(),
        lease(row.lease).to_owned(),
        secondary(row).to_owned(),
        row.status.to_string(),
    ];
    format!("| {} |\n", cells.join(" | "))
}

/// Methods, path, and the marks that select the operation.
fn request(row: &OperationSpec, kind: ServiceKind) -> String {
    let path = match row.resource {
        ResourceKind::Container if kind == ServiceKind::DataLake => "/filesystem",
        ResourceKind::Blob if kind == ServiceKind::DataLake => "/filesystem/path",
        ResourceKind::Service => "/",
        ResourceKind::Container => "/container",
        ResourceKind::Blob => "/container/blob",
        ResourceKind::Share => "/share",
        ResourceKind::Path => "/share/path",
        ResourceKind::Site => "any path of the web endpoint",
        ResourceKind::Queue => "/queue",
        ResourceKind::Messages => "/queue/messages",
        ResourceKind::Message => "/queue/messages/id",
        ResourceKind::Tables => "/Tables",
        ResourceKind::Table => "/Tables('table')",
        ResourceKind::Entities => "/table()",
        ResourceKind::Entity => "/table(PartitionKey='…',RowKey='…')",
        ResourceKind::Batch => "/$batch",
        ResourceKind::Any => "any path",
    };
    let (mut query, mut headers) = (Vec::new(), Vec::new());
    for sign in row.selectors {
        match sign {
            Selector::Query(name, value) => query.push(format!("{name}={value}")),
            Selector::Header(name, value) => headers.push(format!("<br>`{name}: {value}`")),
            Selector::HasHeader(name) => headers.push(format!("<br>`{name}: …`")),
            Selector::Lacks(name) => headers.push(format!("<br>no `{name}`")),
        }
    }
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    format!("`{} {path}{query}`{}", row.methods.join("/"), headers.concat())
}

fn inputs(row: &OperationSpec) -> String {
    let texts = fields(row).into_iter().map(|field| {
        let name = match field.location {
            // Names that begin so.
            FieldLocation::Header if field.name.ends_with('-') => format!("`{}…`", field.name),
            FieldLocation::Header => format!("`{}`", field.name),
            FieldLocation::Query => format!("`?{}`", field.name),
        };
        if field.required { format!("**{name}**") } else { name }
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// The letters of an account SAS with its resource type, and those of a service SAS where they differ.
fn letters(requires: &RequiredPermission) -> String {
    let level = match requires.level {
        ResourceLevel::Service => "service",
        ResourceLevel::Container => "container",
        ResourceLevel::Object => "object",
    };
    let all = if requires.all { "all of " } else { "" };
    match (requires.account, requires.service) {
        _ if requires.public == AnonymousAccess::Everyone => "none needed".to_owned(),
        _ if requires.public == AnonymousAccess::User => "none: a bearer token".to_owned(),
        ("", "") => "key only".to_owned(),
        (account, service) if account == service => format!("{all}`{account}` {level}"),
        (account, "") => format!("{all}`{account}` {level}, account SAS only"),
        (account, service) => format!("{all}`{account}` {level}, service SAS `{service}`"),
    }
}

fn public(public: AnonymousAccess) -> &'static str {
    match public {
        AnonymousAccess::Never | AnonymousAccess::User => "",
        AnonymousAccess::Container => "container",
        AnonymousAccess::Blob => "blob, container",
        AnonymousAccess::Everyone => "always",
    }
}

fn conditions(conditions: ConditionSupport) -> &'static str {
    match conditions {
        ConditionSupport::None => "",
        ConditionSupport::Dates => "dates",
        ConditionSupport::Read => "all, reads",
        ConditionSupport::Write => "all, writes",
        ConditionSupport::Create | ConditionSupport::CopyTarget | ConditionSupport::CopyTargetIfMatch => "all, creates",
        ConditionSupport::Flush => "all; a failed `If-None-Match` is 304",
        ConditionSupport::Delete => "all but `If-None-Match: *`, deletes",
    }
}

fn lease(guard: LeaseCheck) -> &'static str {
    match guard {
        LeaseCheck::None => "",
        LeaseCheck::IfPresent => "if shown",
        LeaseCheck::Required => "needed",
    }
}

fn secondary(row: &OperationSpec) -> &'static str {
    match row.secondary {
        Secondary::Only => "only",
        _ if row.is_answered_by_secondary() => "yes",
        _ => "",
    }
}

const INTRODUCTION: &str = "\
<!-- Written from the operation tables by `UPDATE_DOCS=1 cargo test docs`. Change the tables, or src/tests/docs.rs, not this page. -->

# Compatibility

What of Azure Storage's REST interface Lazuli serves, operation by operation. Any well-formed `x-ms-version` is served; where the
service changed with a version, so does Lazuli.

- **Request**: method and path, then the query parameters and headers that tell the operation from others on the same path.
- **Takes**: what it reads; `?` marks query parameters, bold the required ones. Every operation also reads `x-ms-version`,
  `x-ms-date`, `x-ms-client-request-id`, `Authorization` and the parameters of a SAS, and Put Blob the `Content-…` headers of its body.
- **SAS**: the permission letters, any one of which suffices unless it says `all of`, and the account SAS resource type. A user
  delegation SAS may do what a service SAS may. The account's key may do everything, and so may a bearer token where the server accepts
  them (`--oauth`), unless roles are assigned (`--identity`).
- **Public**: the access levels of a container that allow anonymous access.
- **Conditions**: `dates` are `If-Modified-Since` and `If-Unmodified-Since`; `all` adds `If-Match`, `If-None-Match` and `x-ms-if-tags`.
  A failed condition is 304 for a read and 412 for a write; `creates` also applies to a resource that does not exist yet, and
  `If-None-Match: *` then fails with 409.
- **Lease**: `needed` is 412 without the `x-ms-lease-id` of an active lease; `if shown` is 412 only for a wrong id.
- **Secondary**: whether `account-secondary` answers it. It has the same data as the primary.

Data Lake is the other API of the Blob service, at the same port: file systems are containers, and paths are blobs. Accounts with `hns`
have a hierarchical namespace with directories and access control lists; in others a directory is an empty blob.
";

const ABSENT: &str = "
## Not there yet

A request for one of these is refused with 501 NotImplemented or a 400 that names the header. No part of it is performed.

| What | Operations and headers |
|---|---|
| Incremental copies | Incremental Copy Blob from another server; block lists of block blobs copied from another server, which become one piece |
| Arrow | Without the cargo feature `arrow`, which is off: queries of Parquet and answers in Arrow are refused, and lists are XML where `Accept` asks for `application/vnd.apache.arrow.stream` |
| Data Lake | Files of `blobtype=appendblob` are ordinary files; `concurrentAppend`; user principal names (`upn=true` shows ids) |
| Tables | Atom feeds and verbose JSON, which the service gave up with 2015-12-11 |

## Not emulated

Nothing is replicated, billed, throttled or measured: an account has no limits but the machine's, metrics and logging are settings
that have no effect, and a key is never rotated.
";
