//! Get User Delegation Key, for signatures on shares and files.

use super::super::files::Files;
use crate::op::{Kind, Op};
use crate::service::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Op<Files> =
    Op { row: delegation::ROW, run: |_, call| Box::pin(delegation::lend(Kind::File, call)) };
