"""One streamed turn of a LlamaIndex agent with a tool: BASE KEY."""

import asyncio
import sys

from llama_index.core.agent.workflow import AgentStream, FunctionAgent, ToolCallResult
from llama_index.llms.openai_like import OpenAILike

base, key = sys.argv[1:]


def weather(city: str) -> str:
    """Tells the weather."""
    return "Sunny in " + city


async def main():
    llm = OpenAILike(
        model="mock-tools", api_base=base + "/v1", api_key=key, is_chat_model=True, is_function_calling_model=True
    )
    text, deltas = "", 0
    handler = FunctionAgent(tools=[weather], llm=llm).run('weather {"city": "Ulm, ask anna@example.org"}')
    async for event in handler.stream_events():
        if isinstance(event, ToolCallResult):
            print("result: " + str(event.tool_output.content))
        elif isinstance(event, AgentStream) and event.delta:
            text += event.delta
            deltas += 1
    await handler
    assert deltas > 1, "the answer is not streamed"
    assert "Sunny in Ulm, ask anna@example.org" in text, text


asyncio.run(main())
