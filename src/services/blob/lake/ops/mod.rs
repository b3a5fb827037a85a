//! The operations of the Data Lake API.

use crate::services::blob::blobs::Blobs;
use crate::services::shared::lease::{Acquire, Break, Change, Release, Renew};

mod spec;

operations! { Blobs:
    + list_file_systems::LIST_FILE_SYSTEMS;
    list_file_systems {}
    file_system { CREATE_FILE_SYSTEM, GET_FILE_SYSTEM_PROPERTIES, SET_FILE_SYSTEM_PROPERTIES, DELETE_FILE_SYSTEM }
    list_paths { LIST_PATHS }
    create_path { CREATE_FILE, CREATE_DIRECTORY }
    rename_path { RENAME_PATH }
    append { APPEND_DATA, FLUSH_DATA }
    read_path { READ_FILE, GET_PROPERTIES, GET_STATUS }
    set_properties { SET_PROPERTIES }
    access_control { GET_ACCESS_CONTROL, SET_ACCESS_CONTROL }
    recursive_access_control { SET_ACCESS_CONTROL_RECURSIVE }
    check_access { CHECK_ACCESS }
    lease_path {}
    + lease_path::operation::<Acquire>("Acquire Path Lease");
    + lease_path::operation::<Renew>("Renew Path Lease");
    + lease_path::operation::<Change>("Change Path Lease");
    + lease_path::operation::<Release>("Release Path Lease");
    + lease_path::operation::<Break>("Break Path Lease");
    delete_path { DELETE_PATH }
}
