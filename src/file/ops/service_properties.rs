//! Get and Set File Service Properties.

use super::super::files::Files;
use crate::op::{Kind, Op, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, lease::Guard};
use crate::service::properties;

const SIGNS: &[Sign] = &[Sign::Query("restype", "service"), Sign::Query("comp", "properties")];

pub(super) static GET_SERVICE_PROPERTIES: Op<Files> = Op {
    row: Row {
        name: "Get File Service Properties",
        methods: &["GET"],
        shape: Shape::Service,
        signs: SIGNS,
        takes: &[],
        permit: Permit { level: Level::Service, account: "r", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |files, call| Box::pin(std::future::ready(properties::get(files, &call, Kind::File))),
};

pub(super) static SET_SERVICE_PROPERTIES: Op<Files> = Op {
    row: Row {
        name: "Set File Service Properties",
        methods: &["PUT"],
        shape: Shape::Service,
        signs: SIGNS,
        takes: &[],
        permit: Permit { level: Level::Service, account: "w", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 202,
    },
    run: |files, call| Box::pin(properties::set(files, call, Kind::File)),
};
