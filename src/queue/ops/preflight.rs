//! Preflight Queue Request: a browser asks whether a web page may send what it means to send.

use super::super::queues::Queues;
use crate::op::{Op, Row, Secondary, Service, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, lease::Guard};
use crate::service::preflight;

pub(super) static PREFLIGHT: Op<Queues> = Op {
    row: Row {
        name: "Preflight Queue Request",
        methods: &["OPTIONS"],
        shape: Shape::Any,
        signs: &[],
        takes: &[preflight::FIELDS],
        permit: Permit { level: Level::Service, account: "", service: "", public: Public::Everyone },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |queues, call| Box::pin(std::future::ready(preflight::answer(&call, &queues.cors(&call.account.name)))),
};
