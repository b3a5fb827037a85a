from datetime import timedelta

import pytest
from azure.storage.blob import AccessPolicy, ContainerSasPermissions, PublicAccess
from helpers import an_hour_ago, in_an_hour, refused, unique


def test_a_container_comes_and_goes(service):
    container = service.get_container_client(unique())
    assert not container.exists()
    created = container.create_container()
    assert created["etag"] and created["last_modified"]
    assert container.exists()
    container.delete_container()
    assert not container.exists()


def test_a_name_can_be_taken_once(container):
    with refused(409, "ContainerAlreadyExists"):
        container.create_container()


def test_what_is_not_there_cannot_be_deleted(service):
    with refused(404, "ContainerNotFound"):
        service.get_container_client(unique()).delete_container()


def test_what_is_not_there_has_no_properties(service):
    with refused(404, "ContainerNotFound"):
        service.get_container_client(unique()).get_container_properties()


@pytest.mark.parametrize("name", ["Upper", "under_score", "-leading", "trailing-", "two--dashes", "dot.ted"])
def test_a_name_keeps_to_the_alphabet(service, name):
    with refused(400, "InvalidResourceName"):
        service.create_container(name)


@pytest.mark.parametrize("name", ["ab", "a" * 64])
def test_a_name_keeps_to_its_length(service, name):
    with refused(400, "OutOfRangeInput"):
        service.create_container(name)


def test_properties_of_a_new_container(container):
    properties = container.get_container_properties()
    assert properties.name == container.container_name
    assert properties.etag and properties.last_modified
    assert (properties.lease.status, properties.lease.state) == ("unlocked", "available")
    assert properties.metadata == {}
    assert properties.public_access is None
    assert properties.has_immutability_policy is False
    assert properties.has_legal_hold is False


def test_metadata_keeps_its_case_and_moves_the_etag(make_container):
    container = make_container(metadata={"CamelCase": "One", "lower": "two words"})
    before = container.get_container_properties()
    assert before.metadata == {"CamelCase": "One", "lower": "two words"}

    container.set_container_metadata({"OtherName": "3"})
    after = container.get_container_properties()
    assert after.metadata == {"OtherName": "3"}
    assert after.etag != before.etag

    container.set_container_metadata({})
    assert container.get_container_properties().metadata == {}


def test_metadata_may_be_set_only_if_modified_since(container):
    modified = container.get_container_properties().last_modified
    with refused(412, "ConditionNotMet"):
        container.set_container_metadata({"a": "b"}, if_modified_since=modified)
    container.set_container_metadata({"a": "b"}, if_modified_since=modified - timedelta(seconds=1))


def test_deletion_may_depend_on_the_date(container):
    modified = container.get_container_properties().last_modified
    with refused(412, "ConditionNotMet"):
        container.delete_container(if_unmodified_since=modified - timedelta(seconds=1))
    container.delete_container(if_unmodified_since=modified)


def test_containers_are_listed_by_prefix_with_their_metadata(service, make_container):
    container = make_container(metadata={"CamelCase": "kept"})
    name = container.container_name
    (listed,) = service.list_containers(name_starts_with=name, include_metadata=True)
    assert listed.name == name
    assert listed.metadata == {"CamelCase": "kept"}
    assert listed.etag == container.get_container_properties().etag
    assert listed.lease.state == "available"
    (plain,) = service.list_containers(name_starts_with=name)
    assert not plain.metadata


def test_containers_are_listed_in_order_page_by_page(service, make_container):
    names = sorted(make_container().container_name for _ in range(5))
    pages = [[c.name for c in page] for page in service.list_containers(name_starts_with="test-", results_per_page=2).by_page()]
    listed = [name for page in pages for name in page]
    assert listed == sorted(listed)
    assert set(names) <= set(listed)
    assert all(len(page) == 2 for page in pages[:-1])


def test_a_new_container_has_no_policies_and_is_private(container):
    assert container.get_container_access_policy() == {"public_access": None, "signed_identifiers": []}


def test_stored_policies_are_kept_and_replaced(container):
    start, expiry = an_hour_ago().replace(microsecond=0), in_an_hour().replace(microsecond=0)
    container.set_container_access_policy(
        signed_identifiers={
            "reader": AccessPolicy(permission=ContainerSasPermissions(read=True, list=True), start=start, expiry=expiry),
            "bare": AccessPolicy(permission="w"),
        },
        public_access=PublicAccess.BLOB,
    )
    kept = container.get_container_access_policy()
    assert kept["public_access"] == "blob"
    policies = {identifier.id: identifier.access_policy for identifier in kept["signed_identifiers"]}
    assert list(policies) == ["reader", "bare"]
    assert policies["reader"].permission == "rl"
    assert str(policies["reader"].start).startswith(start.strftime("%Y-%m-%dT%H:%M:%S"))
    assert str(policies["reader"].expiry).startswith(expiry.strftime("%Y-%m-%dT%H:%M:%S"))
    assert policies["bare"].permission == "w"
    assert container.get_container_properties().public_access == "blob"

    container.set_container_access_policy(signed_identifiers={})
    assert container.get_container_access_policy() == {"public_access": None, "signed_identifiers": []}


def test_five_policies_are_the_most(container):
    five = {f"policy-{i}": AccessPolicy(permission="r") for i in range(5)}
    container.set_container_access_policy(signed_identifiers=five)
    assert len(container.get_container_access_policy()["signed_identifiers"]) == 5


def test_setting_policies_moves_the_etag(container):
    before = container.get_container_properties().etag
    answer = container.set_container_access_policy(signed_identifiers={})
    assert answer["etag"] == container.get_container_properties().etag != before


def test_what_blobs_do_leaves_the_container_untouched(container):
    before = container.get_container_properties()
    container.upload_blob("a", b"a")
    after = container.get_container_properties()
    assert (after.etag, after.last_modified) == (before.etag, before.last_modified)


def test_nothing_goes_into_a_deleted_container(container):
    container.delete_container()
    with refused(404, "ContainerNotFound"):
        container.upload_blob("b", b"b")
