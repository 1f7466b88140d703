"""Chats through the gateway with OpenAI's Python client: chat.py BASE KEY MODEL CARD."""

import sys

import openai

base, key, model, card = sys.argv[1:]
client = openai.OpenAI(base_url=base, api_key=key, max_retries=0)
messages = [{"role": "user", "content": "Your card " + card + " is fine."}]

text, usage = "", None
for chunk in client.chat.completions.create(
    model=model, messages=messages, stream=True, stream_options={"include_usage": True}
):
    if chunk.choices and chunk.choices[0].delta.content:
        text += chunk.choices[0].delta.content
    usage = chunk.usage or usage
assert card in text, text
assert usage is not None and usage.total_tokens > 0

if model.startswith("mock-"):
    whole = client.chat.completions.create(model=model, messages=messages)
    assert whole.choices[0].message.content == messages[0]["content"], whole
    tool = {"type": "function", "function": {"name": "charge", "parameters": {"type": "object"}}}
    call = client.chat.completions.create(model="mock-tools", messages=messages, tools=[tool])
    assert card in call.choices[0].message.tool_calls[0].function.arguments, call
    assert "mock-echo" in [m.id for m in client.models.list()]
    try:
        client.chat.completions.create(model="none", messages=messages)
        raise SystemExit("an unknown model was served")
    except openai.NotFoundError as e:
        assert e.status_code == 404 and e.code == "model_not_found", e

print("ok", openai.__version__)
