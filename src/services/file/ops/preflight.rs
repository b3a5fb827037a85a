//! Preflight File Request: a browser asks whether a web page may send a request.

use crate::operation::{Operation, OperationSpec, ResourceKind, Service};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::services::file::files::Files;
use crate::services::shared::preflight;

pub(super) static PREFLIGHT: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Preflight File Request",
        methods: &["OPTIONS"],
        resource: ResourceKind::Any,
        inputs: preflight::INPUTS,
        requires: RequiredPermission {
            level: ResourceLevel::Service,
            account: "",
            service: "",
            public: AnonymousAccess::Everyone,
        },
        ..OperationSpec::DEFAULT
    },
    start: |files, request| Ok(Box::pin(std::future::ready(preflight::answer(&request, &files.cors(&request.account.name))))),
};
