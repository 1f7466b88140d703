"""Anthropic's Python client: ROOT KEY CARD MODEL..."""

import anthropic
from scenario import ANSWER, CHARGED, PROMPT, SCHEMA, SYSTEM, each, key, root, same_args

client = anthropic.Anthropic(base_url=root, auth_token=key, api_key=None, max_retries=0)


def say(model, stream, more, tools):
    p = dict(model=model, max_tokens=64, system=SYSTEM, extra_body={"temperature": 0.5})
    p["messages"] = [{"role": "user", "content": PROMPT}] + more
    if tools:
        p["tools"] = [{"name": "charge", "input_schema": SCHEMA}]
    if not stream:
        r = client.messages.create(**p)
    else:
        with client.messages.stream(**p) as s:
            for _ in s:
                pass
            r = s.get_final_message()
    u = r.usage
    assert u.input_tokens + (u.cache_read_input_tokens or 0) == 19 and u.output_tokens == 23, r
    return r


for model, stream in each():
    r = say(model, stream, [], False)
    assert "".join(b.text for b in r.content if b.type == "text") == ANSWER and r.stop_reason == "end_turn", r
    r = say(model, stream, [], True)
    call = [b for b in r.content if b.type == "tool_use"][0]
    same_args(call.input)
    assert call.name == "charge" and r.stop_reason == "tool_use", r
    r = say(model, stream, [
        {"role": "assistant", "content": [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": CHARGED}]}], True)
    assert "".join(b.text for b in r.content if b.type == "text") == ANSWER, r
assert [m.id for m in client.models.list()] == ["claude-sonnet-4-5"]
assert client.messages.count_tokens(model="gpt-4o", messages=[{"role": "user", "content": PROMPT}]).input_tokens > 0
print("ok", anthropic.__version__)
