//! Get Queue Service Stats: how far the secondary has come. Only the secondary is asked; here it is never behind.

use super::super::queues::Queues;
use crate::op::{Operation, OperationSpec, Secondary, ResourceKind, Selector};
use crate::rules::access::{ResourceLevel, RequiredPermission, AnonymousAccess};
use crate::rules::{condition::ConditionSupport, lease::LeaseCheck};
use crate::service::stats;

pub(super) static GET_SERVICE_STATS: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Get Queue Service Stats",
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
    run: |_, call| Box::pin(std::future::ready(Ok(stats::answer(&call)))),
};
