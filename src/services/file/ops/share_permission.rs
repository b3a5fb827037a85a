//! Create and Get Permission: security descriptors that a share keeps, by their keys.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::security_descriptor::Format;
use crate::rules::file::{sddl, smb};
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;

pub(super) static CREATE_PERMISSION: Operation<Files> = operation!(
    create,
    OperationSpec {
        name: "Create Permission",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "filepermission")],
        requires: RequiredPermission::container("cw"),
        access: Access::Write,
        lease: LeaseCheck::IfPresent,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static GET_PERMISSION: Operation<Files> = operation!(
    get,
    OperationSpec {
        name: "Get Permission",
        methods: &["GET"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "filepermission")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::container("r"),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    key: String = Header "x-ms-file-permission-key",
    format: Option<String> = Header "x-ms-file-permission-format",
} }

/// The largest body of a Create Permission, in bytes.
const LIMIT: u64 = 64 << 10;

async fn create(files: &Files, mut request: Request) -> Result<Reply, StorageError> {
    let text = read(&request.body.bytes(LIMIT).await?)?;
    let share = files.share(&request)?;
    let key = share
        .write(|share| {
            share.admit_self(&request)?;
            Ok(share.keep_permission(&text))
        })
        .await?;
    Ok(Reply::new(request.spec.status).with("x-ms-file-permission-key", key.to_string()))
}

/// Reads `{"permission": "O:…"}`, where `format` says whether it is a text or bytes.
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

async fn get(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let format = smb::format(asked.format.as_deref())?;
    let share = files.share(&request)?.read();
    share.admit_self(&request)?;
    let key = sddl::Key::parse(&asked.key).ok_or(ErrorCode::FileInvalidPermission)?;
    let text = share.permission_text(key).ok_or(ErrorCode::ResourceNotFound)?;
    let mut document = serde_json::json!({ "permission": format.write(&text)? });
    if asked.format.is_some() {
        document["format"] = if format == Format::Binary { "binary" } else { "sddl" }.into();
    }
    Ok(Reply::new(request.spec.status).with("content-type", "application/json").text(document.to_string()))
}
