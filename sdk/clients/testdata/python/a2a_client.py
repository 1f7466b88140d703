"""Talks to the agent of a2a_agent.py through a gateway, with the official SDK, unchanged, in both versions of the protocol.

Usage: a2a_client.py ADDRESS-OF-THE-AGENT KEY PORT-FOR-NOTIFICATIONS CARD-NUMBER
"""

import asyncio
import http.server
import json
import queue
import sys
import threading

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import (
    AuthenticationInfo,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import TaskNotFoundError

base, key, port, number = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
hook = f"http://127.0.0.1:{port}/hook"
notices = queue.Queue()


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        notices.put((self.path, self.headers["X-A2A-Notification-Token"], self.headers["Authorization"], json.loads(body)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def message(text, **more):
    return SendMessageRequest(message=Message(role=Role.ROLE_USER, message_id="m-1", parts=[Part(text=text)], **more))


def target(**more):
    return TaskPushNotificationConfig(
        url=hook, token="own-token", authentication=AuthenticationInfo(scheme="Bearer", credentials="own-credentials"), **more
    )


async def say(client, request):
    """Returns the task's id, its last state and the text of its artifacts."""
    task, state, text = "", None, ""
    async for event in client.send_message(request):
        if event.HasField("task"):
            task, state = event.task.id, event.task.status.state
            text += "".join(p.text for a in event.task.artifacts for p in a.parts)
        elif event.HasField("status_update"):
            state = event.status_update.status.state
        elif event.HasField("artifact_update"):
            text += "".join(p.text for p in event.artifact_update.artifact.parts)
    return task, state, text


def await_end():
    """Waits for the notification that a task has ended, and returns all up to it as text."""
    seen = ""
    while "completed" not in seen.lower():
        path, token, authorization, body = notices.get(timeout=30)
        assert (path, token, authorization) == ("/hook", "own-token", "Bearer own-credentials"), (path, token, authorization)
        seen += json.dumps(body)
    return seen


async def talk(http_client, card, version):
    for i in [i for i in card.supported_interfaces if i.protocol_version != version]:
        card.supported_interfaces.remove(i)
    assert [i.url for i in card.supported_interfaces] == [base], card
    assert card.capabilities.push_notifications and card.capabilities.streaming
    for streaming in (True, False):
        client = ClientFactory(ClientConfig(httpx_client=http_client, streaming=streaming)).create(card)
        task, state, text = await say(client, message(f"charge {number} today"))
        assert state == TaskState.TASK_STATE_COMPLETED, state
        assert text == f"charge {number} today", text
        got = await client.get_task(GetTaskRequest(id=task))
        assert got.id == task and number in str(got), got
        try:
            await client.get_task(GetTaskRequest(id="t-of-somebody-else"))
            raise AssertionError("found the task of somebody else")
        except TaskNotFoundError:
            pass

    pushing = ClientFactory(ClientConfig(httpx_client=http_client, push_notification_config=target(), streaming=False)).create(card)
    task, state, _ = await say(pushing, message(f"charge {number} soon"))
    assert state == TaskState.TASK_STATE_COMPLETED, state
    seen = await asyncio.to_thread(await_end)
    assert task in seen and number in seen, seen

    client = ClientFactory(ClientConfig(httpx_client=http_client, streaming=False)).create(card)
    task, state, _ = await say(client, message("wait"))
    assert state == TaskState.TASK_STATE_INPUT_REQUIRED, state
    made = await client.create_task_push_notification_config(target(task_id=task, id="p-1"))
    assert (made.task_id, made.url, made.token) == (task, hook, ""), made
    got = await client.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(task_id=task, id="p-1"))
    assert (got.task_id, got.url) == (task, hook), got
    listed = await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task))
    assert [(c.task_id, c.url) for c in listed.configs] == [(task, hook)], listed
    _, state, _ = await say(client, message("go on", task_id=task))
    assert state == TaskState.TASK_STATE_COMPLETED, state
    assert task in await asyncio.to_thread(await_end)
    await client.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(task_id=task, id="p-1"))
    listed = await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task))
    assert not listed.configs, listed


async def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http_client:
        for version in ("1.0", "0.3"):
            await talk(http_client, await A2ACardResolver(http_client, base).get_agent_card(), version)
            print("ok", version)
    server.shutdown()


asyncio.run(main())
