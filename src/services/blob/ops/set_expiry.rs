//! Set Blob Expiry: when a blob is to be gone. Only accounts with a hierarchical namespace have it.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::expiry::ExpiryOption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;

pub(super) static SET_EXPIRY: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Set Blob Expiry",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "expiry")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    option: String = Header "x-ms-expiry-option",
    time: Option<String> = Header "x-ms-expiry-time",
} }

input! {
/// The same of a blob that is being made: Put Blob.
    pub(super) OfNew {
        option: Option<String> = Header "x-ms-expiry-option",
        time: Option<String> = Header "x-ms-expiry-time",
    }
}

impl OfNew {
    /// When the blob that a call makes is to be gone.
    ///
    /// # Errors
    /// As the operation's own.
    pub(super) fn read(request: &Request) -> Result<Option<Timestamp>, StorageError> {
        let asked = request.parse::<OfNew>()?;
        let Some(option) = asked.option else { return Ok(None) };
        check_account(request)?;
        ExpiryOption::read(&option, asked.time.as_deref())?.at(request.now, request.now)
    }
}

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    check_account(&request)?;
    let asked = request.parse::<Asked>()?;
    let ask = ExpiryOption::read(&asked.option, asked.time.as_deref())?;
    let container = blobs.container(&request)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            let expires = ask.at(admitted.created, request.now)?;
            Ok(container.amend(admitted, |blob| blob.expires = expires))
        })
        .await?;
    // Recorded: the state is the same as before.
    Ok(Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified))
}

fn check_account(request: &Request) -> Result<(), StorageError> {
    if request.account.hns { Ok(()) } else { Err(ErrorCode::HierarchicalNamespaceNotEnabled.into()) }
}
