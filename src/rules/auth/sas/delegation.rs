//! The parts of a user delegation SAS: its key, and perhaps the only user who may use it.

use crate::rules::auth::delegation::UserDelegationKey;
use crate::rules::auth::sas::kind::SasKind;
use crate::rules::auth::sas::parameters::refused;
use crate::rules::auth::sas::signature::Sas;
use crate::rules::auth::token::Identity;
use crate::rules::error::StorageError;
use crate::rules::text::lookup;

impl Sas {
    /// The user delegation key that it names.
    pub fn delegation_key(&self) -> Option<UserDelegationKey> {
        let SasKind::UserDelegation { key_start, key_expiry, .. } = self.kind else { return None };
        Some(UserDelegationKey {
            oid: self.parameter("skoid").to_owned(),
            tid: self.parameter("sktid").to_owned(),
            start: key_start,
            expiry: key_expiry,
            service: self.service,
            version: self.parameter("skv").to_owned(),
            delegated_tid: self.parameter("skdutid").to_owned(),
        })
    }

    /// Returns true if a query has a signature that only one user may use (`sduoid`), who also sends a bearer token.
    pub fn is_for_one_user(query: &[(String, String)]) -> bool {
        let has = |name: &str| lookup(query, name).is_some_and(|value| !value.is_empty());
        has("sig") && has("sduoid")
    }

    /// Checks that it is used by its only user, if it has one. The tenant of that user is the one that the key names for such users, or
    /// else the tenant of the key.
    ///
    /// # Errors
    /// 403 AuthenticationFailed.
    pub fn check_user(&self, user: Option<&Identity>) -> Result<(), StorageError> {
        let (oid, tenant) = (self.parameter("sduoid"), self.parameter("skdutid"));
        let tenant = if tenant.is_empty() { self.parameter("sktid") } else { tenant };
        match user {
            _ if oid.is_empty() => Ok(()),
            Some(user) if user.oid.eq_ignore_ascii_case(oid) && user.tid.eq_ignore_ascii_case(tenant) => Ok(()),
            Some(_) => Err(refused("The bearer token is not of the user that the signature names in sduoid.")),
            None => Err(refused("The signature is for one user (sduoid), who has to show a bearer token beside it.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::auth::sas::tests::{detail, query, sas};

    const KEY: &str = "sv=2026-04-06&sr=c&sp=r&se=2030-01-01&skoid=o&sktid=t&skt=2029-01-01&ske=2029-01-02&sks=b&skv=2026-02-06";

    #[test]
    fn the_key_is_in_the_signature() {
        assert_eq!(sas('b', "sv=2020-12-06&sr=c&sp=r&se=2030-01-01").delegation_key(), None);
        let key = sas('b', &format!("{KEY}&skdutid=d")).delegation_key().unwrap();
        let texts = [key.oid, key.tid, key.start.iso(), key.expiry.iso(), key.service.into(), key.version, key.delegated_tid];
        let expected = ["o", "t", "2029-01-01T00:00:00.0000000Z", "2029-01-02T00:00:00.0000000Z", "b", "2026-02-06", "d"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn only_one_user_may_use_it() {
        let user = |oid: &str, tid: &str| Some(Identity { oid: oid.into(), tid: tid.into(), ..Identity::default() });
        for (more, user, allowed) in [
            ("", None, true),
            ("", user("x", "y"), true),
            ("&sduoid=u", None, false),
            ("&sduoid=u", user("u", "t"), true),
            ("&sduoid=u", user("U", "T"), true),
            ("&sduoid=u", user("u", "d"), false),
            ("&sduoid=u", user("x", "t"), false),
            ("&sduoid=u&skdutid=d", user("u", "d"), true),
            ("&sduoid=u&skdutid=d", user("u", "t"), false),
        ] {
            let text = format!("{KEY}{more}");
            let outcome = sas('b', &text).check_user(user.as_ref());
            assert_eq!(outcome.is_ok(), allowed, "{more} {user:?}");
            outcome.err().iter().for_each(|error| assert!(detail(error).contains("bearer token"), "{error}"));
            assert_eq!(Sas::is_for_one_user(&query(&format!("{text}&sig=s"))), more.contains("sduoid"));
        }
    }
}
