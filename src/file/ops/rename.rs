//! Rename File and Rename Directory: a new name for what has another, in the same share. Nothing below a directory is touched.

use super::super::files::Files;
use super::super::node::Body;
use super::super::state::{Want, dots};
use super::super::wire;
use crate::op::{Call, Done, Field, Found, METADATA, Op, Opens, Reach, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::file_name::Path;
use crate::rules::handle::Touch;
use crate::rules::{condition::Accepts, lease, lease::Guard};
use crate::takes;

pub(super) static RENAME_FILE: Op<Files> = row(
    "Rename File",
    &[Sign::Query("comp", "rename")],
    &[Asked::FIELDS, wire::SMB, wire::DOTS, wire::SOURCE_DOTS, METADATA, &[CONTENT_TYPE]],
    |files, call| Box::pin(run(files, call, Want::File)),
);
pub(super) static RENAME_DIRECTORY: Op<Files> = row(
    "Rename Directory",
    &[Sign::Query("restype", "directory"), Sign::Query("comp", "rename")],
    &[Asked::FIELDS, wire::SMB, wire::DOTS, wire::SOURCE_DOTS, METADATA],
    |files, call| Box::pin(run(files, call, Want::Directory)),
);

const CONTENT_TYPE: Field = wire::CONTENT[0];

const fn row(
    name: &'static str,
    signs: &'static [Sign],
    takes: &'static [&'static [Field]],
    run: for<'a> fn(&'a Files, Call) -> Done<'a>,
) -> Op<Files> {
    Op {
        row: Row {
            name,
            methods: &["PUT"],
            shape: Shape::Path,
            signs,
            takes,
            permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
            secondary: Secondary::Refused,
            accepts: Accepts::None,
            lease: Guard::None,
            status: 200,
        },
        run,
    }
}

takes! { Asked {
    source: String = Header "x-ms-file-rename-source",
    replace: Option<bool> = Header "x-ms-file-rename-replace-if-exists",
    ignore_readonly: Option<bool> = Header "x-ms-file-rename-ignore-readonly",
    source_lease: Option<lease::Id> = Header "x-ms-source-lease-id",
    target_lease: Option<lease::Id> = Header "x-ms-destination-lease-id",
} }

/// What a rename needs of its source. The SDKs' tests rename with a signature that may read and write alone.
const MOVES: Reach = Reach {
    header: "x-ms-file-rename-source",
    permit: Permit { level: Level::Object, account: "dw", service: "dw", public: Public::Never },
    opens: Opens::Caller,
};

async fn run(files: &Files, call: Call, want: Want) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let given = wire::given(&call)?;
    let metadata = call.metadata()?;
    let content_type = wire::text(&call, "x-ms-content-type");
    let Found::Here(source) = call.sources.find_for(&call, &asked.source, MOVES)? else {
        return Err(Fault::header("x-ms-file-rename-source", asked.source));
    };
    if source.account.name != call.account.name || source.target.container != call.container() {
        return Err(Code::InvalidInput.because("what is renamed stays in its share"));
    }
    let from = Path::parse(&source.target.blob, dots(&call, "x-ms-source-allow-trailing-dot")?)?;
    let (replace, despite) = (asked.replace == Some(true), asked.ignore_readonly == Some(true));
    let share = files.share(&call)?;
    let (node, parent) = share
        .write(|share| {
            let moved = share.admit_at(&from, want, Touch::Remove, asked.source_lease, call.now, despite)?;
            let claimed = share.claim_for(&call, &moved, replace, despite, asked.target_lease)?;
            let (before, parent) = (moved.smb, claimed.parent());
            let permission = share.permission(&given, moved.sort(), Some(before.permission))?;
            let smb = given.revise(moved.sort(), before, None, permission, call.now)?;
            let node = share.rename(&moved, &claimed, call.now, |node| {
                node.smb = smb;
                if !metadata.is_empty() {
                    node.metadata = metadata;
                }
                if let (Body::File(file), Some(kind)) = (&mut node.body, content_type) {
                    file.headers.content_type = Some(kind.into());
                }
            })?;
            Ok((node, parent))
        })
        .await?;
    Ok(wire::written(&node, parent, &call))
}
