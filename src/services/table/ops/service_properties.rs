//! Get and Set Table Service Properties.

use crate::operation::{Operation, ServiceKind};
use crate::services::shared::properties;
use crate::services::table::Tables;

pub(super) static GET_SERVICE_PROPERTIES: Operation<Tables> = Operation {
    spec: properties::get_row("Get Table Service Properties"),
    start: |tables, request| Ok(Box::pin(std::future::ready(properties::get(tables, &request, ServiceKind::Table)))),
};

pub(super) static SET_SERVICE_PROPERTIES: Operation<Tables> = Operation {
    spec: properties::set_row("Set Table Service Properties"),
    start: |tables, request| Ok(Box::pin(properties::set(tables, request, ServiceKind::Table))),
};
