//! The bytes of the values that records hold as they are: each as the tuple of its fields, its variant a number before them.

use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::blob::immutability::{self, PolicyMode, Protection};
use crate::rules::blob::last_access::LastAccess;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::{CurrentTier, RehydratePriority, Rehydration, Tier};
use crate::rules::cors::CorsRule;
use crate::rules::encryption::{DefaultEncryption, Encryption};
use crate::rules::file::posix::Posix;
use crate::rules::file::sddl;
use crate::rules::file::share::{Protocol, RootSquash, Settings, Tier as ShareTier};
use crate::rules::file::smb::{Attributes, Smb};
use crate::rules::lake::acl::{Acl, AclEntries, NewAccess};
use crate::rules::lake::append::WrittenBy;
use crate::rules::lake::path::PathKind;
use crate::rules::lake::permissions::Permissions;
use crate::rules::lease::{Lease, LeaseDuration, LeaseId};
use crate::rules::metadata::Metadata;
use crate::rules::queue::message::{Message, Receipt};
use crate::rules::retention::Deletion;
use crate::rules::table::entity::{Entity, Value};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::services::shared::content_headers::ContentHeaders;
use crate::store::cleared_ranges::Marks;
use serde::Serialize;
use std::fmt::Debug;
use uuid::Uuid;

fn at(ticks: u64) -> Timestamp {
    Timestamp::from_ticks(ticks)
}

/// Checks that a value is stored as this form is.
fn check(value: &(impl Serialize + Debug), form: impl Serialize) {
    assert_eq!(postcard::to_stdvec(value).unwrap(), postcard::to_stdvec(&form).unwrap(), "{value:?}");
}

const ID: [u8; 16] = [200; 16];
const NO_TEXT: Option<&str> = None;

#[test]
fn leases_policies_and_metadata_keep_their_stored_form() {
    let (id, term) = (LeaseId(ID), LeaseDuration::Fixed(300));
    check(&Lease::Available, 0_u8);
    check(&Lease::Leased { id, term, until: Some(at(700)) }, (1_u8, ID, Some(300_u32), Some(700_u64)));
    check(&Lease::Leased { id, term: LeaseDuration::Infinite, until: None }, (1_u8, ID, None::<u32>, None::<u64>));
    check(&Lease::Expired { id, term }, (2_u8, ID, Some(300_u32)));
    check(&Lease::Breaking { id, until: at(900) }, (3_u8, ID, 900_u64));
    check(&Lease::Broken { id }, (4_u8, ID));
    let policy = Policy { id: "p".into(), start: Some(at(300)), expiry: None, permissions: Some("rw".into()) };
    check(&policy, ("p", Some(300_u64), None::<u64>, Some("rw")));
    let metadata = Metadata::from_headers([("one", &b"1"[..]), ("Two", b"2")]).unwrap();
    check(&metadata, vec![("one", "1"), ("Two", "2")]);
    let mut marks = Marks::default();
    marks.mark(1000..2000, at(300));
    marks.mark(5..9, at(400));
    check(&marks, vec![(5_u64, 9_u64, 400_u64), (1000, 2000, 300)]);
}

#[test]
fn properties_of_containers_and_blobs_keep_their_stored_form() {
    for (number, access) in [(0_u8, PublicAccess::Private), (1, PublicAccess::Blob), (2, PublicAccess::Container)] {
        check(&access, number);
    }
    check(&DefaultEncryption { scope: Some("s".into()), deny_override: true }, (Some("s"), true));
    check(&Encryption::Service, 0_u8);
    check(&Encryption::Key("k".into()), (1_u8, "k"));
    check(&Encryption::Scope("s".into()), (2_u8, "s"));
    let tiers = [Tier::Hot, Tier::Cool, Tier::Cold, Tier::Archive, Tier::Smart].into_iter().zip(0_u8..);
    for (tier, number) in tiers.chain([(Tier::Premium(0), 16), (Tier::Premium(10), 26)]) {
        check(&tier, number);
        assert_eq!(Tier::from(number), tier);
        for (priority, high) in [(RehydratePriority::Standard, false), (RehydratePriority::High, true)] {
            let current =
                CurrentTier { tier, since: at(500), rehydration: Some(Rehydration { to: tier, priority, until: at(600) }) };
            check(&current, (number, 500_u64, Some((number, high, 600_u64))));
        }
    }
    for (mode, locked) in [(PolicyMode::Unlocked, false), (PolicyMode::Locked, true)] {
        let policy = immutability::Policy { until: at(300), mode };
        check(&Protection { policy: Some(policy), hold: Some(true) }, (Some((300_u64, locked)), Some(true)));
    }
    check(&LastAccess(Some(at(300))), Some(300_u64));
    check(&Deletion { at: at(300), days: 400 }, (300_u64, 400_u32));
    check(&Tags::from_pairs([("b".into(), "2".into()), ("a".into(), "1".into())]).unwrap(), vec![("a", "1"), ("b", "2")]);
    let text = |text: &str| Some(text.into());
    let headers = ContentHeaders {
        content_type: text("t"),
        encoding: text("e"),
        language: None,
        md5: text("m"),
        cache_control: text("c"),
        disposition: text("d"),
    };
    check(&headers, [Some("t"), Some("e"), NO_TEXT, Some("m"), Some("c"), Some("d")]);
}

#[test]
fn access_control_lists_keep_their_stored_form() {
    check(&Acl::from(Permissions::ROOT), (0o750_u16, None::<u8>));
    let text = "user::rwx,user:u:r--,group::r-x,group:g:-w-,mask::rwx,other::--x,\
        default:user::rwx,default:user:v:--x,default:group::---,default:mask::r--,default:other::r--";
    let access = NewAccess::Acl(AclEntries::parse(text).unwrap());
    let acl = Acl::of_new(&Permissions::ROOT.into(), PathKind::Directory, &access).unwrap();
    let named = vec![(false, "u", 4_u8), (true, "g", 2)];
    let default = (0o704_u16, Some(4_u8), vec![(false, "v", 1_u8)]);
    check(&acl, (0o751_u16, Some((Some(7_u8), named, Some(default)))));
    for (writer, number) in [(WrittenBy::Lake, 0_u8), (WrittenBy::Blob, 1)] {
        check(&writer, number);
    }
}

#[test]
fn properties_of_shares_and_files_keep_their_stored_form() {
    let tiers = [ShareTier::TransactionOptimized, ShareTier::Hot, ShareTier::Cool, ShareTier::Premium];
    for (tier, number) in tiers.into_iter().zip(0_u8..) {
        check(&tier, number);
    }
    for (protocol, number) in [Protocol::Smb, Protocol::Nfs].into_iter().zip(0_u8..) {
        check(&protocol, number);
    }
    for (squash, number) in [RootSquash::None, RootSquash::Root, RootSquash::All].into_iter().zip(0_u8..) {
        check(&squash, number);
    }
    let settings = Settings {
        quota: 300,
        tier: ShareTier::Premium,
        tier_since: at(500),
        protocol: Some(Protocol::Nfs),
        root_squash: Some(RootSquash::All),
        snapshot_directory: Some(false),
        paid_bursting: Some(true),
        bursting_iops: Some(301),
        bursting_mibps: Some(302),
        provisioned_iops: Some(303),
        provisioned_mibps: None,
    };
    let limits = ((Some(301_u64), Some(302_u64)), (Some(303_u64), None::<u64>));
    check(&settings, (300_u32, 3_u8, 500_u64, Some(1_u8), Some(2_u8), Some(false), Some(true), limits));
    let attributes = Attributes::parse("ReadOnly|NoScrubData").unwrap();
    let permission = sddl::Key::numbered(301, 302);
    let smb = Smb { attributes, created: at(400), written: at(401), changed: at(402), permission };
    check(&smb, (257_u16, 400_u64, 401_u64, 402_u64, (301_u64, 302_u64)));
    check(&Posix { mode: "0644".into(), owner: "1".into(), group: "2".into() }, ["0644", "1", "2"]);
}

#[test]
fn messages_entities_and_service_properties_keep_their_stored_form() {
    let receipt = Receipt { number: 301, visible: at(302) };
    let (inserted, expires, visible) = (at(401), at(402), at(403));
    let message = Message { id: Uuid::max(), order: 300, text: "m".into(), inserted, expires, visible, dequeued: 2, receipt };
    check(&message, (300_u64, "m", 401_u64, 402_u64, 403_u64, 2_u64, (301_u64, 302_u64)));
    for (value, form) in [
        (Value::String("s".into()), postcard::to_stdvec(&(0_u8, "s"))),
        (Value::Int32(-300), postcard::to_stdvec(&(1_u8, -300_i32))),
        (Value::Int64(-300), postcard::to_stdvec(&(2_u8, -300_i64))),
        (Value::Double(1.5), postcard::to_stdvec(&(3_u8, 1.5_f64))),
        (Value::Boolean(true), postcard::to_stdvec(&(4_u8, true))),
        (Value::DateTime(at(300)), postcard::to_stdvec(&(5_u8, 300_u64))),
        (Value::Guid(Uuid::from_bytes(ID)), postcard::to_stdvec(&(6_u8, ID))),
        (Value::Binary([1, 200].into()), postcard::to_stdvec(&(7_u8, serde_bytes::Bytes::new(&[1, 200])))),
    ] {
        assert_eq!(postcard::to_stdvec(&value), form, "{value:?}");
        let entity = Entity { timestamp: at(300), properties: [("n".into(), value)].into() };
        assert_eq!(postcard::to_stdvec(&entity).unwrap(), [&[172, 2, 1, 1, b'n'], &form.unwrap()[..]].concat());
    }
    let list = |text: &str| vec![text.to_owned()];
    let (allowed_origins, allowed_methods, allowed_headers, exposed_headers) = (list("o"), list("m"), list("h"), list("e"));
    let rule = CorsRule { allowed_origins, allowed_methods, allowed_headers, exposed_headers, max_age_seconds: 300 };
    check(&rule, (["o"].to_vec(), ["m"].to_vec(), ["h"].to_vec(), ["e"].to_vec(), 300_u32));
    check(&Version::V2019_12_12, "2019-12-12");
}
