//! Set Blob Expiry: when a blob is to be gone. Only accounts with a hierarchical namespace have it.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::blob::expiry::ExpiryOption;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;
use crate::takes;

pub(super) static SET_EXPIRY: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Set Blob Expiry",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "expiry")],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "w", service: "w", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::Required,
        status: 200,
    },
    run: |blobs, request| Box::pin(run(blobs, request)),
};

takes! { Asked {
    option: String = Header "x-ms-expiry-option",
    time: Option<String> = Header "x-ms-expiry-time",
} }

takes! {
    /// The same of a blob that is being made: Put Blob.
    OfNew {
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
        let asked = OfNew::of(request)?;
        let Some(option) = asked.option else { return Ok(None) };
        check_account(request)?;
        ExpiryOption::read(&option, asked.time.as_deref())?.at(request.now, request.now)
    }
}

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    check_account(&request)?;
    let asked = Asked::of(&request)?;
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
