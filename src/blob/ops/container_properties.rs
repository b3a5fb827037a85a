//! Get Container Properties.
use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use super::super::wire;
use crate::rules::version::Version;

pub(super) static GET_CONTAINER_PROPERTIES: Op<Blobs> = Op {
    row: Row {
        name: "Get Container Properties",
        methods: &["GET", "HEAD"],
        shape: Shape::Container,
        signs: &[Sign::Query("restype", "container")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "r", service: "", public: Public::Container },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let container = blobs.container(&call)?.read();
    container.admit_self(&call)?;
    let about = container.about();
    let mut reply = Reply::new(call.row.status)
        .with_state(container.etag(), about.stamp)
        .with_metadata(&about.metadata)
        .with_some("x-ms-blob-public-access", about.access.name());
    if call.version >= Version::V2017_11_09 {
        reply = reply.with("x-ms-has-immutability-policy", "false").with("x-ms-has-legal-hold", "false");
    }
    if call.version >= Version::V2019_02_02 {
        let (scope, deny) = wire::preset_told(&about.encryption);
        reply = reply.with("x-ms-default-encryption-scope", scope).with("x-ms-deny-encryption-scope-override", deny);
    }
    if call.version >= Version::V2020_10_02 {
        reply = reply.with("x-ms-immutable-storage-with-versioning-enabled", call.account.immutability.to_string());
    }
    Ok(wire::with_lease(reply, container.lease(), call.now))
}
