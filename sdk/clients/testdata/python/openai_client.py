"""OpenAI's Python client, in the chat and Responses shapes: ROOT KEY CARD MODEL..."""

import openai
from scenario import ANSWER, CHARGED, PROMPT, SCHEMA, SYSTEM, each, key, root, same_args

client = openai.OpenAI(base_url=root + "/v1", api_key=key, max_retries=0)


def chat(model, stream, messages, tools):
    p = dict(model=model, messages=messages, max_tokens=64, temperature=0.5)
    if tools:
        p["tools"] = [{"type": "function", "function": {"name": "charge", "parameters": SCHEMA}}]
    if not stream:
        r = client.chat.completions.create(**p)
    else:
        with client.chat.completions.stream(stream_options={"include_usage": True}, **p) as s:
            for _ in s:
                pass
            r = s.get_final_completion()
    assert r.usage.prompt_tokens == 19, r
    return r.choices[0]


def respond(model, stream, more, tools):
    p = dict(model=model, instructions=SYSTEM, max_output_tokens=64, temperature=0.5)
    p["input"] = [{"role": "user", "content": PROMPT}] + more
    if tools:
        p["tools"] = [{"type": "function", "name": "charge", "parameters": SCHEMA, "strict": False}]
    if not stream:
        r = client.responses.create(**p)
    else:
        with client.responses.stream(**p) as s:
            for _ in s:
                pass
            r = s.get_final_response()
    assert r.status == "completed" and r.usage.input_tokens == 19 and r.usage.output_tokens == 23, r
    return r


for model, stream in each():
    ask = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": PROMPT}]
    c = chat(model, stream, ask, False)
    assert c.message.content == ANSWER and c.finish_reason == "stop", c
    c = chat(model, stream, ask, True)
    call = c.message.tool_calls[0]
    same_args(call.function.arguments)
    assert call.function.name == "charge" and c.finish_reason == "tool_calls", c
    back = {"role": "assistant", "content": c.message.content, "tool_calls": [
        {"id": call.id, "type": "function", "function": {"name": "charge", "arguments": call.function.arguments}}]}
    c = chat(model, stream, ask + [back, {"role": "tool", "tool_call_id": call.id, "content": CHARGED}], True)
    assert c.message.content == ANSWER, c

    assert respond(model, stream, [], False).output_text == ANSWER
    call = [i for i in respond(model, stream, [], True).output if i.type == "function_call"][0]
    same_args(call.arguments)
    r = respond(model, stream, [
        {"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments},
        {"type": "function_call_output", "call_id": call.call_id, "output": CHARGED}], True)
    assert r.output_text == ANSWER, r
assert "gpt-4o" in [m.id for m in client.models.list()]
print("ok", openai.__version__)
