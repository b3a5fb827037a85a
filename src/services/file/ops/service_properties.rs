//! Get and Set File Service Properties.

use crate::operation::{Operation, ServiceKind};
use crate::services::file::files::Files;
use crate::services::shared::properties;

pub(super) static GET_SERVICE_PROPERTIES: Operation<Files> = Operation {
    spec: properties::get_row("Get File Service Properties"),
    start: |files, request| Ok(Box::pin(std::future::ready(properties::get(files, &request, ServiceKind::File)))),
};

pub(super) static SET_SERVICE_PROPERTIES: Operation<Files> = Operation {
    spec: properties::set_row("Set File Service Properties"),
    start: |files, request| Ok(Box::pin(properties::set(files, request, ServiceKind::File))),
};
