//! The operations of the Queue service.

use crate::services::queue::queues::Queues;
use crate::services::shared::{delegation, described, listing, preflight, service_properties, statistics};

operations! { Queues:
    + listing::operation("List Queues");
    + service_properties::get("Get Queue Service Properties");
    + service_properties::set("Set Queue Service Properties");
    + statistics::get("Get Queue Service Stats");
    + delegation::operation();
    + preflight::operation("Preflight Queue Request");
    create_queue { CREATE_QUEUE }
    delete_queue { DELETE_QUEUE }
    + described::get_metadata("Get Queue Metadata");
    + described::set_metadata("Set Queue Metadata");
    + described::get_acl("Get Queue ACL");
    + described::set_acl("Set Queue ACL");
    put_message { PUT_MESSAGE }
    get_messages { GET_MESSAGES }
    peek_messages { PEEK_MESSAGES }
    update_message { UPDATE_MESSAGE }
    delete_message { DELETE_MESSAGE }
    clear_messages { CLEAR_MESSAGES }
}
