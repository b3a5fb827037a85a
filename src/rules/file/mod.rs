//! Rules that only the File service has.

pub mod handle;
pub mod path;
pub mod posix;
pub mod sddl;
pub mod security_descriptor;
pub mod share;
pub mod smb;
