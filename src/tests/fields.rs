//! The fields that an operation reads, for the tests of the tables of operations.

use crate::operation::{EncryptionCheck, Field, FieldLocation, Input, OperationSpec};
use crate::rules::conditions::ConditionSupport;
use crate::rules::lease::LeaseCheck;
use crate::rules::{conditions, encryption};

/// Every field that the operation reads: its inputs, and what its conditions, its lease and its encryption imply.
pub fn fields(spec: &OperationSpec) -> Vec<Field> {
    let mut fields = declared(spec.inputs);
    let plain = conditions::PLAIN;
    let dates = [plain.if_modified_since, plain.if_unmodified_since];
    let all = [plain.if_match, plain.if_none_match, plain.if_modified_since, plain.if_unmodified_since, plain.if_tags];
    let implied: &[&'static str] = match spec.conditions {
        ConditionSupport::None => &[],
        ConditionSupport::Dates => &dates,
        _ => &all,
    };
    let lease = (spec.lease != LeaseCheck::None).then_some("x-ms-lease-id");
    let encryption = encryption::PLAIN;
    let keys = [Some(encryption.key), Some(encryption.sha256), Some(encryption.algorithm), encryption.scope];
    let keys = keys.into_iter().flatten().filter(|_| spec.encryption != EncryptionCheck::None);
    for name in implied.iter().copied().chain(lease).chain(keys) {
        if !fields.iter().any(|field| field.name == name) {
            fields.push(Field { location: FieldLocation::Header, name, required: false });
        }
    }
    fields
}

/// All fields of these inputs, in order of declaration.
fn declared(inputs: &'static [Input]) -> Vec<Field> {
    let mut fields = Vec::new();
    for input in inputs {
        match input {
            Input::Field(field) => fields.push(*field),
            Input::Headers(names) => {
                fields.extend(names.iter().map(|name| Field { location: FieldLocation::Header, name, required: false }));
            }
            Input::Group(group) => fields.extend(declared(group)),
        }
    }
    fields
}
