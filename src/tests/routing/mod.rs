//! The table of operations, tested as a table: every row can be reached, no two can be meant at once, and every operation of the
//! service's published description is in it or missing for a reason.

use crate::account::Accounts;
use crate::http::route::Table;
use crate::operation::{OperationSpec, Query, ResourceKind, ResourcePath, SELECTING_PARAMETERS, Selector, Service, Target};
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::blob::{Blobs, DataLake};
use crate::services::file::Files;
use crate::services::queue::Queues;
use crate::services::table::Tables;
use crate::store::Store;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::collections::BTreeSet;
use std::sync::Arc;

mod files;

/// A service, and what its published description says of it.
struct Book {
    service: Box<dyn Service>,
    /// Every operation: id, method, path with its query, headers.
    operations: &'static str,
    /// Where each of them is: in the table, under this name.
    places: &'static [(&'static str, &'static str)],
    /// Rows that the reference has and the description leaves out, and one for a client that takes the account for a container.
    beyond: &'static [&'static str],
}

fn books() -> [Book; 5] {
    let accounts = Accounts::default();
    [
        Book {
            service: Box::new(Blobs::open(&accounts, &Store::MEMORY).unwrap()),
            operations: include_str!("spec/blob_operations.txt"),
            places: BLOB_PLACES,
            beyond: &[
                "Get Static Website Content",
                "Preflight Blob Request",
                "Get Container Metadata",
                "Get Blob Metadata",
                "Blob Batch (path style)",
            ],
        },
        Book {
            service: Box::new(Queues::open(&accounts, &Store::MEMORY).unwrap()),
            operations: include_str!("spec/queue_operations.txt"),
            places: QUEUE_PLACES,
            beyond: &["Preflight Queue Request"],
        },
        Book {
            service: Box::new(Tables::open(&accounts, &Store::MEMORY).unwrap()),
            operations: include_str!("spec/table_operations.txt"),
            places: TABLE_PLACES,
            beyond: &[
                "Query Tables (one table)",
                "Insert Or Replace Entity",
                "Insert Or Merge Entity",
                "Entity Group Transaction",
                "Get User Delegation Key",
                "Preflight Table Request",
            ],
        },
        Book {
            service: Box::new(Files::open(&accounts, &Store::MEMORY).unwrap()),
            operations: include_str!("spec/file_operations.txt"),
            places: files::PLACES,
            beyond: &files::BEYOND,
        },
        Book {
            service: Box::new(DataLake::new(Arc::new(Blobs::open(&accounts, &Store::MEMORY).unwrap()))),
            operations: include_str!("spec/lake_operations.txt"),
            places: LAKE_PLACES,
            beyond: &[],
        },
    ]
}

/// What a request shows so that these signs match.
fn shown<'a>(signs: impl IntoIterator<Item = &'a Selector>) -> (Query, HeaderMap) {
    let (mut pairs, mut headers) = (Vec::new(), HeaderMap::new());
    for sign in signs {
        match *sign {
            Selector::Query(name, value) => pairs.push((name.to_owned(), value.to_owned())),
            Selector::Header(name, value) => _ = headers.insert(name, HeaderValue::from_static(value)),
            Selector::HasHeader(name) => _ = headers.insert(name, HeaderValue::from_static("x")),
            Selector::Lacks(_) => {}
        }
    }
    pairs.dedup();
    (Query::new(&pairs), headers)
}

fn path(shape: ResourceKind) -> &'static str {
    match shape {
        ResourceKind::Service => "/",
        ResourceKind::Container => "/container",
        ResourceKind::Share => "/share",
        ResourceKind::Blob | ResourceKind::Path | ResourceKind::Any => "/container/some/blob",
        ResourceKind::Queue => "/queue",
        ResourceKind::Messages => "/queue/messages",
        ResourceKind::Message => "/queue/messages/id",
        ResourceKind::Tables => "/Tables",
        ResourceKind::Table => "/Tables('table')",
        ResourceKind::Entities => "/table()",
        ResourceKind::Entity => "/table(PartitionKey='p',RowKey='r')",
        ResourceKind::Batch => "/$batch",
        ResourceKind::Site => "/some/page.html",
    }
}

fn claims(row: &OperationSpec, name: &str) -> bool {
    row.resource == ResourceKind::Any
        || row.selectors.iter().any(|sign| matches!(sign, Selector::Query(known, _) if *known == name))
}

#[test]
fn every_row_is_reached_by_the_request_it_describes() {
    for book in books() {
        reaches_every_row(&*book.service);
    }
}

fn reaches_every_row(service: &dyn Service) {
    let rows = service.operations();
    let table = Table::new(rows.clone());
    for (place, row) in rows.iter().enumerate() {
        let (query, headers) = shown(row.selectors);
        let target = match row.resource {
            ResourceKind::Site => service.website_target(path(row.resource)).unwrap(),
            ResourceKind::Any => target_of(service, "/name", &query).unwrap(),
            shape => target_of(service, path(shape), &query).unwrap(),
        };
        assert!(
            row.resource == ResourceKind::Any || target.kind() == row.resource,
            "{}: its path is a {:?}",
            row.name,
            target.kind()
        );
        assert!(!row.methods.is_empty(), "{} answers to no method", row.name);
        for method in row.methods {
            let (found, reached) = table.find(method, target.kind(), &query, &headers).unwrap();
            assert_eq!((found, reached.name), (place, row.name), "{method} {}", path(row.resource));
        }
    }
}

/// An empty header chooses nothing: it leads where its absence leads, or is refused where the operation cannot do without it.
#[test]
fn an_empty_header_is_as_good_as_none() {
    let mut seen = BTreeSet::new();
    for book in books() {
        let rows = book.service.operations();
        let table = Table::new(rows.clone());
        for row in &rows {
            for sign in row.selectors {
                let (Selector::Header(name, _) | Selector::HasHeader(name) | Selector::Lacks(name)) = *sign else { continue };
                let (query, mut without) = shown(row.selectors);
                without.remove(name);
                let mut with = without.clone();
                with.insert(name, HeaderValue::from_static(""));
                for method in row.methods {
                    let find = |headers: &HeaderMap| table.find(method, row.resource, &query, headers).map(|(place, _)| place);
                    let code = |headers: &HeaderMap| find(headers).map_err(|fault| fault.code());
                    let needs = |row: &OperationSpec| row.selectors.contains(&Selector::HasHeader(name)) && row.requires(name);
                    let twin = |other: &&'static OperationSpec| {
                        other.resource == row.resource && other.methods.contains(method) && needs(other)
                    };
                    let required = needs(row) || matches!(sign, Selector::Lacks(_)) && rows.iter().any(twin);
                    let expected = if required { Err(ErrorCode::MissingRequiredHeader) } else { code(&without) };
                    assert_eq!(code(&with), expected, "{}: {method} with an empty {name}", row.name);
                    seen.insert(name);
                }
            }
        }
    }
    assert!(["if-match", "x-ms-copy-source", "x-ms-blob-type", "x-ms-type"].iter().all(|name| seen.contains(name)), "{seen:?}");
}

/// A request that shows the signs of two rows at once means the one with more of them; of two with as many, neither may take it, or
/// their order in the table would decide.
#[test]
fn no_two_rows_are_ambiguous() {
    let pairs = books().map(|book| distinguishes_pairs(&book.service.operations()));
    assert!(pairs.iter().sum::<usize>() > 10, "{pairs:?} pairs were compared");
}

/// How many pairs of rows could meet.
fn distinguishes_pairs(rows: &[&'static OperationSpec]) -> usize {
    let table = Table::new(rows.to_vec());
    let mut pairs = 0;
    for (place, one) in rows.iter().enumerate() {
        for other in &rows[place + 1..] {
            let any = |one: &OperationSpec, other: &OperationSpec| {
                one.resource == ResourceKind::Any && other.resource != ResourceKind::Site
            };
            let meet = one.resource == other.resource || any(one, other) || any(other, one);
            let Some(method) = one.methods.iter().find(|method| meet && other.methods.contains(method)) else { continue };
            let clash = |a: &Selector, b: &Selector| match (a, b) {
                (Selector::Query(a, x), Selector::Query(b, y)) | (Selector::Header(a, x), Selector::Header(b, y)) => {
                    a == b && x != y
                }
                (Selector::Lacks(a), Selector::Header(b, _) | Selector::HasHeader(b)) => a == b,
                (Selector::Header(a, _) | Selector::HasHeader(a), Selector::Lacks(b)) => a == b,
                _ => false,
            };
            if one.selectors.iter().any(|a| other.selectors.iter().any(|b| clash(a, b))) {
                continue;
            }
            pairs += 1;
            let (query, headers) = shown(one.selectors.iter().chain(other.selectors));
            let take =
                |row: &OperationSpec| SELECTING_PARAMETERS.iter().all(|name| query.get(name).is_none() || claims(row, name));
            let both = take(one) && take(other);
            assert!(!both || one.selectors.len() != other.selectors.len(), "{method}: {} or {}?", one.name, other.name);
            let shape = if one.resource == ResourceKind::Any { other.resource } else { one.resource };
            if both {
                let more = if one.selectors.len() > other.selectors.len() { one } else { other };
                assert_eq!(table.find(method, shape, &query, &headers).unwrap().1.name, more.name);
            }
        }
    }
    pairs
}

#[test]
fn names_are_unique_and_the_references_own() {
    for book in books() {
        let rows = book.service.operations();
        let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), rows.len());
        for name in names {
            assert!(name.starts_with(char::is_uppercase) && name.trim() == name && !name.contains("  "), "{name:?}");
        }
    }
}

/// Writes are refused on the secondary, reads are not; and what is read is not written.
#[test]
fn methods_and_endpoints_agree() {
    for row in books().iter().flat_map(|book| book.service.operations()) {
        let reads = match row.name {
            // It is posted because it has a body.
            "Query Blob Contents" => true,
            // It may be a query; its changes are refused by the operation itself.
            "Entity Group Transaction" => true,
            // It takes them.
            "Get Messages" => false,
            _ => row.methods.iter().all(|method| ["GET", "HEAD", "OPTIONS"].contains(method)),
        };
        assert_eq!(reads, row.is_answered_by_secondary(), "{}", row.name);
    }
}

/// Where an operation of the description is: in the table, under this name.
const BLOB_PLACES: &[(&str, &str)] = &[
    ("Service_SetProperties", "Set Blob Service Properties"),
    ("Service_GetProperties", "Get Blob Service Properties"),
    ("Service_GetStatistics", "Get Blob Service Stats"),
    ("Service_ListContainersSegment", "List Containers"),
    ("Service_GetUserDelegationKey", "Get User Delegation Key"),
    ("Service_GetAccountInfo", "Get Account Information"),
    ("Service_SubmitBatch", "Blob Batch"),
    ("Service_FilterBlobs", "Find Blobs by Tags"),
    ("Container_Create", "Create Container"),
    ("Container_GetProperties", "Get Container Properties"),
    ("Container_Delete", "Delete Container"),
    ("Container_SetMetadata", "Set Container Metadata"),
    ("Container_GetAccessPolicy", "Get Container ACL"),
    ("Container_SetAccessPolicy", "Set Container ACL"),
    ("Container_Restore", "Restore Container"),
    ("Container_Rename", "Rename Container"),
    ("Container_SubmitBatch", "Blob Batch (container)"),
    ("Container_FilterBlobs", "Find Blobs by Tags in Container"),
    ("Container_AcquireLease", "Acquire Container Lease"),
    ("Container_ReleaseLease", "Release Container Lease"),
    ("Container_RenewLease", "Renew Container Lease"),
    ("Container_BreakLease", "Break Container Lease"),
    ("Container_ChangeLease", "Change Container Lease"),
    ("Container_ListBlobFlatSegment", "List Blobs"),
    ("Container_ListBlobHierarchySegment", "List Blobs"),
    ("Container_GetAccountInfo", "Get Account Information (container)"),
    ("Blob_Download", "Get Blob"),
    ("Blob_GetProperties", "Get Blob Properties"),
    ("Blob_Delete", "Delete Blob"),
    ("PageBlob_Create", "Put Blob"),
    ("AppendBlob_Create", "Put Blob"),
    ("BlockBlob_Upload", "Put Blob"),
    ("BlockBlob_PutBlobFromUrl", "Put Blob From URL"),
    ("Blob_Undelete", "Undelete Blob"),
    ("Blob_SetExpiry", "Set Blob Expiry"),
    ("Blob_SetHTTPHeaders", "Set Blob Properties"),
    ("Blob_SetImmutabilityPolicy", "Set Blob Immutability Policy"),
    ("Blob_DeleteImmutabilityPolicy", "Delete Blob Immutability Policy"),
    ("Blob_SetLegalHold", "Set Blob Legal Hold"),
    ("Blob_SetMetadata", "Set Blob Metadata"),
    ("Blob_AcquireLease", "Acquire Blob Lease"),
    ("Blob_ReleaseLease", "Release Blob Lease"),
    ("Blob_RenewLease", "Renew Blob Lease"),
    ("Blob_ChangeLease", "Change Blob Lease"),
    ("Blob_BreakLease", "Break Blob Lease"),
    ("Blob_CreateSnapshot", "Snapshot Blob"),
    ("Blob_StartCopyFromURL", "Copy Blob"),
    ("Blob_CopyFromURL", "Copy Blob From URL"),
    ("Blob_AbortCopyFromURL", "Abort Copy Blob"),
    ("Blob_SetTier", "Set Blob Tier"),
    ("Blob_GetAccountInfo", "Get Account Information (blob)"),
    ("BlockBlob_StageBlock", "Put Block"),
    ("BlockBlob_StageBlockFromURL", "Put Block From URL"),
    ("BlockBlob_CommitBlockList", "Put Block List"),
    ("BlockBlob_GetBlockList", "Get Block List"),
    ("PageBlob_UploadPages", "Put Page"),
    ("PageBlob_ClearPages", "Put Page"),
    ("PageBlob_UploadPagesFromURL", "Put Page From URL"),
    ("PageBlob_GetPageRanges", "Get Page Ranges"),
    ("PageBlob_GetPageRangesDiff", "Get Page Ranges"),
    ("PageBlob_Resize", "Set Blob Properties"),
    ("PageBlob_UpdateSequenceNumber", "Set Blob Properties"),
    ("PageBlob_CopyIncremental", "Incremental Copy Blob"),
    ("AppendBlob_AppendBlock", "Append Block"),
    ("AppendBlob_AppendBlockFromUrl", "Append Block From URL"),
    ("AppendBlob_Seal", "Append Blob Seal"),
    ("Blob_Query", "Query Blob Contents"),
    ("Blob_GetTags", "Get Blob Tags"),
    ("Blob_SetTags", "Set Blob Tags"),
];

const LAKE_PLACES: &[(&str, &str)] = &[
    ("Service_ListFileSystems", "List Filesystems"),
    ("FileSystem_Create", "Create Filesystem"),
    ("FileSystem_SetProperties", "Set Filesystem Properties"),
    ("FileSystem_GetProperties", "Get Filesystem Properties"),
    ("FileSystem_Delete", "Delete Filesystem"),
    ("FileSystem_ListPaths", "List Paths"),
    ("Path_CreateFile", "Create File"),
    ("Path_CreateDirectory", "Create Directory"),
    ("Path_Rename", "Rename Path"),
    ("Path_SetProperties", "Set Path Properties"),
    ("Path_SetAccessControl", "Set Path Access Control"),
    ("Path_SetAccessControlRecursive", "Set Path Access Control Recursive"),
    ("Path_AppendData", "Append Data"),
    ("Path_FlushData", "Flush Data"),
    ("Path_AcquireLease", "Acquire Path Lease"),
    ("Path_RenewLease", "Renew Path Lease"),
    ("Path_ChangeLease", "Change Path Lease"),
    ("Path_ReleaseLease", "Release Path Lease"),
    ("Path_BreakLease", "Break Path Lease"),
    ("Path_Read", "Read Path"),
    ("Path_GetProperties", "Get Path Properties"),
    ("Path_GetStatus", "Get Path Status"),
    ("Path_GetAccessControl", "Get Path Access Control"),
    ("Path_CheckAccess", "Check Path Access"),
    ("Path_Delete", "Delete Path"),
];

const QUEUE_PLACES: &[(&str, &str)] = &[
    ("Service_SetProperties", "Set Queue Service Properties"),
    ("Service_GetProperties", "Get Queue Service Properties"),
    ("Service_GetStatistics", "Get Queue Service Stats"),
    ("Service_GetUserDelegationKey", "Get User Delegation Key"),
    ("Service_ListQueuesSegment", "List Queues"),
    ("Queue_Create", "Create Queue"),
    ("Queue_Delete", "Delete Queue"),
    ("Queue_GetProperties", "Get Queue Metadata"),
    ("Queue_SetMetadata", "Set Queue Metadata"),
    ("Queue_GetAccessPolicy", "Get Queue ACL"),
    ("Queue_SetAccessPolicy", "Set Queue ACL"),
    ("Messages_Dequeue", "Get Messages"),
    ("Messages_Clear", "Clear Messages"),
    ("Messages_Enqueue", "Put Message"),
    ("Messages_Peek", "Peek Messages"),
    ("MessageId_Update", "Update Message"),
    ("MessageId_Delete", "Delete Message"),
];

const TABLE_PLACES: &[(&str, &str)] = &[
    ("Table_Query", "Query Tables"),
    ("Table_Create", "Create Table"),
    ("Table_Delete", "Delete Table"),
    ("Table_QueryEntities", "Query Entities"),
    ("Table_QueryEntityWithPartitionAndRowKey", "Query Entities (one entity)"),
    ("Table_UpdateEntity", "Update Entity"),
    ("Table_MergeEntity", "Merge Entity"),
    ("Table_DeleteEntity", "Delete Entity"),
    ("Table_InsertEntity", "Insert Entity"),
    ("Table_GetAccessPolicy", "Get Table ACL"),
    ("Table_SetAccessPolicy", "Set Table ACL"),
    ("Service_SetProperties", "Set Table Service Properties"),
    ("Service_GetProperties", "Get Table Service Properties"),
    ("Service_GetStatistics", "Get Table Service Stats"),
];

/// An operation as the description has it.
struct Described {
    id: &'static str,
    method: &'static str,
    path: &'static str,
    query: Vec<(String, String)>,
    headers: HeaderMap,
}

fn described(operations: &'static str) -> Vec<Described> {
    let lines = operations.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split(' ');
            let (id, method, target) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
            let (template, query) = target.split_once('?').unwrap_or((target, ""));
            let path = match template {
                "/" => "/",
                "/{containerName}" => "/container",
                "/{containerName}/{blob}" => "/container/blob",
                "/{filesystem}" => "/container",
                "/{filesystem}/{path}" => "/container/blob",
                "/{shareName}" => "/share",
                "/{shareName}/{directory}" => "/share/directory",
                "/{shareName}/{directory}/{fileName}" => "/share/directory/file",
                "/{queueName}" => "/queue",
                "/{queueName}/messages" => "/queue/messages",
                "/{queueName}/messages/{messageid}" => "/queue/messages/id",
                "/Tables" => "/Tables",
                "/Tables('{table}')" => "/Tables('table')",
                "/{table}" => "/table",
                "/{table}()" => "/table()",
                "/{table}(PartitionKey='{partitionKey}',RowKey='{rowKey}')" => "/table(PartitionKey='p',RowKey='r')",
                other => panic!("{other}"),
            };
            let pair = |text: &str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap();
            let query = query.split('&').filter(|text| !text.is_empty()).map(pair).collect();
            let headers = words.map(pair).map(|(name, value)| (HeaderName::try_from(name).unwrap(), value.parse().unwrap()));
            Described { id, method, path, query, headers: headers.collect() }
        })
        .collect()
}

#[test]
fn every_operation_of_the_description_has_its_place() {
    for book in books() {
        has_every_operation(&book);
    }
}

fn has_every_operation(book: &Book) {
    let described = described(book.operations);
    let ids: Vec<&str> = described.iter().map(|operation| operation.id).collect();
    let placed: Vec<&str> = book.places.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, placed);

    let rows = book.service.operations();
    let table = Table::new(rows.clone());
    let mut reached: BTreeSet<&str> = book.beyond.iter().copied().collect();
    for (operation, (id, name)) in described.iter().zip(book.places) {
        let query = Query::new(&operation.query);
        let shape = target_of(&*book.service, operation.path, &query).unwrap().kind();
        let mut headers = operation.headers.clone();
        let row = rows.iter().find(|row| row.name == *name).unwrap_or_else(|| panic!("{id}: there is no {name}"));
        // The description does not count a header that any value selects by.
        headers.extend(shown(row.selectors.iter().filter(|sign| matches!(sign, Selector::HasHeader(_)))).1);
        let found = table.find(operation.method, shape, &query, &headers).unwrap().1;
        assert_eq!(found.name, *name, "{id}");
        reached.insert(name);
    }
    let unreached: Vec<&str> = rows.iter().map(|row| row.name).filter(|name| !reached.contains(name)).collect();
    assert!(unreached.is_empty(), "in no description: {unreached:?}");
    assert!(book.beyond.iter().all(|name| rows.iter().any(|row| row.name == *name)));
}

/// The target that a path names.
fn target_of(service: &dyn Service, path: &str, query: &Query) -> Result<Target, StorageError> {
    service.target(&ResourcePath { path, query })
}
