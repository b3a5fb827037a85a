//! Get and Set Table Service Properties.

use super::super::Tables;
use crate::op::{Kind, Op};
use crate::service::properties;

pub(super) static GET_SERVICE_PROPERTIES: Op<Tables> = Op {
    row: properties::get_row("Get Table Service Properties"),
    run: |tables, call| Box::pin(std::future::ready(properties::get(tables, &call, Kind::Table))),
};

pub(super) static SET_SERVICE_PROPERTIES: Op<Tables> = Op {
    row: properties::set_row("Set Table Service Properties"),
    run: |tables, call| Box::pin(properties::set(tables, call, Kind::Table)),
};
