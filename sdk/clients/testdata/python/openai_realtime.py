"""Realtime sessions of OpenAI's Python client, in the current and the beta's form: ROOT KEY CARD"""

import asyncio

import openai
from scenario import card, key, root

ws = root.replace("http", "ws", 1) + "/v1"
client = openai.AsyncOpenAI(base_url=root + "/v1", websocket_base_url=ws, api_key=key, max_retries=0)
TOOL = {"type": "function", "name": "charge", "description": "Charges a card", "parameters": {"type": "object"}}
QUESTION = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "My card is " + card}]}


async def until(session, typ):
    events = []
    async for event in session:
        events.append(event)
        assert event.type != "error", event
        if event.type == typ:
            return events
    raise AssertionError("the session ended before " + typ)


async def talk(open_session, text, delta, spoken):
    async with open_session(model="mock-tools") as session:
        await until(session, "session.created")
        await session.session.update(session={"instructions": "Help.", "tools": [TOOL], **text})
        await until(session, "session.updated")
        await session.conversation.item.create(item=QUESTION)
        await session.response.create()
        done = (await until(session, "response.done"))[-1].response
        call = done.output[0]
        assert call.type == "function_call" and call.name == "charge" and card in call.arguments, done
        await session.conversation.item.create(
            item={"type": "function_call_output", "call_id": call.call_id, "output": "charged " + card})
        await session.response.create()
        events = await until(session, "response.done")
        said = "".join(e.delta for e in events if e.type == delta)
        assert said == "charged " + card, events
        assert events[-1].response.output[0].content[0].text == said, events[-1]
        assert events[-1].response.usage.total_tokens > 0, events[-1]
        assert sum(e.type == delta for e in events) > 1, "the answer is not streamed"
    async with open_session(model="mock-echo") as session:  # what is said, is heard and answered
        await until(session, "session.created")
        await session.input_audio_buffer.append(audio="SGVsbG8gdGhlcmUu")
        await session.input_audio_buffer.append(audio="AAAAAAAA")
        events = await until(session, "response.done")
        assert "".join(e.delta for e in events if e.type == spoken) == "Hello there.", events


asyncio.run(talk(client.realtime.connect, {"type": "realtime", "output_modalities": ["text"]},
                 "response.output_text.delta", "response.output_audio_transcript.delta"))
asyncio.run(talk(client.beta.realtime.connect, {"modalities": ["text"]},
                 "response.text.delta", "response.audio_transcript.delta"))
print("ok both forms")
