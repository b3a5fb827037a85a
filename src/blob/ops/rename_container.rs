//! Rename Container: its blobs and its policies keep what they are under another name of the account. Its lease ends.

use super::super::blobs::Blobs;
use super::super::state::Container;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::condition::Accepts;
use crate::rules::fault::{Code, Fault};
use crate::rules::lease::{self, Guard, Subject};
use crate::rules::name;
use crate::takes;

pub(super) static RENAME_CONTAINER: Op<Blobs> = Op {
    row: Row {
        name: "Rename Container",
        methods: &["PUT"],
        shape: Shape::Container,
        signs: &[Sign::Query("restype", "container"), Sign::Query("comp", "rename")],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Container, account: "w", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    source: String = Header "x-ms-source-container-name",
    source_lease: Option<lease::Id> = Header "x-ms-source-lease-id",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let account = blobs.account(&call.account.name)?;
    account
        .named
        .write(|containers| {
            // Recorded: a name that is taken is refused before the source is looked for.
            containers.check_free(call.container(), call.now)?;
            if [call.container(), &asked.source].iter().any(|container| name::SYSTEM.contains(container)) {
                return Err(Code::AuthorizationFailure.into());
            }
            let cell = containers.remove(asked.source.as_str()).ok_or(Code::ContainerNotFound)?;
            let renew = |container: &mut Container| {
                lease::admit(container.lease(), Guard::Write, asked.source_lease, Subject::Container, call.now)?;
                container.renew(call.now);
                Ok(())
            };
            cell.edit(renew, false)?;
            containers.insert(call.container().into(), cell);
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
