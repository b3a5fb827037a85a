"""Who shows a token of Entra to the file service, and signs with the key that it lends."""

import pytest
from azure.core.credentials import AccessToken
from azure.storage.fileshare import ShareClient, ShareFileClient, ShareServiceClient, generate_file_sas, generate_share_sas
from helpers import ACCOUNT, BEARER_TOKEN, SECURE_BLOB_URL, SECURE_CERTIFICATE, SECURE_FILE_URL, an_hour_ago, in_an_hour, refused, unique

pytestmark = pytest.mark.skipif(
    not (SECURE_FILE_URL and SECURE_BLOB_URL and BEARER_TOKEN), reason="SECURE_FILE_URL and BEARER_TOKEN are not both set"
)

SECURE = {"retry_total": 0, "connection_verify": SECURE_CERTIFICATE}


class Bearer:
    """Has one token, whatever it is asked for."""

    def get_token(self, *scopes, **options):
        return AccessToken(BEARER_TOKEN, 4_102_444_800)


@pytest.fixture
def service():
    with ShareServiceClient(SECURE_FILE_URL, Bearer(), token_intent="backup", **SECURE) as client:
        yield client


@pytest.fixture
def share(service):
    client = service.create_share(unique())
    client.get_directory_client("d").create_directory()
    client.get_file_client("d/f").upload_file(b"content")
    yield client
    client.delete_share()


def test_an_intent_is_stated(share):
    assert share.get_file_client("d/f").download_file().readall() == b"content"
    with pytest.raises(ValueError):
        ShareFileClient(SECURE_FILE_URL, share.share_name, "d/f", credential=Bearer(), **SECURE)


def test_a_lent_key_signs(service, share):
    lent = service.get_user_delegation_key(start=an_hour_ago(SECURE_BLOB_URL), expiry=in_an_hour(SECURE_BLOB_URL))
    assert lent.signed_service == "f"
    made = {"user_delegation_key": lent, "permission": "rl", "expiry": in_an_hour(SECURE_BLOB_URL)}
    sas = generate_share_sas(ACCOUNT, share.share_name, **made)
    with ShareClient(SECURE_FILE_URL, share.share_name, credential=sas, **SECURE) as client:
        assert [one.name for one in client.list_directories_and_files()] == ["d"]
        assert client.get_file_client("d/f").download_file().readall() == b"content"
        with refused(403, "AuthorizationPermissionMismatch"):
            client.delete_directory("d")
    sas = generate_file_sas(ACCOUNT, share.share_name, ["d", "f"], **{**made, "permission": "r"})
    with ShareFileClient(SECURE_FILE_URL, share.share_name, "d/f", credential=sas, **SECURE) as client:
        assert client.download_file().readall() == b"content"
    with ShareFileClient(SECURE_FILE_URL, share.share_name, "d/g", credential=sas, **SECURE) as client:
        with refused(403, "AuthenticationFailed"):
            client.get_file_properties()
