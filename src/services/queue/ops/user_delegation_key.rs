//! Get User Delegation Key, for signatures on queues.

use crate::operation::{Operation, ServiceKind};
use crate::services::queue::queues::Queues;
use crate::services::shared::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Operation<Queues> =
    Operation { spec: delegation::ROW, start: |_, request| Ok(Box::pin(delegation::lend(ServiceKind::Queue, request))) };
