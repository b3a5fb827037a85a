//! Preflight Queue Request: a browser asks whether a web page may send what it means to send.

use crate::operation::{Access, Input, Operation, OperationSpec, ResourceKind, Service};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::services::queue::queues::Queues;
use crate::services::shared::preflight;

pub(super) static PREFLIGHT: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Preflight Queue Request",
        methods: &["OPTIONS"],
        resource: ResourceKind::Any,
        inputs: &[Input::Group(preflight::INPUTS)],
        requires: RequiredPermission {
            level: ResourceLevel::Service,
            account: "",
            service: "",
            public: AnonymousAccess::Everyone,
        },
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    },
    start: |queues, request| Ok(Box::pin(std::future::ready(preflight::answer(&request, &queues.cors(&request.account.name))))),
};
