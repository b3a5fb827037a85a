//! No header or query parameter that the reference names is dropped in silence: each is an input of its operation, or stands in
//! [`IGNORED`] with the reason. The names are data, in `tests/data/parameters/`, one file per service.

use crate::account::Accounts;
use crate::http::route::Table;
use crate::operation::{FieldLocation, OperationSpec, Query, ResourcePath, Selector, Service, Target};
use crate::rules::error::StorageError;
use crate::services::blob::{Blobs, DataLake};
use crate::services::file::Files;
use crate::services::queue::Queues;
use crate::services::table::Tables;
use crate::store::Store;
use crate::tests::fields::fields;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Parameters that change nothing here: service, operation and parameter, of which `*` is any, and the reason.
const IGNORED: &[(&str, &str, &str, &str)] = &[
    ("*", "*", "?timeout", "how long the server may work: no operation waits for anything but its own body"),
    ("blob", "*", "x-ms-upn", "names or ids of owner and group: without hierarchical namespaces nobody owns a blob"),
    ("blob", "AppendBlob_AppendBlockFromUrl", "content-md5", "the body is empty: x-ms-source-content-md5 is the content's"),
    ("blob", "BlockBlob_PutBlobFromUrl", "content-md5", "the body is empty: x-ms-source-content-md5 is the content's"),
    #[cfg(not(feature = "arrow"))]
    ("blob", "Container_ListBlobFlatSegment", "accept", XML_LIST),
    #[cfg(not(feature = "arrow"))]
    ("blob", "Container_ListBlobHierarchySegment", "accept", XML_LIST),
    (
        "file",
        "*",
        "x-ms-file-request-intent",
        "read at the door, where a bearer token comes with it; without one it changes nothing",
    ),
    ("file", "Directory_ForceCloseHandles", "?marker", ALL_CLOSED),
    ("file", "File_ForceCloseHandles", "?marker", ALL_CLOSED),
    ("file", "Share_BreakLease", "x-ms-lease-id", "whoever may break a lease need not hold it"),
    ("file", "File_BreakLease", "x-ms-lease-id", "whoever may break a lease need not hold it"),
    ("lake", "Path_CheckAccess", "?upn", "the answer names no principal"),
    ("lake", "Path_Create", "?continuation", OF_RENAMES),
    ("lake", "Path_Create", "?mode", OF_RENAMES),
    ("lake", "Path_FlushData", "content-md5", "the body is empty: x-ms-content-md5 is the file's"),
    ("lake", "Path_Rename", "x-ms-cache-control", OF_CREATIONS),
    ("lake", "Path_Rename", "x-ms-client-transaction-id", "idempotence of repeated renames, which no client uses yet"),
    ("lake", "Path_Rename", "x-ms-content-disposition", OF_CREATIONS),
    ("lake", "Path_Rename", "x-ms-content-encoding", OF_CREATIONS),
    ("lake", "Path_Rename", "x-ms-content-language", OF_CREATIONS),
    ("lake", "Path_Rename", "x-ms-content-type", OF_CREATIONS),
    ("lake", "Path_Rename", "x-ms-permissions", OF_CREATIONS),
    ("lake", "Path_Rename", "x-ms-umask", OF_CREATIONS),
    ("lake", "Path_GetAccessControl", "if-match", NO_CONDITIONS),
    ("lake", "Path_GetAccessControl", "if-modified-since", NO_CONDITIONS),
    ("lake", "Path_GetAccessControl", "if-none-match", NO_CONDITIONS),
    ("lake", "Path_GetAccessControl", "if-unmodified-since", NO_CONDITIONS),
    ("table", "*", "dataserviceversion", "announces OData 3.0, the only version that is spoken"),
];

/// SDKs that request Arrow read the Content-Type of the answer.
#[cfg(not(feature = "arrow"))]
const XML_LIST: &str = "lists are XML, as they are for every version before 2026-10-06: this build has no cargo feature `arrow`";
const ALL_CLOSED: &str = "all handles are closed at once, so no answer has a marker to go on from";

const OF_RENAMES: &str = "the reference has one operation for creations and renames: this is for renames";
const OF_CREATIONS: &str = "the service ignores it in a rename: the SDK for Python sends it, and reads it back absent";
const NO_CONDITIONS: &str = "the service ignores conditions here: the .NET SDK's tests of them are switched off";

/// Operations of the reference that no row serves, and the reason.
const ABSENT: &[(&str, &str, &str)] = &[];

/// Inputs of every operation, which the pipeline reads before it knows the operation.
const OF_EVERY_OPERATION: [&str; 3] = ["x-ms-version", "x-ms-client-request-id", "content-length"];

#[test]
fn every_parameter_of_the_reference_is_an_input_or_ignored_for_a_reason() {
    let accounts = Accounts::default();
    let (mut failures, mut used, mut walked) = (BTreeSet::new(), BTreeSet::new(), 0);
    let services: [(&str, Box<dyn Service>, &str); 5] = [
        ("blob", Box::new(Blobs::open(&accounts, &Store::MEMORY).unwrap()), include_str!("../../tests/data/parameters/blob.txt")),
        (
            "queue",
            Box::new(Queues::open(&accounts, &Store::MEMORY).unwrap()),
            include_str!("../../tests/data/parameters/queue.txt"),
        ),
        (
            "table",
            Box::new(Tables::open(&accounts, &Store::MEMORY).unwrap()),
            include_str!("../../tests/data/parameters/table.txt"),
        ),
        ("file", Box::new(Files::open(&accounts, &Store::MEMORY).unwrap()), include_str!("../../tests/data/parameters/file.txt")),
        (
            "lake",
            Box::new(DataLake::new(Arc::new(Blobs::open(&accounts, &Store::MEMORY).unwrap()))),
            include_str!("../../tests/data/parameters/lake.txt"),
        ),
    ];
    for (kind, service, data) in &services {
        let table = Table::new(service.operations());
        for operation in read(data) {
            let absent = ABSENT.iter().any(|(of, name, _)| of == kind && *name == operation.name);
            for request in operation.requests() {
                let row = match request.row(&**service, &table) {
                    Ok(row) if absent => {
                        failures.insert(format!("{kind} {}: listed as absent, and served by {}", operation.name, row.name));
                        continue;
                    }
                    Ok(row) => row,
                    Err(_) if absent => continue,
                    Err(why) => {
                        failures.insert(format!("{kind} {}: no row: {why}", operation.name));
                        continue;
                    }
                };
                for parameter in &operation.parameters {
                    walked += 1;
                    if is_input(row, parameter) {
                        continue;
                    }
                    let named = |known: &str, name: &str| known == "*" || known == name;
                    let reason = IGNORED.iter().position(|(of, name, text, _)| {
                        named(of, kind) && named(name, &operation.name) && *text == parameter.text()
                    });
                    match reason {
                        Some(at) => _ = used.insert(at),
                        None => {
                            failures.insert(format!(
                                "{kind} {}: {} is no input of {}",
                                operation.name,
                                parameter.text(),
                                row.name
                            ));
                        }
                    }
                }
            }
        }
    }
    for (at, entry) in IGNORED.iter().enumerate().filter(|(at, _)| !used.contains(at)) {
        failures.insert(format!("IGNORED[{at}] is stale: {entry:?}"));
    }
    assert!(walked > 1000, "{walked} parameters were walked");
    assert!(failures.is_empty(), "\n{}\n", failures.into_iter().collect::<Vec<_>>().join("\n"));
}

/// Whether an operation reads this parameter: as a field, as what selects it, or because of its conditions or its lease.
fn is_input(row: &OperationSpec, parameter: &Parameter) -> bool {
    let name = parameter.name.as_str();
    let field = |field: &crate::operation::Field| field.location == parameter.place && field.name == name;
    let sign = |sign: &Selector| match *sign {
        Selector::Query(known, _) => parameter.place == FieldLocation::Query && known == name,
        Selector::Header(known, _) | Selector::HasHeader(known) | Selector::Lacks(known) => {
            parameter.place == FieldLocation::Header && known == name
        }
    };
    fields(row).iter().any(field)
        || row.selectors.iter().any(sign)
        || parameter.place == FieldLocation::Header && OF_EVERY_OPERATION.contains(&name)
}

/// An operation of the reference.
struct Operation {
    name: String,
    method: String,
    path: String,
    parameters: Vec<Parameter>,
}

struct Parameter {
    place: FieldLocation,
    name: String,
    required: bool,
    /// The values by which it selects the operation.
    values: Vec<String>,
}

impl Parameter {
    fn read(text: &str) -> Parameter {
        let (name, values) = text.split_once('=').unwrap_or((text, ""));
        let required = name.ends_with('!') || !values.is_empty();
        let name = name.trim_end_matches('!');
        let (place, name) = match name.strip_prefix('?') {
            Some(name) => (FieldLocation::Query, name),
            None => (FieldLocation::Header, name),
        };
        let values = values.split('|').filter(|value| !value.is_empty()).map(str::to_owned).collect();
        Parameter { place, name: name.to_owned(), required, values }
    }

    /// As the lists above name it.
    fn text(&self) -> String {
        match self.place {
            FieldLocation::Header => self.name.clone(),
            FieldLocation::Query => format!("?{}", self.name),
        }
    }
}

/// Reads a data file: a line `Operation: METHOD /path`, and below it, indented, its parameters; those of `*` belong to all.
fn read(data: &str) -> Vec<Operation> {
    let mut operations: Vec<Operation> = Vec::new();
    let mut common = Vec::new();
    for line in data.lines().filter(|line| !line.is_empty() && !line.starts_with('#') && *line != "*") {
        if line.starts_with(' ') {
            let words = line.split_whitespace();
            match operations.last_mut() {
                Some(operation) => operation.parameters.extend(words.map(Parameter::read)),
                None => common.extend(words),
            }
            continue;
        }
        let (name, request) = line.split_once(": ").unwrap_or_else(|| panic!("{line:?}"));
        let (method, path) = request.split_once(' ').unwrap_or_else(|| panic!("{line:?}"));
        let parameters = common.iter().copied().map(Parameter::read).collect();
        operations.push(Operation { name: name.into(), method: method.into(), path: path.into(), parameters });
    }
    operations
}

/// A request for an operation.
struct Request {
    method: Method,
    path: String,
    query: Query,
    headers: HeaderMap,
}

impl Operation {
    /// Requests for it: one, or one for each value of the parameter that has several.
    fn requests(&self) -> Vec<Request> {
        let most = self.parameters.iter().map(|parameter| parameter.values.len()).max().unwrap_or_default().max(1);
        (0..most).map(|at| self.request(at)).collect()
    }

    fn request(&self, at: usize) -> Request {
        let (mut query, mut headers) = (Vec::new(), HeaderMap::new());
        for parameter in self.parameters.iter().filter(|parameter| parameter.required) {
            let value = parameter.values.get(at).or(parameter.values.first()).map_or("1", String::as_str);
            match parameter.place {
                FieldLocation::Query => query.push((parameter.name.clone(), value.to_owned())),
                FieldLocation::Header => {
                    let name = HeaderName::from_bytes(parameter.name.as_bytes()).unwrap();
                    headers.insert(name, HeaderValue::from_str(value).unwrap());
                }
            }
        }
        // Placeholders stand for names that every service takes.
        let path: String = self
            .path
            .split('{')
            .map(|part| part.split_once('}').map_or(part.into(), |(_, rest)| format!("name{rest}")))
            .collect();
        Request { method: self.method.parse().unwrap(), path, query: Query::new(&query), headers }
    }
}

impl Request {
    /// The row that the server would choose.
    fn row(&self, service: &dyn Service, table: &Table) -> Result<&'static OperationSpec, String> {
        let described = |fault: crate::rules::error::StorageError| {
            format!("{fault} for {} {} {:?} {:?}", self.method, self.path, self.query, self.headers)
        };
        let target = target_of(service, &self.path, &self.query).map_err(described)?;
        let method = service.method(&self.method, &self.headers).map_err(described)?;
        table.find(method.as_str(), target.kind(), &self.query, &self.headers).map(|(_, row)| row).map_err(described)
    }
}

/// The target that a path names.
fn target_of(service: &dyn Service, path: &str, query: &Query) -> Result<Target, StorageError> {
    service.target(&ResourcePath { path, query })
}
