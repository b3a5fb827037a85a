//! Get User Delegation Key, for signatures on containers, directories and blobs.

use super::super::blobs::Blobs;
use crate::op::{ServiceKind, Operation};
use crate::service::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Operation<Blobs> =
    Operation { spec: delegation::ROW, run: |_, call| Box::pin(delegation::lend(ServiceKind::Blob, call)) };
