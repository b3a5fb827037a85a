//! The queue service's operations, one room each; twins that differ in a word share one.

use crate::services::queue::queues::Queues;

operations! { Queues:
    list_queues { LIST_QUEUES }
    service_properties { GET_SERVICE_PROPERTIES, SET_SERVICE_PROPERTIES }
    service_stats { GET_SERVICE_STATS }
    user_delegation_key { GET_USER_DELEGATION_KEY }
    preflight { PREFLIGHT }
    create_queue { CREATE_QUEUE }
    delete_queue { DELETE_QUEUE }
    queue_metadata { GET_QUEUE_METADATA, SET_QUEUE_METADATA }
    queue_acl { GET_QUEUE_ACL, SET_QUEUE_ACL }
    put_message { PUT_MESSAGE }
    get_messages { GET_MESSAGES }
    peek_messages { PEEK_MESSAGES }
    update_message { UPDATE_MESSAGE }
    delete_message { DELETE_MESSAGE }
    clear_messages { CLEAR_MESSAGES }
}
