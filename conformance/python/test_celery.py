"""A Celery worker that takes its tasks from a queue: kombu's transport, unchanged."""

import pytest
from azure.storage.queue import QueueServiceClient
from celery import Celery
from celery.contrib.testing.worker import start_worker
from helpers import CONNECTION_STRING, KEY, QUEUE_URL, unique

RESULTS = {}


@pytest.fixture
def app():
    prefix = unique("celery") + "-"
    app = Celery("conformance", broker=f"azurestoragequeues://{KEY}@{QUEUE_URL}", backend="cache+memory://")
    app.conf.update(
        broker_transport_options={"queue_name_prefix": prefix, "polling_interval": 0.05},
        broker_connection_retry_on_startup=False,
        task_default_queue="tasks",
        worker_enable_remote_control=False,
    )

    @app.task(name="conformance.add")
    def add(key, x, y):
        RESULTS[key] = RESULTS.get(key, ()) + (x + y,)
        return x + y

    yield app
    with QueueServiceClient.from_connection_string(CONNECTION_STRING) as queues:
        for queue in list(queues.list_queues(prefix)):
            queues.delete_queue(queue.name)


def test_tasks_are_done_once_each(app):
    add, key = app.tasks["conformance.add"], unique()
    sent = [add.delay(key, n, 1000) for n in range(20)]
    with start_worker(app, pool="solo", perform_ping_check=False, shutdown_timeout=30):
        assert [result.get(timeout=30) for result in sent] == [n + 1000 for n in range(20)]
        late = add.delay(key, 1, 2)
        assert late.get(timeout=30) == 3
    assert sorted(RESULTS[key]) == [3] + [n + 1000 for n in range(20)]
