//! Get User Delegation Key, for signatures on tables.

use crate::operation::{Operation, ServiceKind};
use crate::services::shared::delegation;
use crate::services::table::Tables;

pub(super) static GET_USER_DELEGATION_KEY: Operation<Tables> =
    Operation { spec: delegation::ROW, start: |_, request| Ok(Box::pin(delegation::lend(ServiceKind::Table, request))) };
