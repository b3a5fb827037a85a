//! Create and Get Permission: the security descriptors that a share stores, by their keys.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::security_descriptor::Format;
use crate::rules::file::{sddl, smb};
use crate::rules::wire_name::WireName;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::{READ_SHARE, WRITE_SHARE};
use crate::services::file::state::Share;

pub(super) static CREATE_PERMISSION: Operation<Files> = operation!(
    create,
    OperationSpec {
        name: "Create Permission",
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "filepermission")],
        requires: RequiredPermission::container("cw")
            .actions(&[&[RoleAction::FileModifyPermissions, RoleAction::FileWriteBackup]]),
        ..WRITE_SHARE
    }
);

pub(super) static GET_PERMISSION: Operation<Files> = operation!(
    get,
    GetInput,
    OperationSpec {
        name: "Get Permission",
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "filepermission")],
        requires: RequiredPermission::container("r").actions(&[&[RoleAction::FileRead, RoleAction::FileReadBackup]]),
        ..READ_SHARE
    }
);

input! { pub(super) GetInput {
    key: String = Header "x-ms-file-permission-key",
    format: Option<Format> = Header "x-ms-file-permission-format",
} }

from_text! { Format: Format::parse; }

/// The largest body of a Create Permission, in bytes.
const LIMIT: u64 = 64 << 10;

async fn create(files: &Files, mut request: Request) -> Result<Reply, StorageError> {
    let text = read(&request.body.bytes(LIMIT).await?)?;
    let store = |share: &mut Share| {
        share.admit_share(&request, None)?;
        Ok(share.store_permission(&text))
    };
    let key = files.write(&request, store).await?;
    Ok(Reply::new(request.spec.status).with("x-ms-file-permission-key", key.to_string()))
}

/// Parses `{"permission": "O:…"}`. `format` is the format of the permission: SDDL or binary.
fn read(body: &[u8]) -> Result<String, StorageError> {
    let bad = |why: String| ErrorCode::InvalidInput.with_reason(why);
    let document: serde_json::Value = serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
    let field = |name: &str| document.get(name).or_else(|| document.get(capitalized(name)));
    let format = smb::format(field("format").and_then(serde_json::Value::as_str))?;
    let text = field("permission").and_then(serde_json::Value::as_str);
    let text = text.ok_or_else(|| bad("the body has no permission".to_owned()))?;
    format.read(text)
}

fn capitalized(name: &str) -> &'static str {
    if name == "format" { "Format" } else { "Permission" }
}

async fn get(files: &Files, request: Request, input: GetInput) -> Result<Reply, StorageError> {
    let key = sddl::Key::parse(&input.key).ok_or(ErrorCode::FileInvalidPermission)?;
    let share = files.resource(&request)?.read();
    share.admit_share(&request, None)?;
    let text = share.permission_text(key).ok_or(ErrorCode::ResourceNotFound)?;
    let mut document = serde_json::json!({ "permission": input.format.unwrap_or(Format::Sddl).write(&text)? });
    if let Some(format) = input.format {
        document["format"] = if format == Format::Binary { "binary" } else { "sddl" }.into();
    }
    Ok(Reply::new(request.spec.status).with("content-type", "application/json").text(document.to_string()))
}
