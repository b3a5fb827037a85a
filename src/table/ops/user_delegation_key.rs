//! Get User Delegation Key, for signatures on tables.

use super::super::Tables;
use crate::op::{ServiceKind, Operation};
use crate::service::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Operation<Tables> =
    Operation { spec: delegation::ROW, run: |_, call| Box::pin(delegation::lend(ServiceKind::Table, call)) };
