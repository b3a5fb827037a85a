//! Permissions: those that an operation requires, and those that a caller has.
//!
//! Every operation declares a [`RequiredPermission`], every request has an [`Authorization`], and [`check_permission`] compares them. A
//! SAS needs letters, a principal needs roles that permit the actions of the operation ([`roles`](super::roles)), and a SAS that a
//! principal signed needs both. Sources: "Create an account SAS" and "Create a service SAS" in the REST reference; errors as recorded.

use crate::rules::auth::roles::{ActionSet, RequiredActions, RoleAction, RoleActions};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;
use serde::{Deserialize, Serialize};

/// A set of letters: of permissions, such as `rwd`, of services (`bqtf`), or of resource levels (`sco`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permissions(u32);

impl Permissions {
    /// Parses letters from `a` to `z`, in any order; repetitions are allowed.
    pub fn parse(text: &str) -> Option<Permissions> {
        text.chars().try_fold(Permissions::default(), |set, letter| Some(Permissions(set.0 | bit(letter)?)))
    }

    pub fn contains(self, letter: char) -> bool {
        bit(letter).is_some_and(|bit| self.0 & bit != 0)
    }

    /// Returns true if the set contains one of these letters.
    pub fn any_of(self, letters: &str) -> bool {
        letters.chars().any(|letter| self.contains(letter))
    }

    /// Returns true if the set contains all of these letters.
    pub fn all_of(self, letters: &str) -> bool {
        letters.chars().all(|letter| self.contains(letter))
    }
}

/// The letters in alphabetical order, or `nothing`.
impl std::fmt::Display for Permissions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letters: String = ('a'..='z').filter(|letter| self.contains(*letter)).collect();
        f.write_str(if letters.is_empty() { "nothing" } else { &letters })
    }
}

fn bit(letter: char) -> Option<u32> {
    letter.is_ascii_lowercase().then(|| 1 << (u32::from(letter) - u32::from('a')))
}

/// The level of the resource of an operation, as in the resource types (`srt`) of an account SAS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceLevel {
    /// The service itself, and the list of its containers.
    Service,
    /// A container, queue, table or share, and the list of its content.
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

/// Whether an operation requires credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnonymousAccess {
    /// Always: all writes, and information about the account.
    Never,
    /// Always, and only a bearer token of a user.
    User,
    /// Not if the container is public: its properties, the list of its blobs.
    Container,
    /// Not if the blobs of the container are public: reading a blob.
    Blob,
    /// Never: a preflight, which a browser sends without credentials.
    Everyone,
}

/// The permission that an operation requires, as a constant in its specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequiredPermission {
    pub level: ResourceLevel,
    /// The letters of an account SAS; empty if none is sufficient.
    pub account: &'static str,
    /// The letters of a service or user delegation SAS; empty if none is sufficient.
    pub service: &'static str,
    /// Whether a SAS needs all of the letters, not only one.
    pub all: bool,
    /// The actions that the roles of a principal must permit.
    pub actions: RequiredActions,
    pub public: AnonymousAccess,
}

impl RequiredPermission {
    /// Requires the bearer token of a user.
    pub const BEARER_TOKEN: RequiredPermission =
        RequiredPermission { public: AnonymousAccess::User, ..RequiredPermission::owner(ResourceLevel::Service) };

    /// Requires no credentials.
    pub const ANYONE: RequiredPermission =
        RequiredPermission::owner(ResourceLevel::Service).actions(&[&[]]).or_anonymous(AnonymousAccess::Everyone);

    /// Requires the account key, or a token; no SAS is sufficient.
    pub const fn owner(level: ResourceLevel) -> RequiredPermission {
        let (account, service, actions) = ("", "", RequiredActions::UNDECLARED);
        RequiredPermission { level, account, service, all: false, actions, public: AnonymousAccess::Never }
    }

    /// Requires one of these letters for the service itself.
    pub const fn service(letters: &'static str) -> RequiredPermission {
        RequiredPermission { account: letters, service: letters, ..RequiredPermission::owner(ResourceLevel::Service) }
    }

    /// Requires one of these letters for a container, queue, table or share.
    pub const fn container(letters: &'static str) -> RequiredPermission {
        RequiredPermission { account: letters, service: letters, ..RequiredPermission::owner(ResourceLevel::Container) }
    }

    /// Requires one of these letters for a blob, message, entity or file.
    pub const fn object(letters: &'static str) -> RequiredPermission {
        RequiredPermission { account: letters, service: letters, ..RequiredPermission::owner(ResourceLevel::Object) }
    }

    /// Requires all of the letters.
    pub const fn all(self) -> RequiredPermission {
        RequiredPermission { all: true, ..self }
    }

    /// Requires other letters of a service SAS.
    pub const fn service_sas(self, letters: &'static str) -> RequiredPermission {
        RequiredPermission { service: letters, ..self }
    }

    /// No service SAS is sufficient.
    pub const fn account_sas_only(self) -> RequiredPermission {
        self.service_sas("")
    }

    /// Requires that the roles of a principal permit all actions of one of these lists.
    pub const fn actions(self, any: RoleActions) -> RequiredPermission {
        RequiredPermission { actions: RequiredActions(any), ..self }
    }

    /// Requires nothing if the container has this public access.
    pub const fn or_anonymous(self, public: AnonymousAccess) -> RequiredPermission {
        RequiredPermission { public, ..self }
    }
}

/// The public access to a container (`x-ms-blob-public-access`).
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PublicAccess {
    /// None, also if the container does not exist.
    #[default]
    Private,
    /// Everyone can read its blobs.
    Blob,
    /// Everyone can read and list its blobs, and read its properties.
    Container,
}

/// The resources that a shared access signature gives access to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SasScope {
    /// An account SAS: these services (`bqtf`) at these levels (`sco`).
    Account { services: Permissions, types: Permissions },
    /// A service or user delegation SAS: the resource whose name it signs, which is that of the request.
    Resource,
}

/// The authorization of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authorization {
    /// The account key: everything but operations for users.
    Owner,
    /// The bearer token of a principal, with the actions that its roles permit on the resource.
    User(ActionSet),
    /// A valid shared access signature.
    Sas {
        scope: SasScope,
        /// The permissions in the signature or in its stored policy.
        letters: Permissions,
        /// The actions of the principal with whose delegation key it is signed; all for an account key.
        actions: ActionSet,
    },
    /// None, for a container with this public access.
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

/// The letters that handlers check, and the actions that stand for them in roles: any one of these is sufficient.
const LETTER_ACTIONS: &[(char, &[RoleAction])] = &[
    ('w', &[RoleAction::BlobWrite, RoleAction::FileWrite]),
    ('t', &[RoleAction::BlobTagsWrite]),
    ('i', &[RoleAction::BlobImmutability]),
    ('d', &[RoleAction::BlobDelete]),
    ('x', &[RoleAction::BlobDeleteVersion]),
    ('y', &[RoleAction::BlobPermanentDelete]),
    ('o', &[RoleAction::BlobManageOwnership, RoleAction::BlobRunAsSuperUser]),
    ('e', &[RoleAction::BlobModifyPermissions, RoleAction::BlobManageOwnership, RoleAction::BlobRunAsSuperUser]),
    ('p', &[RoleAction::BlobModifyPermissions, RoleAction::BlobRunAsSuperUser]),
];

/// The actions that stand for these letters.
fn actions_of(letters: &str) -> impl Iterator<Item = RoleAction> {
    LETTER_ACTIONS.iter().filter(move |(letter, _)| letters.contains(*letter)).flat_map(|(_, actions)| actions.iter().copied())
}

/// Returns true if the actions permit what one of these letters does.
fn permit_letters(actions: ActionSet, letters: &str) -> bool {
    actions == ActionSet::ALL || actions_of(letters).any(|action| actions.contains(action))
}

impl Authorization {
    /// Returns true for the account key, and for the token of a principal that no role limits.
    pub fn is_unlimited(&self) -> bool {
        matches!(self, Authorization::Owner | Authorization::User(ActionSet::ALL))
    }

    /// Returns true if the caller has one of these letters, for a handler that requires more than its specification: `t` to write tags,
    /// `x` to delete a version.
    pub fn allows(&self, letters: &str) -> bool {
        match self {
            Authorization::Owner => true,
            Authorization::User(actions) => permit_letters(*actions, letters),
            Authorization::Sas { letters: held, actions, .. } => {
                letters.chars().any(|letter| held.contains(letter) && permit_letters(*actions, letter.encode_utf8(&mut [0; 4])))
            }
            Authorization::Anonymous(_) => false,
        }
    }

    /// The error of a handler that requires one of these letters.
    pub fn missing_permission(&self, needed: &str) -> StorageError {
        match self {
            Authorization::Sas { letters, .. } if !letters.any_of(needed) => missing_letters(needed, *letters),
            Authorization::Sas { .. } | Authorization::User(_) => {
                let names: Vec<&str> = actions_of(needed).map(RoleAction::name).collect();
                missing_actions(&names.join(" or "))
            }
            Authorization::Owner | Authorization::Anonymous(_) => missing_letters(needed, Permissions::default()),
        }
    }

    /// Returns true if the caller may overwrite a resource: a SAS with `c` and without `w` may only create one.
    pub fn may_overwrite(&self) -> bool {
        self.allows("w")
    }
}

/// Checks that the authorization is sufficient for an operation. `service` is a letter, one of `b`, `q`, `t`, `f`.
///
/// # Errors
/// 401 or 403; 404 for old versions without credentials.
pub fn check_permission(
    required: &RequiredPermission,
    authorization: &Authorization,
    service: char,
    version: Version,
) -> Result<(), StorageError> {
    match *authorization {
        Authorization::User(actions) => check_actions(required.actions, actions),
        Authorization::Owner | Authorization::Sas { .. } if required.public == AnonymousAccess::User => {
            Err(ErrorCode::AuthenticationFailed
                .with_detail("AuthenticationErrorDetail", "Only authentication scheme Bearer is supported"))
        }
        Authorization::Owner => Ok(()),
        Authorization::Sas { scope: SasScope::Account { services, types }, letters, .. } => {
            refuse_if(required.account.is_empty(), || ErrorCode::AuthorizationFailure.with_reason("no account SAS can do this"))?;
            refuse_if(!services.contains(service), || {
                ErrorCode::AuthorizationServiceMismatch.with_reason(format!("ss has to have {service}, and is {services}"))
            })?;
            if !types.contains(required.level.letter()) {
                let reason = format!("srt has to have {}, and is {types}", required.level.letter());
                return Err(wrong_level(required.level, version).with_reason(reason));
            }
            check_letters(required.account, required.all, letters)
        }
        Authorization::Sas { scope: SasScope::Resource, letters, actions } => {
            refuse_if(required.service.is_empty(), || ErrorCode::AuthorizationFailure.with_reason("no service SAS can do this"))?;
            check_letters(required.service, required.all, letters)?;
            check_actions(required.actions, actions)
        }
        Authorization::Anonymous(open) => decide_anonymous(required.public, open, version),
    }
}

fn refuse_if(refused: bool, error: impl FnOnce() -> StorageError) -> Result<(), StorageError> {
    if refused { Err(error()) } else { Ok(()) }
}

/// Checks the roles of a principal.
fn check_actions(required: RequiredActions, held: ActionSet) -> Result<(), StorageError> {
    refuse_if(!required.are_in(held), || missing_actions(&required.to_string()))
}

/// The error for a principal whose roles do not permit this.
fn missing_actions(needed: &str) -> StorageError {
    let reason = match needed {
        "" => "no role permits this".to_owned(),
        needed => format!("no role of the principal permits {needed} here"),
    };
    ErrorCode::AuthorizationPermissionMismatch.with_reason(reason)
}

fn check_letters(needed: &str, all: bool, given: Permissions) -> Result<(), StorageError> {
    if all {
        let reason = || format!("the SAS has to permit both {}", joined(needed, " and "));
        return refuse_if(!given.all_of(needed), || ErrorCode::AuthorizationPermissionMismatch.with_reason(reason()));
    }
    refuse_if(!given.any_of(needed), || missing_letters(needed, given))
}

/// The error for a SAS without any of these letters.
fn missing_letters(needed: &str, given: Permissions) -> StorageError {
    let reason = format!("the SAS has to permit {}, and permits {given}", joined(needed, " or "));
    ErrorCode::AuthorizationPermissionMismatch.with_reason(reason)
}

fn joined(letters: &str, word: &str) -> String {
    letters.chars().map(String::from).collect::<Vec<_>>().join(word)
}

fn wrong_level(level: ResourceLevel, version: Version) -> StorageError {
    let error = StorageError::from(ErrorCode::AuthorizationResourceTypeMismatch);
    if version < Version::V2024_08_04 {
        return error;
    }
    let needed = level.letter();
    error.with_detail("ExtendedErrorDetail", format!("SignedResourceTypes '{needed}' is required to perform this operation."))
}

/// Since 2019-12-12, which has bearer challenges, the error requests credentials; for older versions the resource does not exist. Evidence
/// for Blob and File are live tests of the .NET libraries, and recordings of Blob's reads; Queue and Table are assumed to be the same.
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
    const GET_USER_DELEGATION_KEY: RequiredPermission = RequiredPermission::BEARER_TOKEN;
    const SET_ACL: RequiredPermission = RequiredPermission::owner(ResourceLevel::Container);
    const UPSERT_ENTITY: RequiredPermission = RequiredPermission::object("au").all();

    fn set(text: &str) -> Permissions {
        Permissions::parse(text).unwrap()
    }

    fn account(services: &str, types: &str, letters: &str) -> Authorization {
        Authorization::Sas {
            scope: SasScope::Account { services: set(services), types: set(types) },
            letters: set(letters),
            actions: ActionSet::ALL,
        }
    }

    fn resource(letters: &str) -> Authorization {
        Authorization::Sas { scope: SasScope::Resource, letters: set(letters), actions: ActionSet::ALL }
    }

    fn outcome(
        required: &RequiredPermission,
        authorization: &Authorization,
        service: char,
        version: Version,
    ) -> Option<ErrorCode> {
        check_permission(required, authorization, service, version).err().map(|error| error.code())
    }

    #[test]
    fn the_reason_of_an_error_names_the_letters() {
        let reason_of = |required, authorization| {
            check_permission(required, &authorization, 'b', Version::V2019_12_12).unwrap_err().reason().to_owned()
        };
        for (authorization, reason) in [
            (resource("rl"), "the SAS has to permit c or w, and permits lr"),
            (resource(""), "the SAS has to permit c or w, and permits nothing"),
            (account("b", "o", "r"), "the SAS has to permit c or w, and permits r"),
            (account("b", "sc", "w"), "srt has to have o, and is cs"),
            (account("qt", "o", "w"), "ss has to have b, and is qt"),
        ] {
            assert_eq!(reason_of(&PUT_BLOB, authorization), reason);
        }
        assert_eq!(resource("r").missing_permission("t").reason(), "the SAS has to permit t, and permits r");
        assert_eq!(reason_of(&SET_ACL, resource("w")), "no service SAS can do this");
        assert_eq!(reason_of(&UPSERT_ENTITY, resource("ru")), "the SAS has to permit both a and u");
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
    fn an_authorization_is_compared_with_the_required_permission() {
        use ErrorCode::*;
        for (required, authorization, service, refusal) in [
            (GET_BLOB, Authorization::Owner, 'b', None),
            (SET_ACL, Authorization::Owner, 'b', None),
            (SET_ACL, Authorization::User(ActionSet::ALL), 'b', None),
            (GET_BLOB, Authorization::User(ActionSet::ALL), 'b', None),
            (GET_USER_DELEGATION_KEY, Authorization::User(ActionSet::ALL), 'b', None),
            (GET_USER_DELEGATION_KEY, Authorization::Owner, 'b', Some(AuthenticationFailed)),
            (GET_USER_DELEGATION_KEY, account("b", "sco", "rwdl"), 'b', Some(AuthenticationFailed)),
            (GET_USER_DELEGATION_KEY, resource("r"), 'b', Some(AuthenticationFailed)),
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
            let code = outcome(&required, &authorization, service, Version::V2019_12_12);
            assert_eq!(code, refusal, "{required:?} {authorization:?}");
        }
    }

    /// `GET /c/b` without a version is 404 ResourceNotFound, `PUT /c/b` of 2020-02-10 is 401 NoAuthenticationInformation (recorded).
    #[test]
    fn anonymous_callers_get_what_is_public() {
        use ErrorCode::{NoAuthenticationInformation, ResourceNotFound};
        use PublicAccess::{Blob, Container, Private};
        let (old, new) = (Version::V2009_09_19, Version::V2020_02_10);
        for (required, open, version, refusal) in [
            (GET_BLOB, Private, old, Some(ResourceNotFound)),
            (GET_BLOB, Private, new, Some(NoAuthenticationInformation)),
            (GET_BLOB, Blob, new, None),
            (GET_BLOB, Container, old, None),
            (LIST_BLOBS, Blob, old, Some(ResourceNotFound)),
            (LIST_BLOBS, Blob, new, Some(NoAuthenticationInformation)),
            (LIST_BLOBS, Container, old, None),
            (PUT_BLOB, Container, old, Some(ResourceNotFound)),
            (PUT_BLOB, Container, new, Some(NoAuthenticationInformation)),
            (GET_USER_DELEGATION_KEY, Container, old, Some(ResourceNotFound)),
            (GET_USER_DELEGATION_KEY, Container, new, Some(NoAuthenticationInformation)),
            (DELETE_QUEUE, Private, Version::V2019_07_07, Some(ResourceNotFound)),
            (DELETE_QUEUE, Private, Version::V2019_12_12, Some(NoAuthenticationInformation)),
        ] {
            let code = outcome(&required, &Authorization::Anonymous(open), 'b', version);
            assert_eq!(code, refusal, "{required:?} {open:?} {version}");
        }
    }

    #[test]
    fn errors_of_newer_versions_name_the_required_level() {
        for (version, details) in [(Version::V2021_12_02, 0), (Version::V2024_08_04, 1)] {
            let error = check_permission(&GET_BLOB, &account("b", "s", "r"), 'b', version).unwrap_err();
            assert_eq!(error.details().len(), details);
            for (name, text) in error.details() {
                assert_eq!(*name, "ExtendedErrorDetail");
                assert_eq!(text, "SignedResourceTypes 'o' is required to perform this operation.");
            }
        }
    }

    #[test]
    fn permission_to_create_is_no_permission_to_overwrite() {
        for (authorization, overwrites, tags) in [
            (Authorization::Owner, true, true),
            (Authorization::User(ActionSet::ALL), true, true),
            (resource("c"), false, false),
            (resource("cwt"), true, true),
            (account("b", "o", "w"), true, false),
            (Authorization::Anonymous(PublicAccess::Container), false, false),
        ] {
            assert_eq!((authorization.may_overwrite(), authorization.allows("t")), (overwrites, tags), "{authorization:?}");
        }
    }

    /// A principal needs one of the actions, and a signature of its delegation key the letters too.
    #[test]
    fn handlers_check_letters_and_actions() {
        let signed = |letters: &str, actions| Authorization::Sas { scope: SasScope::Resource, letters: set(letters), actions };
        let (all, none) = (ActionSet::ALL, ActionSet::NONE);
        let of = |action| ActionSet::of(&[action]);
        for (authorization, letters, allowed) in [
            (Authorization::User(all), "w", true),
            (Authorization::User(none), "w", false),
            (Authorization::User(of(RoleAction::BlobWrite)), "w", true),
            (Authorization::User(of(RoleAction::FileWrite)), "w", true),
            (Authorization::User(of(RoleAction::BlobWrite)), "t", false),
            (Authorization::User(of(RoleAction::BlobTagsWrite)), "t", true),
            (Authorization::User(of(RoleAction::BlobDelete)), "x", false),
            (Authorization::User(of(RoleAction::BlobDeleteVersion)), "x", true),
            (Authorization::User(of(RoleAction::BlobDelete)), "dx", true),
            (signed("w", all), "w", true),
            (signed("w", of(RoleAction::BlobWrite)), "w", true),
            (signed("w", of(RoleAction::BlobRead)), "w", false),
            (signed("r", all), "w", false),
            (signed("d", of(RoleAction::BlobDeleteVersion)), "dx", false),
            (signed("x", of(RoleAction::BlobDeleteVersion)), "dx", true),
        ] {
            assert_eq!(authorization.allows(letters), allowed, "{authorization:?} {letters}");
            let error = authorization.missing_permission(letters);
            assert_eq!(error.code(), ErrorCode::AuthorizationPermissionMismatch);
        }
        assert_eq!(
            Authorization::User(none).missing_permission("t").reason(),
            "no role of the principal permits blobServices/containers/blobs/tags/write here"
        );
    }

    #[test]
    fn a_delegated_signature_needs_the_actions_of_its_signer() {
        let required = RequiredPermission::object("r").actions(&[&[RoleAction::BlobRead]]);
        for (letters, actions, permitted) in [
            ("r", ActionSet::ALL, true),
            ("r", ActionSet::of(&[RoleAction::BlobRead]), true),
            ("r", ActionSet::of(&[RoleAction::BlobWrite]), false),
            ("w", ActionSet::of(&[RoleAction::BlobRead]), false),
        ] {
            let authorization = Authorization::Sas { scope: SasScope::Resource, letters: set(letters), actions };
            let checked = check_permission(&required, &authorization, 'b', Version::V2021_12_02);
            assert_eq!(checked.is_ok(), permitted, "{letters} {actions:?}");
        }
    }
}
