//! The operations of the Table service.

use crate::services::shared::{delegation, described, preflight, service_properties, statistics};
use crate::services::table::tables::Tables;

operations! { Tables:
    query_tables { QUERY_TABLES, GET_TABLE }
    create_table { CREATE_TABLE }
    delete_table { DELETE_TABLE }
    + described::get_acl("Get Table ACL");
    + described::set_acl("Set Table ACL");
    + service_properties::get("Get Table Service Properties");
    + service_properties::set("Set Table Service Properties");
    + statistics::get("Get Table Service Stats");
    + delegation::operation();
    + preflight::operation("Preflight Table Request");
    query_entities { QUERY_ENTITIES, GET_ENTITY }
    insert_entity { INSERT_ENTITY }
    update_entity { UPDATE_ENTITY, INSERT_OR_REPLACE_ENTITY, MERGE_ENTITY, INSERT_OR_MERGE_ENTITY }
    delete_entity { DELETE_ENTITY }
    transaction { TRANSACTION }
}
