//! Get User Delegation Key, for signatures on tables.

use super::super::Tables;
use crate::op::{Kind, Op};
use crate::service::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Op<Tables> =
    Op { row: delegation::ROW, run: |_, call| Box::pin(delegation::lend(Kind::Table, call)) };
