//! Who calls and what the caller may do: signatures (`shared_key`, `sas`, `delegation`) and tokens (`token`) identify the caller, who is
//! compared with the permission of the operation (`permissions`); principals have roles (`principals`, `roles`).

pub mod delegation;
pub mod permissions;
pub mod principals;
pub mod roles;
pub mod sas;
pub mod shared_key;
pub mod token;
