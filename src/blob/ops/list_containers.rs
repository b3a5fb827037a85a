//! List Containers: the account's containers in order of their names, a page at a time.

use super::super::{blobs::Blobs, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, xml::Writer};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::listing::{self, Position};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use crate::takes;
use std::sync::Arc;

pub(super) static LIST_CONTAINERS: Op<Blobs> = Op {
    row: Row {
        name: "List Containers",
        methods: &["GET"],
        shape: Shape::Service,
        signs: &[Sign::Query("comp", "list")],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Service, account: "l", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    prefix: Option<String> = Query "prefix",
    marker: Option<String> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
    include: Option<String> = Query "include",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let max = listing::maxresults(asked.maxresults.as_deref())?;
    let metadata = includes_metadata(asked.include.as_deref())?;
    let prefix = asked.prefix.as_deref().unwrap_or_default();
    let account = &call.account.name;
    let start = asked.marker.as_deref().map(|marker| Position::read_account(marker, account)).transpose()?;
    let from = start.as_ref().map(|start| start.name.as_str()).filter(|name| *name > prefix).unwrap_or(prefix);

    let containers = blobs.account(account)?.containers.read();
    let mut page = containers
        .range(Arc::<str>::from(from)..)
        .map(|(name, cell)| (&**name, cell))
        .take_while(|(name, _)| name.starts_with(prefix));

    let mut xml = Writer::new();
    xml.open_with("EnumerationResults", &[("ServiceEndpoint", &call.endpoint)]);
    xml.leaf_some("Prefix", asked.prefix.as_deref());
    xml.leaf_some("Marker", asked.marker.as_deref());
    xml.leaf_some("MaxResults", asked.maxresults.as_ref().map(|_| max.to_string()));
    xml.nest("Containers", |xml| {
        for (name, cell) in page.by_ref().take(max) {
            wire::write_container(xml, name, &cell.read(), metadata, &call);
        }
    });
    xml.leaf("NextMarker", page.next().map(|(name, _)| Position::before(name).account_marker(account)).unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(call.row.status, xml.finish()))
}

/// Reads `include=`; deleted and system containers add nothing yet.
fn includes_metadata(text: Option<&str>) -> Result<bool, Fault> {
    let mut metadata = false;
    for word in text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty()) {
        match word.to_ascii_lowercase().as_str() {
            "metadata" => metadata = true,
            "deleted" | "system" => {}
            _ => return Err(Fault::query("include", word, "Invalid query parameter value.")),
        }
    }
    Ok(metadata)
}
