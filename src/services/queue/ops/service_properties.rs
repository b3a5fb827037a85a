//! Get and Set Queue Service Properties.

use crate::operation::{Operation, ServiceKind};
use crate::services::queue::queues::Queues;
use crate::services::shared::properties;

pub(super) static GET_SERVICE_PROPERTIES: Operation<Queues> = Operation {
    spec: properties::get_row("Get Queue Service Properties"),
    start: |queues, request| Ok(Box::pin(std::future::ready(properties::get(queues, &request, ServiceKind::Queue)))),
};

pub(super) static SET_SERVICE_PROPERTIES: Operation<Queues> = Operation {
    spec: properties::set_row("Set Queue Service Properties"),
    start: |queues, request| Ok(Box::pin(properties::set(queues, request, ServiceKind::Queue))),
};
