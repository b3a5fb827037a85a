//! Get User Delegation Key, for signatures on containers, directories and blobs.

use super::super::blobs::Blobs;
use crate::op::{Kind, Op};
use crate::service::delegation;

pub(super) static GET_USER_DELEGATION_KEY: Op<Blobs> =
    Op { row: delegation::ROW, run: |_, call| Box::pin(delegation::lend(Kind::Blob, call)) };
