//! The operations of the file service, one file each; operations that differ only in a word share one.

use crate::services::file::files::Files;

operations! { Files:
    list_shares { LIST_SHARES }
    service_properties { GET_SERVICE_PROPERTIES, SET_SERVICE_PROPERTIES }
    user_delegation_key { GET_USER_DELEGATION_KEY }
    preflight { PREFLIGHT }
    create_share { CREATE_SHARE }
    share_properties { GET_SHARE_PROPERTIES, SET_SHARE_PROPERTIES }
    share_metadata { GET_SHARE_METADATA, SET_SHARE_METADATA }
    share_acl { GET_SHARE_ACL, SET_SHARE_ACL }
    share_stats { GET_SHARE_STATS }
    share_permission { CREATE_PERMISSION, GET_PERMISSION }
    snapshot_share { SNAPSHOT_SHARE }
    lease_share { ACQUIRE, RENEW, CHANGE, RELEASE, BREAK }
    delete_share { DELETE_SHARE }
    restore_share { RESTORE_SHARE }
    create_directory { CREATE_DIRECTORY }
    directory_properties { GET_DIRECTORY_PROPERTIES, SET_DIRECTORY_PROPERTIES }
    list_directory { LIST_DIRECTORIES_AND_FILES }
    delete_directory { DELETE_DIRECTORY }
    create_file { CREATE_FILE }
    get_file { GET_FILE }
    file_properties { GET_FILE_PROPERTIES, SET_FILE_PROPERTIES }
    node_metadata { GET_DIRECTORY_METADATA, SET_DIRECTORY_METADATA, GET_FILE_METADATA, SET_FILE_METADATA }
    put_range { PUT_RANGE }
    put_range_from_url { PUT_RANGE_FROM_URL }
    list_ranges { LIST_RANGES }
    lease_file { ACQUIRE, CHANGE, RELEASE, BREAK }
    delete_file { DELETE_FILE }
    copy_file { COPY_FILE }
    abort_copy { ABORT_COPY }
    rename { RENAME_FILE, RENAME_DIRECTORY }
    handles { LIST_HANDLES, FORCE_CLOSE_HANDLES }
    links { CREATE_HARD_LINK, CREATE_SYMBOLIC_LINK, GET_SYMBOLIC_LINK }
}
