//! Get Account Information, asked of the service, a container or a blob: the answer is the same.

use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard, version::Version};

pub(super) static GET_ACCOUNT_INFORMATION: Op<Blobs> = at("Get Account Information", Shape::Service, Level::Service);
pub(super) static GET_CONTAINER_ACCOUNT_INFORMATION: Op<Blobs> =
    at("Get Account Information (container)", Shape::Container, Level::Container);
pub(super) static GET_BLOB_ACCOUNT_INFORMATION: Op<Blobs> = at("Get Account Information (blob)", Shape::Blob, Level::Object);

/// Every letter that a SAS for blobs can have: it tells nothing that the holder of one may not know.
const ANY: &str = "racwdxyltfmeopiu";

const fn at(name: &'static str, shape: Shape, level: Level) -> Op<Blobs> {
    Op {
        row: Row {
            name,
            methods: &["GET", "HEAD"],
            shape,
            signs: &[Sign::Query("restype", "account"), Sign::Query("comp", "properties")],
            takes: &[],
            permit: Permit { level, account: ANY, service: ANY, public: Public::Container },
            secondary: Secondary::Allowed,
            accepts: Accepts::None,
            lease: Guard::None,
            status: 200,
        },
        run: |_, call| Box::pin(run(call)),
    }
}

async fn run(call: Call) -> Result<Reply, Fault> {
    let sku = if call.account.premium { "Premium_LRS" } else { "Standard_RAGRS" };
    let reply = Reply::new(call.row.status).with("x-ms-sku-name", sku).with("x-ms-account-kind", "StorageV2");
    let hns = (call.version >= Version::V2019_07_07).then_some(if call.account.hns { "true" } else { "false" });
    Ok(reply.with_some("x-ms-is-hns-enabled", hns))
}
