//! Get User Delegation Key, for signatures on containers, directories and blobs.

use crate::operation::{Operation, ServiceKind};
use crate::services::blob::blobs::Blobs;
use crate::services::shared::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Operation<Blobs> =
    Operation { spec: delegation::ROW, start: |_, request| Ok(Box::pin(delegation::lend(ServiceKind::Blob, request))) };
