//! Preflight Blob Request: a browser asks whether a web page may send what it means to send.

use crate::operation::{Operation, OperationSpec, ResourceKind, Secondary, Service};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::shared::preflight;

pub(super) static PREFLIGHT: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Preflight Blob Request",
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
    run: |blobs, request| Box::pin(std::future::ready(preflight::answer(&request, &blobs.cors(&request.account.name)))),
};
