//! List Queues: the account's queues in order of their names, a page at a time.

use crate::operation::{Access, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::listing::PAGE;
use crate::services::queue::queues::Queues;
use crate::services::shared::listing;

pub(super) static LIST_QUEUES: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "List Queues",
        methods: &["GET"],
        resource: ResourceKind::Service,
        selectors: &[Selector::Query("comp", "list")],
        inputs: &[Input::Group(listing::INPUTS)],
        requires: RequiredPermission::service("l").account_sas_only(),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

/// What `include=` may ask for.
const INCLUDE: &[&str] = &["metadata"];

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let named = queues.account(&request.account.name)?.resources.read();
    let listed = listing::answer(&request, &named, "Queues", INCLUDE, |xml, name, queue, include| {
        xml.open("Queue").leaf("Name", name);
        if include.contains(&"metadata") {
            xml.nest("Metadata", |xml| queue.metadata().iter().for_each(|(name, value)| _ = xml.leaf(name, value)));
        }
        xml.close("Queue");
    });
    // A page of no length is what other services call an input out of range, and this one names the parameter.
    listed.map_err(|error| match (error.code(), request.query.get("maxresults")) {
        (ErrorCode::OutOfRangeInput, Some(text)) => StorageError::out_of_range_query("maxresults", text, 1, PAGE as u64),
        _ => error,
    })
}
