//! Preflight Blob Request: a browser asks whether a web page may send what it means to send.

use super::super::blobs::Blobs;
use crate::op::{Operation, OperationSpec, Secondary, Service, ResourceKind};
use crate::rules::access::{ResourceLevel, RequiredPermission, AnonymousAccess};
use crate::rules::{condition::ConditionSupport, lease::LeaseCheck};
use crate::service::preflight;

pub(super) static PREFLIGHT: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Preflight Blob Request",
        methods: &["OPTIONS"],
        resource: ResourceKind::Any,
        selectors: &[],
        inputs: &[preflight::FIELDS],
        requires: RequiredPermission { level: ResourceLevel::Service, account: "", service: "", public: AnonymousAccess::Everyone },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(std::future::ready(preflight::answer(&call, &blobs.cors(&call.account.name)))),
};
