//! Get Table Service Stats: how far the secondary has come. Only the secondary is asked; here it is never behind.

use crate::operation::{Operation, OperationSpec, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::lease::LeaseCheck;
use crate::services::shared::statistics;
use crate::services::table::Tables;

pub(super) static GET_SERVICE_STATS: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Get Table Service Stats",
        methods: &["GET"],
        resource: ResourceKind::Service,
        selectors: &[Selector::Query("restype", "service"), Selector::Query("comp", "stats")],
        inputs: &[],
        requires: RequiredPermission { level: ResourceLevel::Service, account: "r", service: "", public: AnonymousAccess::Never },
        secondary: Secondary::Only,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |_, request| Box::pin(std::future::ready(Ok(statistics::answer(&request)))),
};
