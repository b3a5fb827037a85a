//! Get User Delegation Key, for signatures on shares and files.

use crate::operation::{Operation, ServiceKind};
use crate::services::file::files::Files;
use crate::services::shared::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Operation<Files> =
    Operation { spec: delegation::ROW, start: |_, request| Ok(Box::pin(delegation::lend(ServiceKind::File, request))) };
