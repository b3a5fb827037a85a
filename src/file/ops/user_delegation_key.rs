//! Get User Delegation Key, for signatures on shares and files.

use super::super::files::Files;
use crate::op::{ServiceKind, Operation};
use crate::service::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Operation<Files> =
    Operation { spec: delegation::ROW, run: |_, call| Box::pin(delegation::lend(ServiceKind::File, call)) };
