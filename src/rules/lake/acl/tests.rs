//! Tables of ACLs: texts, changes, inheritance.

use super::*;
use proptest::prelude::*;

const PLAIN: &str = "user::rwx,group::r-x,other::---";
const MASKED: &str = "user::rwx,user:foo:rwx,group::r-x,mask::rwx,other::---";
const DEFAULT: &str = "default:user::rwx,default:user:foo:rwx,default:group::r-x,default:mask::rwx,default:other::---";
/// The id of recordings.
const ID: &str = "72a3f86f-271f-439e-b031-25678907d381";

fn entries(text: &str) -> AclEntries {
    AclEntries::parse(text).unwrap()
}

/// The ACL with exactly these entries.
fn acl(text: &str) -> Acl {
    Acl::from(Permissions::default()).set(&entries(text), PathKind::Directory).unwrap()
}

fn shown(result: Result<Acl, StorageError>) -> String {
    result.map_or_else(|error| error.code().name().to_owned(), |acl| acl.to_string())
}

const INVALID: &str = "InvaldAccessControlList";

#[test]
fn texts_in_their_canonical_form() {
    let named = format!("user::rwx,user:{ID}:rwx,group::r--,mask::rwx,other::---");
    for (text, canonical, permissions) in [
        ("user::rwx,group::r-x,other::rwx", "user::rwx,group::r-x,other::rwx", "rwxr-xrwx"),
        ("user::rw-,group::r--,other::---", "user::rw-,group::r--,other::---", "rw-r-----"),
        (&*named, &*named, "rwxrwx---+"),
        ("user::rwx,group::r--,other::---,mask::rwx", "user::rwx,group::r--,mask::rwx,other::---", "rwxrwx---+"),
        ("mask::r--,user::rwx,group::rwx,other::--x", "user::rwx,group::rwx,mask::r--,other::--x", "rwxr----x+"),
        (
            "other::r--,group:b:r--,user:a:r--,group:a:-w-,group::---,user::rwx",
            "user::rwx,user:a:r--,group::---,group:b:r--,group:a:-w-,mask::rw-,other::r--",
            "rwxrw-r--+",
        ),
        (
            "user::rwx,group::r-x,other::---,default:user:a:rwx",
            "user::rwx,group::r-x,other::---,default:user::rwx,default:user:a:rwx,default:group::r-x,default:mask::rwx,default:other::---",
            "rwxr-x---+",
        ),
    ] {
        let acl = acl(text);
        assert_eq!((&*acl.to_string(), &*acl.permissions_text()), (canonical, permissions), "{text}");
        assert_eq!(self::acl(canonical), acl);
    }
}

#[test]
fn what_is_no_acl_is_refused() {
    let many: String = (0..29).map(|n| format!("user:{n}:rwx,")).collect();
    let (most, more) = (many.trim_end_matches(",").rsplit_once(',').unwrap().0, many.trim_end_matches(','));
    let endless = vec!["user:a:rwx"; 10_000].join(",");
    for text in [
        "",
        "asdf",
        "user::",
        "user::rwx,",
        "user::rwx ,group::r-x",
        "user:rwx",
        "user::rwxt",
        "user::RWX",
        "USER::rwx",
        "users::rwx",
        "mask:foo:rwx",
        "other:foo:rwx",
        "default:mask:foo:rwx",
        "default::rwx",
        "default:default:user::rwx",
        "user:a:b:rwx",
        "user::rwx,user::r--",
        "user:A:rwx,user:a:r--",
        "user::rwx;group::r-x",
        &endless,
    ] {
        let error = AclEntries::parse(text).expect_err(text);
        assert_eq!((error.code().name(), error.details()), (INVALID, &[][..]), "{text}");
        assert!(!error.reason().is_empty());
    }
    assert!(AclEntries::parse("user:a:rwx,group:a:rwx,default:user:a:rwx").is_ok());
    let set = |text: &str, kind| Acl::from(Permissions::ROOT).set(&entries(text), kind);
    assert!(set(most, PathKind::File).is_ok());
    assert_eq!(shown(set(more, PathKind::File)), INVALID);
    let default = |text: &str| text.split(',').map(|entry| format!("default:{entry}")).collect::<Vec<_>>().join(",");
    assert!(set(&format!("{most},{}", default(most)), PathKind::Directory).is_ok());
    assert_eq!(shown(set(&default(more), PathKind::Directory)), INVALID);
    assert_eq!(shown(set("default:user::rwx", PathKind::File)), INVALID);
}

#[test]
fn set_replaces_all_but_the_entries_that_every_acl_has() {
    let both = format!("{MASKED},{DEFAULT}");
    for (before, request, after) in [
        (PLAIN, "other::r--", "user::rwx,group::r-x,other::r--"),
        (PLAIN, "user:foo:rwx", MASKED),
        (PLAIN, "user:foo:rwx,mask::r--", "user::rwx,user:foo:rwx,group::r-x,mask::r--,other::---"),
        (MASKED, "user:bar:r--", "user::rwx,user:bar:r--,group::r-x,mask::r-x,other::---"),
        (MASKED, "user::rwx", PLAIN),
        (MASKED, "mask::---", "user::rwx,group::r-x,mask::---,other::---"),
        (&both, "user::rwx,group::r-x,other::---", PLAIN),
        (PLAIN, "default:user:foo:rwx", &*format!("{PLAIN},{DEFAULT}")),
        (
            PLAIN,
            "other::r-x,default:other::--x",
            "user::rwx,group::r-x,other::r-x,default:user::rwx,default:group::r-x,default:other::--x",
        ),
    ] {
        let got = acl(before).set(&entries(request), PathKind::Directory);
        assert_eq!(shown(got), after, "{before} {request}");
    }
    let sticky = Acl::from(Permissions::parse("1777").unwrap());
    assert_eq!(sticky.set(&entries("other::---"), PathKind::File).unwrap().permissions_text(), "rwxrwx--T");
}

#[test]
fn modify_adds_and_replaces_entries() {
    let both = format!("{MASKED},{DEFAULT}");
    for (before, request, after) in [
        (PLAIN, "user:foo:rwx", MASKED.to_owned()),
        (MASKED, "user:FOO:r--", "user::rwx,user:foo:r--,group::r-x,mask::r-x,other::---".to_owned()),
        (MASKED, "group:g:-w-", "user::rwx,user:foo:rwx,group::r-x,group:g:-w-,mask::rwx,other::---".to_owned()),
        (MASKED, "mask::r--", "user::rwx,user:foo:rwx,group::r-x,mask::r--,other::---".to_owned()),
        (MASKED, "user::r--", "user::r--,user:foo:rwx,group::r-x,mask::rwx,other::---".to_owned()),
        (PLAIN, "group::rwx", "user::rwx,group::rwx,other::---".to_owned()),
        ("user::rwx,group::r-x,mask::--x,other::---", "user::rw-", "user::rw-,group::r-x,mask::--x,other::---".to_owned()),
        (
            "user::rwx,group::r-x,mask::--x,other::---",
            "group:g:-w-",
            "user::rwx,group::r-x,group:g:-w-,mask::rwx,other::---".to_owned(),
        ),
        (PLAIN, "default:user:foo:rwx", format!("{PLAIN},{DEFAULT}")),
        (&both, "default:mask::r--", format!("{MASKED},{}", DEFAULT.replace("default:mask::rwx", "default:mask::r--"))),
        (&both, "other::r--", both.replacen("other::---", "other::r--", 1)),
    ] {
        let got = acl(before).modify(&entries(request), PathKind::Directory);
        assert_eq!(shown(got), after, "{before} {request}");
    }
    // A mask in a scope that the request does not name remains.
    let custom = acl("user::rwx,user:foo:rwx,group::r-x,mask::---,other::---");
    let after = custom.modify(&entries("default:other::r--"), PathKind::Directory).unwrap();
    assert!(after.to_string().starts_with(&custom.to_string()), "{after}");
    assert_eq!(shown(custom.modify(&entries("default:other::r--"), PathKind::File)), INVALID);
}

#[test]
fn remove_leaves_the_entries_that_every_acl_has() {
    let recorded = format!("mask,default:user,default:group,user:{ID},group:{ID},default:user:{ID},default:group:{ID}");
    let both = format!("{MASKED},{DEFAULT}");
    let minimal = "default:user::r--,default:group::r--,default:other::r--";
    for (before, request, after) in [
        (PLAIN, &*recorded, PLAIN.to_owned()),
        (MASKED, "user:FOO,mask", PLAIN.to_owned()),
        (MASKED, "user:foo,mask:", PLAIN.to_owned()),
        (MASKED, "user:foo", "user::rwx,group::r-x,mask::r-x,other::---".to_owned()),
        (MASKED, "group:foo", MASKED.to_owned()),
        (MASKED, "mask", INVALID.to_owned()),
        (&both, "default:mask", INVALID.to_owned()),
        (&both, "default:user:foo,default:mask", format!("{MASKED},default:user::rwx,default:group::r-x,default:other::---")),
        (&both, "default:user,default:user:foo,default:group,default:mask,default:other", MASKED.to_owned()),
        (&both, "default:user,default:user:foo,default:group,default:other", MASKED.to_owned()),
        (&both, "default:user,default:group,default:other", both.clone()),
        (&*format!("{PLAIN},{minimal}"), "default:user,default:group,default:other", PLAIN.to_owned()),
        (
            &*format!("{PLAIN},{minimal}"),
            "default:user",
            format!("{PLAIN},default:user::rwx,default:group::r--,default:other::r--"),
        ),
    ] {
        let got = acl(before).remove(&AclEntryNames::parse(request).unwrap());
        assert_eq!(shown(got), after, "{before} {request}");
    }
    for text in ["", "user", "group", "other", "user:", "mask:foo", "user:a:rwx", "user:a,user:A", "asdf", "default", "mask,mask"]
    {
        assert_eq!(AclEntryNames::parse(text).map_err(|error| error.code().name()), Err(INVALID), "{text}");
    }
}

#[test]
fn chmod_sets_the_mask_in_place_of_the_group() {
    for (before, permissions, after, text) in [
        (PLAIN, "0640", "user::rw-,group::r--,other::---", "rw-r-----"),
        (MASKED, "0640", "user::rw-,user:foo:rwx,group::r-x,mask::r--,other::---", "rw-r-----+"),
        (MASKED, "1777", "user::rwx,user:foo:rwx,group::r-x,mask::rwx,other::rwx", "rwxrwxrwt+"),
        (
            "user::rwx,group::r-x,other::---,default:other::r--",
            "0700",
            "user::rwx,group::---,other::---,default:user::rwx,default:group::r-x,default:other::r--",
            "rwx------+",
        ),
    ] {
        let got = acl(before).chmod(Permissions::parse(permissions).unwrap());
        assert_eq!((&*got.to_string(), &*got.permissions_text()), (after, text), "{before} {permissions}");
    }
    let cleared = Acl::from(Permissions::parse("1777").unwrap()).chmod(Permissions::parse("0777").unwrap());
    assert_eq!(cleared.permissions_text(), "rwxrwxrwx");
}

#[test]
fn a_new_path_inherits_the_default_acl_of_its_directory() {
    const FOO: &str = "user::rwx,group::r-x,other::---,default:user:FOO:rwx";
    const FOO_DEFAULT: &str = "default:user::rwx,default:user:FOO:rwx,default:group::r-x,default:mask::rwx,default:other::---";
    let named = format!("user::rwx,user:{ID}:rwx,group::r--,mask::rwx,other::---");
    let (file, directory) = (PathKind::File, PathKind::Directory);
    for (parent, kind, permissions, umask, given, expected, text) in [
        (PLAIN, directory, None, None, None, "user::rwx,group::r-x,other::---".to_owned(), "rwxr-x---"),
        (PLAIN, file, None, None, None, "user::rw-,group::r--,other::---".to_owned(), "rw-r-----"),
        (MASKED, file, Some("0777"), None, None, "user::rwx,group::r-x,other::---".to_owned(), "rwxr-x---"),
        (PLAIN, directory, Some("0777"), Some("0057"), None, "user::rwx,group::-w-,other::---".to_owned(), "rwx-w----"),
        (PLAIN, directory, None, None, Some(&*named), named.clone(), "rwxrwx---+"),
        (PLAIN, file, None, None, Some("other::r--"), "user::rw-,group::r--,other::r--".to_owned(), "rw-r--r--"),
        (FOO, file, Some("0644"), None, None, "user::rw-,user:FOO:rwx,group::r-x,mask::r--,other::---".to_owned(), "rw-r-----+"),
        (
            FOO,
            directory,
            Some("0777"),
            Some("0022"),
            None,
            format!("user::rwx,user:FOO:rwx,group::r-x,mask::rwx,other::---,{FOO_DEFAULT}"),
            "rwxrwx---+",
        ),
        (FOO, file, None, None, None, "user::rw-,user:FOO:rwx,group::r-x,mask::rw-,other::---".to_owned(), "rw-rw----+"),
        // Without a mask, the permissions limit the owning group.
        (
            "user::rwx,group::r-x,other::---,default:other::rwx",
            file,
            Some("1640"),
            None,
            None,
            "user::rw-,group::r--,other::---".to_owned(),
            "rw-r----T",
        ),
        (
            FOO,
            directory,
            None,
            None,
            Some("user::rwx,group::---,other::---,mask::---"),
            { format!("user::rwx,group::---,mask::---,other::---,{FOO_DEFAULT}") },
            "rwx------+",
        ),
        (
            FOO,
            directory,
            None,
            None,
            Some("user::rwx,group::---,other::---,default:other::r--"),
            "user::rwx,group::---,other::---,default:user::rwx,default:group::---,default:other::r--".to_owned(),
            "rwx------+",
        ),
    ] {
        let access = NewAccess::read(permissions, umask, given).unwrap();
        let new = Acl::of_new(&acl(parent), kind, &access).unwrap();
        assert_eq!((new.to_string(), &*new.permissions_text()), (expected, text), "{parent} {kind:?} {access:?}");
    }
    let of_file = NewAccess::Acl(entries("default:other::r--"));
    assert_eq!(shown(Acl::of_new(&acl(PLAIN), file, &of_file)), INVALID);
    let nothing = Acl::of_new(&acl(PLAIN), directory, &NewAccess::default()).unwrap();
    assert_eq!(nothing, Acl::from(Permissions::ROOT));
}

#[test]
fn the_headers_of_new_paths_are_read() {
    for (permissions, umask, acl, error) in [
        (Some("0777"), None, Some(PLAIN), "InvalidHeaderValue"),
        (Some("0787"), None, None, "InvalidPermission"),
        (None, Some("27"), None, "InvalidHeaderValue"),
        (None, None, Some("asdf"), INVALID),
    ] {
        let read = NewAccess::read(permissions, umask, acl);
        assert_eq!(read.map_err(|error| error.code().name()), Err(error));
    }
}

#[test]
fn recursive_changes() {
    let both = format!("{MASKED},{DEFAULT}");
    let (file, directory) = (PathKind::File, PathKind::Directory);
    for (mode, request, kind, before, after) in [
        ("set", "user::rwx,group::r-x,other::rwx", file, MASKED, "user::rwx,group::r-x,other::rwx"),
        ("set", "other::---,default:user:foo:rwx", directory, PLAIN, &*format!("{PLAIN},{DEFAULT}")),
        ("set", "other::r--,default:user:foo:rwx", file, PLAIN, "user::rwx,group::r-x,other::r--"),
        ("Set", "default:user:foo:rwx", file, MASKED, MASKED),
        ("modify", "user:foo:rwx,default:user:foo:rwx", directory, PLAIN, &*both),
        ("modify", "user:foo:rwx,default:user:foo:rwx", file, PLAIN, MASKED),
        ("remove", "mask,default:user,default:group,user:foo,default:user:foo", file, MASKED, PLAIN),
    ] {
        let change = RecursiveChange::read(Some(mode), Some(request)).unwrap();
        assert_eq!(shown(change.apply(&acl(before), kind)), after, "{mode} {request} {kind:?}");
    }
    for (mode, acl, error) in [
        (None, Some(PLAIN), "InvalidQueryParameterValue"),
        (Some("add"), Some(PLAIN), "InvalidQueryParameterValue"),
        (Some("set"), None, "MissingRequiredHeader"),
        (Some("set"), Some("mask"), INVALID),
        (Some("remove"), Some(PLAIN), INVALID),
    ] {
        assert_eq!(RecursiveChange::read(mode, acl).map_err(|error| error.code().name()), Err(error), "{mode:?}");
    }
}

#[test]
fn an_acl_without_named_entries_is_small() {
    assert_eq!(size_of::<Acl>(), 2 * size_of::<usize>());
    assert_eq!(postcard::to_stdvec(&Acl::from(Permissions::ROOT)).unwrap().len(), 3);
    assert!(acl(PLAIN).extended.is_none());
}

#[test]
fn entries_are_found_by_their_ids() {
    let acl = acl("user::rwx,user:A:r--,group::r-x,group:A:-w-,group:b:--x,mask::r--,other::---");
    assert_eq!((acl.user("a"), acl.user("b"), acl.mask()), (Some(Rwx::READ), None, Some(Rwx::READ)));
    assert_eq!(acl.groups().collect::<Vec<_>>(), [("A", Rwx::WRITE), ("b", Rwx::EXECUTE)]);
    assert_eq!(acl.base().to_string(), "rwxr-x---");
}

fn rwx() -> impl Strategy<Value = Rwx> {
    "[r-][w-][x-]".prop_map(|text| Rwx::parse(&text).unwrap())
}

fn scoped() -> impl Strategy<Value = Entries> {
    let named = prop::collection::btree_map((any::<bool>(), "[a-d]"), rwx(), 0..6).prop_map(|named| {
        let named = named.into_iter();
        named.map(|((is_group, id), permissions)| NamedEntry { is_group, id: id.into(), permissions }).collect::<Vec<_>>()
    });
    ((rwx(), rwx(), rwx()), named, prop::option::of(rwx())).prop_map(|((user, group, other), named, mask)| {
        let mask = if named.is_empty() { mask } else { mask.or(Some(Rwx::READ)) };
        Entries { base: Permissions::new(user, group, other), mask, named }
    })
}

fn acls() -> impl Strategy<Value = Acl> {
    (scoped(), prop::option::of(scoped())).prop_map(|(access, default)| Acl::build(access, default).unwrap())
}

fn requests() -> impl Strategy<Value = AclEntries> {
    let name = ("(default:)?", prop_oneof!["user:[a-d]?", "group:[a-d]?", "mask:", "other:"], rwx());
    prop::collection::vec(name, 1..6).prop_filter_map("an entry is there twice", |entries| {
        let text: Vec<String> = entries.iter().map(|(scope, name, rwx)| format!("{scope}{name}:{rwx}")).collect();
        AclEntries::parse(&text.join(",")).ok()
    })
}

/// A scope has a mask if it has named entries.
fn has_needed_masks(acl: &Acl) -> bool {
    let is_whole = |entries: &Entries| entries.named.is_empty() || entries.mask.is_some();
    is_whole(&acl.access_entries()) && acl.default_entries().is_none_or(is_whole)
}

proptest! {
    #[test]
    fn a_text_is_read_back(written in acls(), other in acls()) {
        prop_assert_eq!(other.set(&entries(&written.to_string()), PathKind::Directory), Ok(written.clone()));
        let stored = postcard::to_stdvec(&written).unwrap();
        prop_assert_eq!(postcard::from_bytes::<Acl>(&stored), Ok(written));
    }

    #[test]
    fn masks_are_there_where_they_are_needed(acl in acls(), request in requests()) {
        let has = |test: fn(&EntryName) -> bool| request.of(Scope::Access).any(|(name, _)| test(name));
        let is_computed = has(|name| !name.id.is_empty()) && !has(|name| name.kind == EntryKind::Mask);
        for after in [acl.set(&request, PathKind::Directory).unwrap(), acl.modify(&request, PathKind::Directory).unwrap()] {
            prop_assert!(has_needed_masks(&after), "{}", after);
            prop_assert_eq!(after.modify(&request, PathKind::Directory).unwrap(), after.clone(), "the second time changes nothing");
            let entries = after.access_entries();
            if is_computed {
                let all = entries.named.iter().map(|entry| entry.permissions).fold(entries.base.group(), Rwx::union);
                prop_assert_eq!(entries.mask, Some(all));
            }
        }
    }

    #[test]
    fn what_was_added_can_be_removed(acl in acls(), request in requests()) {
        let text: Vec<String> = request.0.iter().filter(|(name, _)| !name.id.is_empty()).map(|(name, _)| {
            let scope = if name.scope == Scope::Default { "default:" } else { "" };
            format!("{scope}{}:{}", name.kind.name(), name.id)
        }).collect();
        prop_assume!(!text.is_empty());
        let names = AclEntryNames::parse(&text.join(",")).unwrap();
        let after = acl.modify(&request, PathKind::Directory).unwrap().remove(&names).unwrap();
        prop_assert!(has_needed_masks(&after), "{}", after);
        let is_removed = |entries: &Entries, scope| names.0.iter().all(|name| name.scope != scope || entries.position(name).is_none());
        prop_assert!(is_removed(&after.access_entries(), Scope::Access));
        prop_assert!(after.default_entries().is_none_or(|default| is_removed(default, Scope::Default)));
    }

    #[test]
    fn a_new_path_has_at_most_its_permissions(parent in acls(), bits in "[0-7]{3}") {
        let permissions = Permissions::parse(&format!("0{bits}")).unwrap();
        let access = NewAccess::Permissions { permissions: Some(permissions), umask: None };
        let new = Acl::of_new(&parent, PathKind::File, &access).unwrap();
        let shown = new.permissions();
        prop_assert!(permissions.user().contains(shown.user()) && permissions.group().contains(shown.group()));
        prop_assert!(permissions.other().contains(shown.other()));
        prop_assert!(has_needed_masks(&new));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "((default:)?(user|group|mask|other|x)?:?[a:]?:?(rwx|r-x|---|-)?,?){0,4}") {
        if let Ok(read) = AclEntries::parse(&text) {
            prop_assert!(!read.0.is_empty());
        }
        if let Ok(read) = AclEntryNames::parse(&text) {
            prop_assert!(!read.0.is_empty());
        }
    }
}
