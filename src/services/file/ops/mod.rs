//! The operations of the file service, one file each; operations that differ only in a word share one.

use crate::services::file::files::Files;
use crate::services::file::ops::lease_file::LeasedFile;
use crate::services::file::ops::lease_share::LeasedShare;
use crate::services::shared::lease::{Acquire, Break, Change, Release, Renew};
use crate::services::shared::{delegation, described, lease, listing, preflight, restore, service_properties};

mod spec;

operations! { Files:
    + listing::operation("List Shares");
    + service_properties::get("Get File Service Properties");
    + service_properties::set("Set File Service Properties");
    + delegation::operation();
    + preflight::operation("Preflight File Request");
    create_share { CREATE_SHARE }
    share_properties { GET_SHARE_PROPERTIES, SET_SHARE_PROPERTIES }
    + described::get_metadata("Get Share Metadata");
    + described::set_metadata("Set Share Metadata");
    + described::get_acl("Get Share ACL");
    + described::set_acl("Set Share ACL");
    share_stats { GET_SHARE_STATS }
    share_permission { CREATE_PERMISSION, GET_PERMISSION }
    snapshot_share { SNAPSHOT_SHARE }
    lease_share {}
    + lease::operation::<LeasedShare, Acquire>("Acquire Share Lease");
    + lease::operation::<LeasedShare, Renew>("Renew Share Lease");
    + lease::operation::<LeasedShare, Change>("Change Share Lease");
    + lease::operation::<LeasedShare, Release>("Release Share Lease");
    + lease::operation::<LeasedShare, Break>("Break Share Lease");
    delete_share { DELETE_SHARE }
    + restore::operation("Restore Share");
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
    lease_file {}
    + lease::operation::<LeasedFile, Acquire>("Acquire File Lease");
    + lease::operation::<LeasedFile, Change>("Change File Lease");
    + lease::operation::<LeasedFile, Release>("Release File Lease");
    + lease::operation::<LeasedFile, Break>("Break File Lease");
    delete_file { DELETE_FILE }
    copy_file { COPY_FILE }
    abort_copy { ABORT_COPY }
    rename { RENAME_FILE, RENAME_DIRECTORY }
    handles { LIST_HANDLES, FORCE_CLOSE_HANDLES }
    links { CREATE_HARD_LINK, CREATE_SYMBOLIC_LINK, GET_SYMBOLIC_LINK }
}
