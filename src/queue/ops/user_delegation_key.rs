//! Get User Delegation Key, for signatures on queues.

use super::super::queues::Queues;
use crate::op::{Kind, Op};
use crate::service::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Op<Queues> =
    Op { row: delegation::ROW, run: |_, call| Box::pin(delegation::lend(Kind::Queue, call)) };
