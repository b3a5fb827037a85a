//! Set Blob Expiry: when a blob is to be gone. Only accounts with a hierarchical namespace have it.

use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::expiry::Ask;
use crate::rules::fault::{Code, Fault};
use crate::rules::time::Timestamp;
use crate::rules::{condition::Accepts, lease::Guard};
use crate::takes;

pub(super) static SET_EXPIRY: Op<Blobs> = Op {
    row: Row {
        name: "Set Blob Expiry",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "expiry")],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    option: String = Header "x-ms-expiry-option",
    time: Option<String> = Header "x-ms-expiry-time",
} }

takes! {
    /// The same of a blob that is being made: Put Blob.
    OfNew {
        option: Option<String> = Header "x-ms-expiry-option",
        time: Option<String> = Header "x-ms-expiry-time",
    }
}

impl OfNew {
    /// When the blob that a call makes is to be gone.
    ///
    /// # Errors
    /// As the operation's own.
    pub(super) fn read(call: &Call) -> Result<Option<Timestamp>, Fault> {
        let asked = OfNew::of(call)?;
        let Some(option) = asked.option else { return Ok(None) };
        check_account(call)?;
        Ask::read(&option, asked.time.as_deref())?.at(call.now, call.now)
    }
}

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    check_account(&call)?;
    let asked = Asked::of(&call)?;
    let ask = Ask::read(&asked.option, asked.time.as_deref())?;
    let container = blobs.container(&call)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&call)?;
            let expires = ask.at(admitted.created, call.now)?;
            Ok(container.amend(admitted, |blob| blob.expires = expires))
        })
        .await?;
    // Recorded: the state is the same as before.
    Ok(Reply::new(call.row.status).with_state(blob.etag(), blob.stamp))
}

fn check_account(call: &Call) -> Result<(), Fault> {
    if call.account.hns { Ok(()) } else { Err(Code::HierarchicalNamespaceNotEnabled.into()) }
}
