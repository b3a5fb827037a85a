//! Permissions: what an operation requires, and what a caller has.
//!
//! Every operation declares a [`RequiredPermission`], every request comes with an [`Authorization`], and [`check_permission`] compares
//! them. Source: "Create an account SAS" and "Create a service SAS" in the REST reference; refusals as recorded.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;

/// A set of permission letters, such as `rwd`; also of the letters of services (`bqtf`) and of levels (`sco`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permissions(u32);

impl Permissions {
    /// Reads letters in any order, repeats allowed; `None` when there is anything but `a` to `z`.
    pub fn parse(text: &str) -> Option<Permissions> {
        text.chars().try_fold(Permissions::default(), |set, letter| Some(Permissions(set.0 | bit(letter)?)))
    }

    /// Whether this letter is among them.
    pub fn contains(self, letter: char) -> bool {
        bit(letter).is_some_and(|bit| self.0 & bit != 0)
    }

    /// Whether any one of these letters is among them.
    pub fn any_of(self, letters: &str) -> bool {
        letters.chars().any(|letter| self.contains(letter))
    }

    /// Whether all of these letters are among them.
    pub fn all_of(self, letters: &str) -> bool {
        letters.chars().all(|letter| self.contains(letter))
    }
}

/// The letters in the order of the alphabet, or `nothing`.
impl std::fmt::Display for Permissions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letters: String = ('a'..='z').filter(|letter| self.contains(*letter)).collect();
        f.write_str(if letters.is_empty() { "nothing" } else { &letters })
    }
}

fn bit(letter: char) -> Option<u32> {
    letter.is_ascii_lowercase().then(|| 1 << (u32::from(letter) - u32::from('a')))
}

/// What an operation acts on, as the resource types (`srt`) of an account SAS count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceLevel {
    /// The service itself, and the list of its containers.
    Service,
    /// A container, queue, table or share, and the list of what is in it.
    Container,
    /// A blob, message, entity or file.
    Object,
}

impl ResourceLevel {
    /// The letter in `srt`.
    pub const fn letter(self) -> char {
        match self {
            ResourceLevel::Service => 's',
            ResourceLevel::Container => 'c',
            ResourceLevel::Object => 'o',
        }
    }
}

/// Whether it takes no credentials, or a token and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnonymousAccess {
    /// Never: all writes, and what tells about the account.
    Never,
    /// Never, nor with a key or a signature: it is for a user who shows a bearer token.
    User,
    /// If the container is open as a whole: its properties, the list of its blobs.
    Container,
    /// If the container opens its blobs: reading one.
    Blob,
    /// Always: a preflight, which a browser sends without credentials.
    Everyone,
}

/// What an operation asks of its caller. It sits, constant, in the operation's row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequiredPermission {
    /// What it acts on.
    pub level: ResourceLevel,
    /// The letters of an account SAS; empty when no account SAS can do it.
    pub account: &'static str,
    /// The letters of a service or user delegation SAS; empty when none can do it.
    pub service: &'static str,
    /// Whether a SAS needs all of the letters, rather than any one of them.
    pub all: bool,
    /// Whether it can be open to all, or is for users alone.
    pub public: AnonymousAccess,
}

impl RequiredPermission {
    /// What only a user's bearer token opens.
    pub const BEARER_TOKEN: RequiredPermission =
        RequiredPermission { public: AnonymousAccess::User, ..RequiredPermission::owner(ResourceLevel::Service) };

    /// What needs no credentials at all.
    pub const ANYONE: RequiredPermission =
        RequiredPermission::owner(ResourceLevel::Service).or_anonymous(AnonymousAccess::Everyone);

    /// What no signature opens: the account's key, or a token.
    pub const fn owner(level: ResourceLevel) -> RequiredPermission {
        RequiredPermission { level, account: "", service: "", all: false, public: AnonymousAccess::Never }
    }

    /// Any one of these letters, on the service itself.
    pub const fn service(letters: &'static str) -> RequiredPermission {
        RequiredPermission { account: letters, service: letters, ..RequiredPermission::owner(ResourceLevel::Service) }
    }

    /// Any one of these letters, on a container, queue, table or share.
    pub const fn container(letters: &'static str) -> RequiredPermission {
        RequiredPermission { account: letters, service: letters, ..RequiredPermission::owner(ResourceLevel::Container) }
    }

    /// Any one of these letters, on a blob, message, entity or file.
    pub const fn object(letters: &'static str) -> RequiredPermission {
        RequiredPermission { account: letters, service: letters, ..RequiredPermission::owner(ResourceLevel::Object) }
    }

    /// All of the letters.
    pub const fn all(self) -> RequiredPermission {
        RequiredPermission { all: true, ..self }
    }

    /// With other letters for a service SAS.
    pub const fn service_sas(self, letters: &'static str) -> RequiredPermission {
        RequiredPermission { service: letters, ..self }
    }

    /// Where no service SAS suffices.
    pub const fn account_sas_only(self) -> RequiredPermission {
        self.service_sas("")
    }

    /// Or nothing, where the container is this open.
    pub const fn or_anonymous(self, public: AnonymousAccess) -> RequiredPermission {
        RequiredPermission { public, ..self }
    }
}

/// How far a container is open to all (`x-ms-blob-public-access`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PublicAccess {
    /// Not at all, or there is no such container.
    #[default]
    Private,
    /// Its blobs can be read.
    Blob,
    /// Its blobs can be read and listed, and its properties read.
    Container,
}

/// What a shared access signature reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SasScope {
    /// An account SAS: these services (`bqtf`) at these levels (`sco`).
    Account {
        /// The services.
        services: Permissions,
        /// The levels.
        types: Permissions,
    },
    /// A service or user delegation SAS: the resource whose name it signs. That the request names it, the signature has proved.
    Resource,
}

/// What a caller has been found to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authorization {
    /// The account's key: everything but what is for users.
    Owner,
    /// A user's bearer token: everything, for there are no roles here, and every user has them all.
    User,
    /// A shared access signature that is authentic, in time, and used from where it may be.
    Sas {
        /// What it reaches.
        scope: SasScope,
        /// What it permits there, be it said in the signature or in a stored policy.
        letters: Permissions,
    },
    /// Nothing, before a container that is this open.
    Anonymous(PublicAccess),
}

impl PublicAccess {
    /// The value of `x-ms-blob-public-access`; a private container has none.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            PublicAccess::Private => None,
            PublicAccess::Blob => Some("blob"),
            PublicAccess::Container => Some("container"),
        }
    }
}

impl Authorization {
    /// Whether the grant has any one of these letters, for a handler that asks for more than its row: `t` to write tags, `x` to
    /// delete a version.
    pub fn allows(&self, letters: &str) -> bool {
        match self {
            Authorization::Owner | Authorization::User => true,
            Authorization::Sas { letters: held, .. } => held.any_of(letters),
            Authorization::Anonymous(_) => false,
        }
    }

    /// The refusal of a handler that asks for one of these letters more than its row, and did not find it.
    pub fn missing_permission(&self, needed: &str) -> StorageError {
        let given = match self {
            Authorization::Sas { letters, .. } => *letters,
            Authorization::Owner | Authorization::User | Authorization::Anonymous(_) => Permissions::default(),
        };
        lacking(needed, given)
    }

    /// Whether what is there may be overwritten: a SAS with `c` but without `w` may only create.
    pub fn may_overwrite(&self) -> bool {
        self.allows("w")
    }
}

/// Decides whether the grant suffices for the operation. `service` is the service's letter, one of `b`, `q`, `t`, `f`.
pub fn check_permission(
    permit: &RequiredPermission,
    authorization: &Authorization,
    service: char,
    version: Version,
) -> Result<(), StorageError> {
    match *authorization {
        Authorization::User => Ok(()),
        Authorization::Owner | Authorization::Sas { .. } if permit.public == AnonymousAccess::User => {
            Err(ErrorCode::AuthenticationFailed
                .with_detail("AuthenticationErrorDetail", "Only authentication scheme Bearer is supported"))
        }
        Authorization::Owner => Ok(()),
        Authorization::Sas { scope: SasScope::Account { services, types }, letters } => {
            refuse_if(permit.account.is_empty(), || ErrorCode::AuthorizationFailure.with_reason("no account SAS can do this"))?;
            refuse_if(!services.contains(service), || {
                ErrorCode::AuthorizationServiceMismatch.with_reason(format!("ss has to have {service}, and is {services}"))
            })?;
            if !types.contains(permit.level.letter()) {
                let why = format!("srt has to have {}, and is {types}", permit.level.letter());
                return Err(wrong_level(permit.level, version).with_reason(why));
            }
            check_letters(permit.account, permit.all, letters)
        }
        Authorization::Sas { scope: SasScope::Resource, letters } => {
            refuse_if(permit.service.is_empty(), || ErrorCode::AuthorizationFailure.with_reason("no service SAS can do this"))?;
            check_letters(permit.service, permit.all, letters)
        }
        Authorization::Anonymous(open) => decide_anonymous(permit.public, open, version),
    }
}

fn refuse_if(refused: bool, error: impl FnOnce() -> StorageError) -> Result<(), StorageError> {
    if refused { Err(error()) } else { Ok(()) }
}

fn check_letters(needed: &str, all: bool, given: Permissions) -> Result<(), StorageError> {
    if all {
        let needed_text = needed.chars().map(String::from).collect::<Vec<_>>().join(" and ");
        return refuse_if(!given.all_of(needed), || {
            ErrorCode::AuthorizationPermissionMismatch.with_reason(format!("the SAS has to permit both {needed_text}"))
        });
    }
    refuse_if(!given.any_of(needed), || lacking(needed, given))
}

/// A SAS that has none of the letters needed.
fn lacking(needed: &str, given: Permissions) -> StorageError {
    let needed: Vec<String> = needed.chars().map(String::from).collect();
    let why = format!("the SAS has to permit {}, and permits {given}", needed.join(" or "));
    ErrorCode::AuthorizationPermissionMismatch.with_reason(why)
}

fn wrong_level(level: ResourceLevel, version: Version) -> StorageError {
    let error = StorageError::from(ErrorCode::AuthorizationResourceTypeMismatch);
    if version < Version::V2024_08_04 {
        return error;
    }
    let needed = level.letter();
    error.with_detail("ExtendedErrorDetail", format!("SignedResourceTypes '{needed}' is required to perform this operation."))
}

/// A caller without credentials is asked for some from 2019-12-12 on, when the bearer challenge came; to older versions whatever they may
/// not have is not there. Live tests of the .NET libraries tell it of Blob and File, and recordings of Blob's reads; Queue and Table are
/// taken to do the same.
fn decide_anonymous(public: AnonymousAccess, open: PublicAccess, version: Version) -> Result<(), StorageError> {
    let enough = match public {
        AnonymousAccess::Never | AnonymousAccess::User => false,
        AnonymousAccess::Everyone => true,
        AnonymousAccess::Container => open >= PublicAccess::Container,
        AnonymousAccess::Blob => open >= PublicAccess::Blob,
    };
    let hidden = version < Version::V2019_12_12;
    let code = if hidden { ErrorCode::ResourceNotFound } else { ErrorCode::NoAuthenticationInformation };
    refuse_if(!enough, || code.with_reason("the request has no credentials, and anonymous access is not allowed here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET_BLOB: RequiredPermission = RequiredPermission::object("r").or_anonymous(AnonymousAccess::Blob);
    const PUT_BLOB: RequiredPermission = RequiredPermission::object("cw");
    const LIST_BLOBS: RequiredPermission = RequiredPermission::container("l").or_anonymous(AnonymousAccess::Container);
    const DELETE_QUEUE: RequiredPermission = RequiredPermission::container("d").account_sas_only();
    const LEND_KEY: RequiredPermission = RequiredPermission::BEARER_TOKEN;
    const SET_ACL: RequiredPermission = RequiredPermission::owner(ResourceLevel::Container);
    const UPSERT_ENTITY: RequiredPermission = RequiredPermission::object("au").all();

    fn set(text: &str) -> Permissions {
        Permissions::parse(text).unwrap()
    }

    fn account(services: &str, types: &str, letters: &str) -> Authorization {
        Authorization::Sas { scope: SasScope::Account { services: set(services), types: set(types) }, letters: set(letters) }
    }

    fn resource(letters: &str) -> Authorization {
        Authorization::Sas { scope: SasScope::Resource, letters: set(letters) }
    }

    fn outcome(permit: &RequiredPermission, authorization: &Authorization, service: char, version: Version) -> Option<ErrorCode> {
        check_permission(permit, authorization, service, version).err().map(|error| error.code())
    }

    #[test]
    fn a_refusal_tells_the_letters_for_the_log() {
        let why = |permit, authorization| {
            check_permission(permit, &authorization, 'b', Version::V2019_12_12).unwrap_err().reason().to_owned()
        };
        for (authorization, told) in [
            (resource("rl"), "the SAS has to permit c or w, and permits lr"),
            (resource(""), "the SAS has to permit c or w, and permits nothing"),
            (account("b", "o", "r"), "the SAS has to permit c or w, and permits r"),
            (account("b", "sc", "w"), "srt has to have o, and is cs"),
            (account("qt", "o", "w"), "ss has to have b, and is qt"),
        ] {
            assert_eq!(why(&PUT_BLOB, authorization), told);
        }
        assert_eq!(resource("r").missing_permission("t").reason(), "the SAS has to permit t, and permits r");
        assert_eq!(why(&SET_ACL, resource("w")), "no service SAS can do this");
        assert_eq!(why(&UPSERT_ENTITY, resource("ru")), "the SAS has to permit both a and u");
    }

    #[test]
    fn letters_are_a_set() {
        assert_eq!(Permissions::parse("rwr"), Permissions::parse("wr"));
        for text in ["R", "r w", "é", "1"] {
            assert_eq!(Permissions::parse(text), None, "{text}");
        }
        assert!(set("az").contains('a') && set("az").contains('z') && !set("az").contains('b') && !set("az").contains('A'));
        assert!(set("rl").any_of("wl") && !set("rl").any_of("") && !set("").any_of("r"));
    }

    #[test]
    fn signatures_are_held_against_the_row() {
        use ErrorCode::*;
        for (permit, authorization, service, refusal) in [
            (GET_BLOB, Authorization::Owner, 'b', None),
            (SET_ACL, Authorization::Owner, 'b', None),
            (SET_ACL, Authorization::User, 'b', None),
            (GET_BLOB, Authorization::User, 'b', None),
            (LEND_KEY, Authorization::User, 'b', None),
            (LEND_KEY, Authorization::Owner, 'b', Some(AuthenticationFailed)),
            (LEND_KEY, account("b", "sco", "rwdl"), 'b', Some(AuthenticationFailed)),
            (LEND_KEY, resource("r"), 'b', Some(AuthenticationFailed)),
            (GET_BLOB, account("bq", "sco", "rl"), 'b', None),
            (GET_BLOB, account("q", "s", "w"), 'b', Some(AuthorizationServiceMismatch)),
            (GET_BLOB, account("b", "sc", "w"), 'b', Some(AuthorizationResourceTypeMismatch)),
            (GET_BLOB, account("b", "o", "w"), 'b', Some(AuthorizationPermissionMismatch)),
            (PUT_BLOB, account("b", "o", "c"), 'b', None),
            (DELETE_QUEUE, account("q", "c", "d"), 'q', None),
            (SET_ACL, account("b", "sco", "rwdlac"), 'b', Some(AuthorizationFailure)),
            (GET_BLOB, resource("r"), 'b', None),
            (GET_BLOB, resource("d"), 'b', Some(AuthorizationPermissionMismatch)),
            (LIST_BLOBS, resource("rl"), 'b', None),
            (DELETE_QUEUE, resource("raup"), 'q', Some(AuthorizationFailure)),
            (UPSERT_ENTITY, resource("rau"), 't', None),
            (UPSERT_ENTITY, resource("u"), 't', Some(AuthorizationPermissionMismatch)),
            (UPSERT_ENTITY, account("t", "o", "a"), 't', Some(AuthorizationPermissionMismatch)),
            (UPSERT_ENTITY, account("t", "o", "au"), 't', None),
        ] {
            assert_eq!(outcome(&permit, &authorization, service, Version::V2019_12_12), refusal, "{permit:?} {authorization:?}");
        }
    }

    /// Recorded: `GET /c/b` without a version 404 ResourceNotFound, `PUT /c/b` of 2020-02-10 401 NoAuthenticationInformation.
    #[test]
    fn strangers_get_what_is_open() {
        use ErrorCode::{NoAuthenticationInformation, ResourceNotFound};
        use PublicAccess::{Blob, Container, Private};
        let (old, new) = (Version::V2009_09_19, Version::V2020_02_10);
        for (permit, open, version, refusal) in [
            (GET_BLOB, Private, old, Some(ResourceNotFound)),
            (GET_BLOB, Private, new, Some(NoAuthenticationInformation)),
            (GET_BLOB, Blob, new, None),
            (GET_BLOB, Container, old, None),
            (LIST_BLOBS, Blob, old, Some(ResourceNotFound)),
            (LIST_BLOBS, Blob, new, Some(NoAuthenticationInformation)),
            (LIST_BLOBS, Container, old, None),
            (PUT_BLOB, Container, old, Some(ResourceNotFound)),
            (PUT_BLOB, Container, new, Some(NoAuthenticationInformation)),
            (LEND_KEY, Container, old, Some(ResourceNotFound)),
            (LEND_KEY, Container, new, Some(NoAuthenticationInformation)),
            (DELETE_QUEUE, Private, Version::V2019_07_07, Some(ResourceNotFound)),
            (DELETE_QUEUE, Private, Version::V2019_12_12, Some(NoAuthenticationInformation)),
        ] {
            assert_eq!(outcome(&permit, &Authorization::Anonymous(open), 'b', version), refusal, "{permit:?} {open:?} {version}");
        }
    }

    #[test]
    fn newer_versions_hear_which_level_was_needed() {
        for (version, details) in [(Version::V2020_12_06, 0), (Version::V2024_08_04, 1)] {
            let error = check_permission(&GET_BLOB, &account("b", "s", "r"), 'b', version).unwrap_err();
            assert_eq!(error.details().len(), details);
            for (name, text) in error.details() {
                assert_eq!(*name, "ExtendedErrorDetail");
                assert_eq!(text, "SignedResourceTypes 'o' is required to perform this operation.");
            }
        }
    }

    #[test]
    fn creating_is_not_overwriting() {
        for (authorization, overwrites, tags) in [
            (Authorization::Owner, true, true),
            (Authorization::User, true, true),
            (resource("c"), false, false),
            (resource("cwt"), true, true),
            (account("b", "o", "w"), true, false),
            (Authorization::Anonymous(PublicAccess::Container), false, false),
        ] {
            assert_eq!((authorization.may_overwrite(), authorization.allows("t")), (overwrites, tags), "{authorization:?}");
        }
    }
}
