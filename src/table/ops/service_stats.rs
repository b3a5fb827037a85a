//! Get Table Service Stats: how far the secondary has come. Only the secondary is asked; here it is never behind.

use super::super::Tables;
use crate::op::{Op, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, lease::Guard};
use crate::service::stats;

pub(super) static GET_SERVICE_STATS: Op<Tables> = Op {
    row: Row {
        name: "Get Table Service Stats",
        methods: &["GET"],
        shape: Shape::Service,
        signs: &[Sign::Query("restype", "service"), Sign::Query("comp", "stats")],
        takes: &[],
        permit: Permit { level: Level::Service, account: "r", service: "", public: Public::Never },
        secondary: Secondary::Only,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |_, call| Box::pin(std::future::ready(Ok(stats::answer(&call)))),
};
