//! Preflight File Request: a browser asks whether a web page may send what it means to send.

use crate::operation::{Operation, OperationSpec, ResourceKind, Secondary, Service};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::shared::preflight;

pub(super) static PREFLIGHT: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Preflight File Request",
        methods: &["OPTIONS"],
        resource: ResourceKind::Any,
        selectors: &[],
        inputs: &[preflight::FIELDS],
        requires: RequiredPermission {
            level: ResourceLevel::Service,
            account: "",
            service: "",
            public: AnonymousAccess::Everyone,
        },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |files, request| Box::pin(std::future::ready(preflight::answer(&request, &files.cors(&request.account.name)))),
};
