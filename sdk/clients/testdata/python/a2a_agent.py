"""An agent of the official SDK, in both versions of the protocol: it says back what it hears, in two pieces.

It writes each text that it hears, and where it was told to push, to its standard output.
"""

import sys

import httpx
import uvicorn
from a2a.helpers.proto_helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types.a2a_pb2 import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Part,
)
from starlette.applications import Starlette

port = int(sys.argv[1])


class Echo(AgentExecutor):
    async def execute(self, context, event_queue):
        text = context.get_user_input()
        print("heard " + text, flush=True)
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        task = TaskUpdater(event_queue, context.task_id, context.context_id)
        await task.start_work()
        if text == "wait":
            await task.requires_input()
            return
        half = len(text) // 2
        await task.add_artifact([Part(text=text[:half])], artifact_id="a", last_chunk=False)
        await task.add_artifact([Part(text=text[half:])], artifact_id="a", append=True, last_chunk=True)
        await task.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


class Store(InMemoryPushNotificationConfigStore):
    async def set_info(self, task_id, config, context):
        print("push " + str(config).replace("\n", " "), flush=True)
        return await super().set_info(task_id, config, context)


card = AgentCard(
    name="Echo",
    description="Says back what it hears.",
    version="1",
    supported_interfaces=[
        AgentInterface(url="http://10.0.0.1/", protocol_binding="JSONRPC", protocol_version=v) for v in ("1.0", "0.3")
    ],
    capabilities=AgentCapabilities(streaming=True, push_notifications=True),
    default_input_modes=["text/plain"],
    default_output_modes=["text/plain"],
    skills=[AgentSkill(id="echo", name="Echo", description="Says it back.", tags=["echo"])],
)
store = Store()
handler = DefaultRequestHandler(
    agent_executor=Echo(),
    task_store=InMemoryTaskStore(),
    agent_card=card,
    push_config_store=store,
    push_sender=BasePushNotificationSender(httpx.AsyncClient(), store),
)
app = Starlette(
    routes=create_agent_card_routes(card) + create_jsonrpc_routes(handler, "/", enable_v0_3_compat=True),
)
uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
