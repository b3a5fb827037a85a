//! The operations of the Data Lake API.

use crate::services::blob::blobs::Blobs;

mod spec;

operations! { Blobs:
    + list_file_systems::LIST_FILE_SYSTEMS;
    list_file_systems {}
    file_system { CREATE_FILE_SYSTEM, GET_FILE_SYSTEM_PROPERTIES, SET_FILE_SYSTEM_PROPERTIES, DELETE_FILE_SYSTEM }
    list_paths { LIST_PATHS }
    create_path { CREATE_FILE, CREATE_DIRECTORY }
    read_path { READ_FILE, GET_PROPERTIES, GET_STATUS }
    set_properties { SET_PROPERTIES }
    access_control { GET_ACCESS_CONTROL, SET_ACCESS_CONTROL }
    delete_path { DELETE_PATH }
}
