//! Preflight Table Request: a browser asks whether a web page may send what it means to send.

use super::super::Tables;
use crate::op::{Op, Row, Secondary, Service, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, lease::Guard};
use crate::service::preflight;

pub(super) static PREFLIGHT: Op<Tables> = Op {
    row: Row {
        name: "Preflight Table Request",
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
    run: |tables, call| Box::pin(std::future::ready(preflight::answer(&call, &tables.cors(&call.account.name)))),
};
