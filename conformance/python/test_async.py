"""The client for asyncio, which has a transport of its own."""

import asyncio

import pytest
from azure.storage.blob.aio import BlobServiceClient
from helpers import CONNECTION_STRING, KIB, MIB, pattern, refused, unique


@pytest.fixture
def with_container():
    """Runs a test's coroutine with a container."""

    async def run(test):
        async with BlobServiceClient.from_connection_string(
            CONNECTION_STRING,
            retry_total=0,
            max_single_put_size=MIB,
            max_block_size=MIB,
            max_single_get_size=MIB,
            max_chunk_get_size=MIB,
        ) as service:
            container = await service.create_container(unique())
            try:
                await test(service, container)
            finally:
                await container.delete_container()

    return lambda test: asyncio.run(run(test))


def test_what_goes_up_comes_down(with_container):
    async def check(_service, container):
        for size in (0, 1, MIB, 3 * MIB + 5):
            data = pattern(size)
            blob = await container.upload_blob(f"b{size}", data, max_concurrency=4, validate_content=True)
            stream = await blob.download_blob(max_concurrency=4, validate_content=True)
            assert (stream.size, await stream.readall()) == (size, data)

    with_container(check)


def test_streams(with_container):
    data = pattern(3 * MIB + 5)

    async def pieces():
        for start in range(0, len(data), 300 * KIB):
            yield data[start : start + 300 * KIB]

    async def check(_service, container):
        blob = await container.upload_blob("stream", pieces())
        chunks = [chunk async for chunk in (await blob.download_blob()).chunks()]
        assert len(chunks) > 1 and b"".join(chunks) == data
        part = await blob.download_blob(offset=MIB - 1, length=2 * MIB)
        assert await part.readall() == data[MIB - 1 : 3 * MIB - 1]

    with_container(check)


def test_many_at_once(with_container):
    async def check(service, container):
        mark = unique("mark")
        names = [f"b{i:02}" for i in range(40)]
        await asyncio.gather(*(container.upload_blob(name, name, tags={"mark": mark}) for name in names))
        assert [name async for name in container.list_blob_names(results_per_page=7)] == names
        assert [b.name async for b in service.find_blobs_by_tags(f"mark='{mark}'", results_per_page=7)] == names

        async def text(name):
            return await (await container.download_blob(name, encoding="utf-8")).readall()

        assert await asyncio.gather(*map(text, names)) == names
        answers = [answer.status_code async for answer in await container.delete_blobs(*names)]
        assert answers == [202] * len(names)
        assert [name async for name in container.list_blob_names()] == []

    with_container(check)


def test_refusals(with_container):
    async def check(_service, container):
        blob = container.get_blob_client("missing")
        with refused(404, "BlobNotFound"):
            await blob.download_blob()
        assert not await blob.exists()
        await blob.upload_blob(b"data")
        with refused(409, "BlobAlreadyExists"):
            await blob.upload_blob(b"data")
        lease = await blob.acquire_lease(15)
        with refused(412, "LeaseIdMissing"):
            await blob.delete_blob()
        await blob.delete_blob(lease=lease)

    with_container(check)


def test_the_other_types_and_a_copy(with_container):
    async def check(_service, container):
        log = container.get_blob_client("log")
        await log.create_append_blob()
        assert (await log.append_block(b"one"))["blob_append_offset"] == "0"
        assert (await log.append_block(b"two"))["blob_append_offset"] == "3"
        copy = container.get_blob_client("copy")
        assert (await copy.start_copy_from_url(log.url))["copy_status"] == "success"
        assert await (await copy.download_blob()).readall() == b"onetwo"
        disk = container.get_blob_client("disk")
        await disk.create_page_blob(1024)
        await disk.upload_page(b"x" * 512, 512, 512)
        assert [(r.start, r.end) async for r in disk.list_page_ranges()] == [(512, 1023)]

    with_container(check)
