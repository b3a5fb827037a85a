//! The principals that a server declares (`--identity`), and their roles.

use crate::rules::auth::roles::{self, Assignment, Rights};
use crate::rules::auth::token::Identity;
use crate::rules::text::guid;
use sha2::{Digest, Sha256};

/// A declared principal: a user, a service principal or a managed identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The name, which is also its client id.
    pub name: String,
    /// The object id.
    pub oid: String,
    /// The object ids of its groups, beyond those in its tokens.
    pub groups: Vec<String>,
    pub roles: Vec<Assignment>,
}

/// The declared principals. Without any, every principal may do everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Principals(pub Vec<Principal>);

/// What is wrong with a value of `--identity`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrincipalError {
    #[error("an identity has no name; write NAME[:OID][,role=ROLE][,scope=CONTAINER][,group=OID]")]
    NoName,
    #[error("the name {0:?} of an identity has a control character")]
    InvalidName(String),
    #[error("the identity {0:?} has an object id that is not a GUID: {1:?}")]
    InvalidOid(String, String),
    #[error("the identity {0:?} has no role before scope={1}")]
    ScopeWithoutRole(String, String),
    #[error("the identity {0:?} has two scopes for one role, {1} and {2}; repeat the role before the second")]
    TwoScopes(String, String, String),
    #[error("the identity {0:?}: scope={1:?} is not the name of a container, queue, table or share")]
    InvalidScope(String, String),
    #[error("the identity {name:?}: {role:?} is not a role; the roles are {}", roles::short_names().collect::<Vec<_>>().join(", "))]
    UnknownRole { name: String, role: String },
    #[error("the identity {name:?}: {option:?} is not an option; the options are role, scope and group")]
    UnknownOption { name: String, option: String },
    #[error("the identity {0:?} has the object id of another identity")]
    Duplicate(String),
}

/// The object id of a principal that is declared without one: derived from its name, so that it is the same at every start. A GUID is its
/// own object id.
pub fn oid_of(name: &str) -> String {
    if let Some(id) = guid(name) {
        return id.to_string();
    }
    let digest = Sha256::digest(name.to_lowercase());
    let bytes = std::array::from_fn(|at| digest.get(at).copied().unwrap_or_default());
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

/// Returns true for a name that some container, queue, table or share can have. A scope of another name would never match.
fn is_resource_name(scope: &str) -> bool {
    let name = scope.strip_prefix('$').unwrap_or(scope);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl Principal {
    /// Parses `NAME[:OID][,role=ROLE][,scope=CONTAINER][,group=OID]`. A scope is that of the role before it.
    ///
    /// # Errors
    /// [`PrincipalError`].
    pub fn parse(text: &str) -> Result<Principal, PrincipalError> {
        let mut parts = text.split(',').map(str::trim);
        let first = parts.next().unwrap_or_default();
        let (name, oid) = first.split_once(':').map_or((first, None), |(name, oid)| (name, Some(oid)));
        if name.is_empty() {
            return Err(PrincipalError::NoName);
        }
        if name.contains(char::is_control) {
            return Err(PrincipalError::InvalidName(name.to_owned()));
        }
        let name = name.to_owned();
        let id = |oid: &str| {
            let invalid = || PrincipalError::InvalidOid(name.clone(), oid.to_owned());
            guid(oid).map(|id| id.to_string()).ok_or_else(invalid)
        };
        let oid = oid.map_or_else(|| Ok(oid_of(&name)), id)?;
        let (mut groups, mut assigned) = (Vec::new(), Vec::new());
        // Where the roles of the last `role=` begin. One name can stand for several roles, and a scope is for all of them.
        let mut last_role: Option<usize> = None;
        let mut last_scope: Option<&str> = None;
        for part in parts.filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("role", role)) => {
                    let unknown = || PrincipalError::UnknownRole { name: name.clone(), role: role.to_owned() };
                    let found = roles::by_name(role.trim()).ok_or_else(unknown)?;
                    (last_role, last_scope) = (Some(assigned.len()), None);
                    assigned.extend(found.into_iter().map(|role| Assignment { role, scope: None }));
                }
                Some(("scope", scope)) => {
                    let since = last_role.ok_or_else(|| PrincipalError::ScopeWithoutRole(name.clone(), scope.to_owned()))?;
                    if let Some(other) = last_scope.replace(scope) {
                        return Err(PrincipalError::TwoScopes(name, other.to_owned(), scope.to_owned()));
                    }
                    if !is_resource_name(scope) {
                        return Err(PrincipalError::InvalidScope(name, scope.to_owned()));
                    }
                    let scoped = assigned.iter_mut().skip(since);
                    scoped.for_each(|assignment: &mut Assignment| assignment.scope = Some(scope.to_owned()));
                }
                Some(("group", group)) => groups.push(id(group)?),
                _ => return Err(PrincipalError::UnknownOption { name, option: part.to_owned() }),
            }
        }
        Ok(Principal { name, oid, groups, roles: assigned })
    }

    /// Returns true if this is the name or the object id of the principal.
    fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.oid.eq_ignore_ascii_case(name)
    }
}

impl Principals {
    /// Parses several, with `;` between them.
    ///
    /// # Errors
    /// [`PrincipalError`].
    pub fn parse(text: &str) -> Result<Principals, PrincipalError> {
        let mut principals = Principals::default();
        for entry in text.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
            principals.add(Principal::parse(entry)?)?;
        }
        Ok(principals)
    }

    /// Adds a principal. One that is declared twice has the roles and groups of both declarations.
    fn add(&mut self, new: Principal) -> Result<(), PrincipalError> {
        match self.0.iter_mut().find(|known| known.is_named(&new.name) || known.is_named(&new.oid)) {
            Some(known) if known.name != new.name || known.oid != new.oid => Err(PrincipalError::Duplicate(new.name)),
            Some(known) => {
                known.groups.extend(new.groups);
                known.roles.extend(new.roles);
                Ok(())
            }
            None => {
                self.0.push(new);
                Ok(())
            }
        }
    }

    /// Returns true if the server declares principals, and so limits what each may do.
    pub fn are_declared(&self) -> bool {
        !self.0.is_empty()
    }

    /// The declared principal with this name or object id.
    pub fn find(&self, name: &str) -> Option<&Principal> {
        self.0.iter().find(|principal| principal.is_named(name))
    }

    /// Adds the declared roles and groups to the identity in a token. If principals are declared, others have no role.
    pub fn resolve(&self, identity: Identity) -> Identity {
        if !self.are_declared() {
            return identity;
        }
        let by_name = || self.find(&identity.name).filter(|_| !identity.name.is_empty());
        let Some(declared) = self.find(&identity.oid).or_else(by_name) else {
            return Identity { rights: Rights::Assigned(Vec::new()), ..identity };
        };
        let groups = identity.groups.into_iter().chain(declared.groups.iter().cloned()).collect();
        Identity { groups, rights: Rights::Assigned(declared.roles.clone()), ..identity }
    }

    /// The identity with this object id, without a token: that of a principal that signed with a user delegation key.
    pub fn with_oid(&self, oid: &str, tid: &str) -> Identity {
        self.resolve(Identity { oid: oid.to_owned(), tid: tid.to_owned(), ..Identity::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::auth::roles::{ActionSet, RoleAction};

    const OID: &str = "0bef7f36-c9d2-4d24-8066-c7e915fe5143";
    const OTHER: &str = "c4f48289-bb84-4086-b250-6f94a8f64cee";

    #[test]
    fn an_identity_has_a_name_and_perhaps_roles() {
        let parse = |text: &str| Principal::parse(text).map(|principal| (principal.name, principal.oid, principal.groups));
        assert_eq!(parse("ann"), Ok(("ann".into(), oid_of("ann"), vec![])));
        assert_eq!(parse(&format!("ann:{}", OID.to_uppercase())), Ok(("ann".into(), OID.into(), vec![])));
        assert_eq!(parse(&format!(" ann , group={OTHER},role=reader")), Ok(("ann".into(), oid_of("ann"), vec![OTHER.into()])));
        let roles = |text: &str| {
            let roles = Principal::parse(text).unwrap().roles;
            roles.into_iter().map(|role| (role.role.short, role.scope.unwrap_or_default())).collect::<Vec<_>>()
        };
        let text = "ann,role=blob-reader,role=Storage Blob Data Contributor,scope=photos,role=sender";
        let expected = [("blob-reader", ""), ("blob-contributor", "photos"), ("queue-sender", "")];
        assert_eq!(roles(text), expected.map(|(role, scope)| (role, scope.to_owned())));
        let scopes = roles("ann,role=reader,scope=x");
        assert!(scopes.len() == 4 && scopes.iter().all(|(_, scope)| scope == "x"), "{scopes:?}");
        assert_eq!(roles("ann,role=none"), []);
    }

    #[test]
    fn what_is_no_identity_is_refused() {
        for (text, message) in [
            ("", "an identity has no name"),
            (":x", "an identity has no name"),
            ("ann:x", "the identity \"ann\" has an object id that is not a GUID: \"x\""),
            ("ann,group=x", "the identity \"ann\" has an object id that is not a GUID: \"x\""),
            ("ann,scope=x", "the identity \"ann\" has no role before scope=x"),
            ("ann,role=writer", "the identity \"ann\": \"writer\" is not a role; the roles are owner, contributor, "),
            ("ann,rolle=reader", "the identity \"ann\": \"rolle=reader\" is not an option"),
            ("ann,reader", "the identity \"ann\": \"reader\" is not an option"),
            ("ann,role=reader,scope=", "the identity \"ann\": scope=\"\" is not the name of a container, "),
            ("ann,role=reader,scope=a b", "the identity \"ann\": scope=\"a b\" is not the name of a container, "),
            ("ann,role=reader,scope=a/b", "the identity \"ann\": scope=\"a/b\" is not the name of a container, "),
            ("ann,role=reader,scope=a,scope=b", "the identity \"ann\" has two scopes for one role, a and b; repeat "),
            ("ann\nbob", "the name \"ann\\nbob\" of an identity has a control character"),
        ] {
            let error = Principal::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
        let twice = format!("ann:{OID};bob:{OID}");
        assert_eq!(Principals::parse(&twice), Err(PrincipalError::Duplicate("bob".into())));
        assert_eq!(Principals::parse(&format!("ann;ann:{OID}")), Err(PrincipalError::Duplicate("ann".into())));
    }

    #[test]
    fn an_object_id_is_the_same_for_the_same_name() {
        assert_eq!(oid_of("ann"), oid_of("Ann"));
        assert_ne!(oid_of("ann"), oid_of("bob"));
        assert_eq!(oid_of(&OID.to_uppercase()), OID);
        assert!(guid(&oid_of("ann")).is_some());
    }

    #[test]
    fn a_declared_principal_has_its_roles() {
        let principals =
            Principals::parse(&format!("ann:{OID},role=blob-reader,group={OTHER};ann:{OID},role=sender; bob")).unwrap();
        assert_eq!(principals.0.len(), 2);
        let identity = |oid: &str, name: &str| Identity { oid: oid.into(), name: name.into(), ..Identity::default() };
        for (who, reads) in [
            (identity(OID, ""), true),
            (identity(&OID.to_uppercase(), "x"), true),
            (identity(OTHER, "ann"), true),
            (identity(OTHER, ""), false),
            (identity(&oid_of("bob"), ""), false),
        ] {
            let resolved = principals.resolve(who.clone());
            assert_eq!(resolved.rights.on(None).contains(RoleAction::BlobRead), reads, "{who:?}");
            assert_eq!(resolved.groups == [OTHER], reads, "{who:?}");
            assert_ne!(resolved.rights, Rights::All);
        }
        assert_eq!(Principals::default().resolve(identity(OTHER, "")).rights.on(None), ActionSet::ALL);
        assert_eq!(principals.with_oid(OID, "t").tid, "t");
    }
}
