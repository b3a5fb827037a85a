import pytest
from azure.storage.blob import ContainerClient, ContainerSasPermissions, PartialBatchErrorException, StandardBlobTier
from helpers import BLOB_URL, container_sas, unique


def names(container):
    return [blob.name for blob in container.list_blobs()]


def test_blobs_are_deleted_in_a_batch(container):
    given = ["a", "with space/ü+&=.txt", "z"]
    for name in given:
        container.upload_blob(name, b"x")
    answers = list(container.delete_blobs(*given))
    assert [answer.status_code for answer in answers] == [202, 202, 202]
    assert names(container) == []


def test_one_refusal_in_a_batch_leaves_the_rest(container):
    container.upload_blob("a", b"x")
    container.upload_blob("b", b"x")
    with pytest.raises(PartialBatchErrorException) as caught:
        container.delete_blobs("a", "missing", "b")
    assert [part.status_code for part in caught.value.parts] == [202, 404, 202]
    assert names(container) == []
    answers = list(container.delete_blobs("missing", raise_on_any_failure=False))
    assert [answer.status_code for answer in answers] == [404]
    assert answers[0].headers["x-ms-error-code"] == "BlobNotFound"


def test_tiers_are_set_in_a_batch(container):
    container.upload_blob("a", b"x")
    container.upload_blob("b", b"x")
    list(container.set_standard_blob_tier_blobs(StandardBlobTier.COOL, "a", "b"))
    assert [container.get_blob_client(name).get_blob_properties().blob_tier for name in "ab"] == ["Cool", "Cool"]


def test_a_sas_signs_each_part(container):
    container.upload_blob("a", b"x")
    for permission, status in [(ContainerSasPermissions(read=True), 403), (ContainerSasPermissions(delete=True), 202)]:
        sas = container_sas(container, permission)
        client = ContainerClient(BLOB_URL, container.container_name, credential=sas)
        answers = list(client.delete_blobs("a", raise_on_any_failure=False))
        assert [answer.status_code for answer in answers] == [status]
    assert names(container) == []


def test_blobs_are_found_by_tags_page_by_page(service, container):
    mark = unique("mark")
    for name in ["a", "b", "c"]:
        container.upload_blob(name, b"x", tags={"mark": mark, "name": name})
    search = f"\"mark\"='{mark}' AND \"name\">='b'"
    assert [blob.name for blob in container.find_blobs_by_tags(search)] == ["b", "c"]
    pages = [list(page) for page in service.find_blobs_by_tags(search, results_per_page=1).by_page()]
    assert [[blob.name for blob in page] for page in pages] == [["b"], ["c"]]
    assert pages[0][0].container_name == container.container_name
    assert pages[0][0].tags == {"mark": mark, "name": "b"}
