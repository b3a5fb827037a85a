//! Get and Set Container ACL: how public a container is, and its stored access policies.

use super::super::{blobs::Blobs, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use crate::service::policies;

pub(super) static GET_CONTAINER_ACL: Op<Blobs> = Op {
    row: Row {
        name: "Get Container ACL",
        methods: &["GET", "HEAD"],
        shape: Shape::Container,
        signs: &[Sign::Query("restype", "container"), Sign::Query("comp", "acl")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(get(blobs, call)),
};

pub(super) static SET_CONTAINER_ACL: Op<Blobs> = Op {
    row: Row {
        name: "Set Container ACL",
        methods: &["PUT"],
        shape: Shape::Container,
        signs: &[Sign::Query("restype", "container"), Sign::Query("comp", "acl")],
        takes: &[wire::ACCESS],
        permit: Permit { level: Level::Container, account: "", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Dates,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

/// The permissions that a policy of a container can give.
const LETTERS: &str = "racwdxyltfmeopi";

async fn get(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let container = blobs.container(&call)?.read();
    container.admit_self(&call)?;
    let about = container.about();
    Ok(Reply::xml(call.row.status, policies::document(&about.policies))
        .with_state(container.etag(), about.stamp)
        .with_some("x-ms-blob-public-access", about.access.name()))
}

async fn set(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    let access = wire::read_public_access(&call)?;
    let stored = policies::read(&call.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let container = blobs.container(&call)?;
    let (etag, stamp) = container
        .write(|container| {
            container.admit_self(&call)?;
            container.revise(call.now, |about| {
                about.access = access;
                about.policies = stored.into();
            });
            Ok((container.etag(), container.about().stamp))
        })
        .await?;
    Ok(Reply::new(call.row.status).with_state(etag, stamp))
}
