"""One streamed turn of an agent of the OpenAI Agents SDK with a tool. Address and key are in its usual variables."""

import asyncio

from agents import Agent, Runner, function_tool


@function_tool
def weather(city: str) -> str:
    """Tells the weather."""
    return "Sunny in " + city


async def main():
    agent = Agent(name="Assistant", model="mock-tools", tools=[weather])
    answer = Runner.run_streamed(agent, 'weather {"city": "Ulm, ask anna@example.org"}')
    deltas = 0
    async for event in answer.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            deltas += 1
        if event.type == "run_item_stream_event" and event.name == "tool_output":
            print("result: " + event.item.output)
    assert deltas > 1, "the answer is not streamed"
    assert "Sunny in Ulm, ask anna@example.org" in answer.final_output, answer.final_output


asyncio.run(main())
