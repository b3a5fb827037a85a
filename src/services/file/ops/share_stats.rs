//! Get Share Stats: how many bytes the files of a share have.

use crate::operation::xml::Writer;
use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;

pub(super) static GET_SHARE_STATS: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Get Share Stats",
        methods: &["GET"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "stats")],
        inputs: &[],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "r",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |files, request| Box::pin(run(files, request)),
};

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let share = files.share(&request)?.read();
    let view = share.admit_self(&request)?;
    let mut xml = Writer::new();
    xml.open("ShareStats").leaf("ShareUsageBytes", view.tree.used().to_string()).close("ShareStats");
    let stamp = view.about.last_modified;
    Ok(Reply::xml(request.spec.status, xml.finish()).with_state(ETag::of(stamp), stamp))
}
