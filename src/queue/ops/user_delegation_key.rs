//! Get User Delegation Key, for signatures on queues.

use super::super::queues::Queues;
use crate::op::{ServiceKind, Operation};
use crate::service::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Operation<Queues> =
    Operation { spec: delegation::ROW, run: |_, call| Box::pin(delegation::lend(ServiceKind::Queue, call)) };
