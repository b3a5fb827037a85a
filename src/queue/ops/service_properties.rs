//! Get and Set Queue Service Properties.

use super::super::queues::Queues;
use crate::op::{Kind, Op};
use crate::service::properties;

pub(super) static GET_SERVICE_PROPERTIES: Op<Queues> = Op {
    row: properties::get_row("Get Queue Service Properties"),
    run: |queues, call| Box::pin(std::future::ready(properties::get(queues, &call, Kind::Queue))),
};

pub(super) static SET_SERVICE_PROPERTIES: Op<Queues> = Op {
    row: properties::set_row("Set Queue Service Properties"),
    run: |queues, call| Box::pin(properties::set(queues, call, Kind::Queue)),
};
