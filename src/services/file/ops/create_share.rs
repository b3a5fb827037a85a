//! Create Share.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::file::share::{Settings, SettingsInput};
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE_SHARE;
use crate::services::file::state::Share;
use crate::services::file::wire;
use crate::services::shared::resource_index::ResourceIndex;

pub(super) static CREATE_SHARE: Operation<Files> = operation!(
    run,
    (SettingsInput, Metadata),
    OperationSpec {
        name: "Create Share",
        selectors: &[Selector::Query("restype", "share")],
        lease: LeaseCheck::None,
        ..WRITE_SHARE
    }
);

async fn run(files: &Files, request: Request, (settings, metadata): (SettingsInput, Metadata)) -> Result<Reply, StorageError> {
    let settings = Settings::create(settings, request.account.premium, request.now)?;
    let share = Share::new(request.now, metadata, settings);
    let reply = wire::share_state(share.properties(), &request);
    let name = request.target.resource_name()?;
    let create = |shares: &mut ResourceIndex<Share>| {
        shares.check_free(name, request.now)?;
        shares.insert(name.into(), files.cell(share));
        Ok(())
    };
    files.write_index(&request, create).await?;
    Ok(wire::with_provision(reply, &settings))
}
