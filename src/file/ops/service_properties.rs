//! Get and Set File Service Properties.

use super::super::files::Files;
use crate::op::{Kind, Op};
use crate::service::properties;

pub(super) static GET_SERVICE_PROPERTIES: Op<Files> = Op {
    row: properties::get_row("Get File Service Properties"),
    run: |files, call| Box::pin(std::future::ready(properties::get(files, &call, Kind::File))),
};

pub(super) static SET_SERVICE_PROPERTIES: Op<Files> = Op {
    row: properties::set_row("Set File Service Properties"),
    run: |files, call| Box::pin(properties::set(files, call, Kind::File)),
};
