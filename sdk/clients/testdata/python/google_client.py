"""Google's Python client: ROOT KEY CARD MODEL..."""

from google import genai
from google.genai import types
from scenario import ANSWER, CHARGED, PROMPT, SCHEMA, SYSTEM, each, key, root, same_args


def run(client):
    def say(model, stream, more, tools):
        config = types.GenerateContentConfig(
            system_instruction=SYSTEM, max_output_tokens=64, temperature=0.5,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True))
        if tools:
            config.tools = [types.Tool(function_declarations=[
                types.FunctionDeclaration(name="charge", parameters_json_schema=SCHEMA)])]
        contents = [types.Content(role="user", parts=[types.Part(text=PROMPT)])] + more
        if stream:
            chunks = list(client.models.generate_content_stream(model=model, contents=contents, config=config))
        else:
            chunks = [client.models.generate_content(model=model, contents=contents, config=config)]
        parts, finish = [], None
        for c in chunks:
            for x in c.candidates or []:
                finish = x.finish_reason or finish
                parts += (x.content.parts or []) if x.content else []
        u = chunks[-1].usage_metadata
        assert u.prompt_token_count == 19 and u.total_token_count == 42, chunks
        assert finish == types.FinishReason.STOP, chunks
        return parts

    def text(parts):
        return "".join(p.text for p in parts if p.text and not p.thought)

    for model, stream in each():
        assert text(say(model, stream, [], False)) == ANSWER
        parts = say(model, stream, [], True)
        call = [p.function_call for p in parts if p.function_call][0]
        same_args(call.args)
        result = types.FunctionResponse(id=call.id, name=call.name, response={"output": CHARGED})
        parts = say(model, stream, [
            types.Content(role="model", parts=[p for p in parts if p.function_call]),
            types.Content(role="user", parts=[types.Part(function_response=result)])], True)
        assert text(parts) == ANSWER, parts
    assert "models/gemini-2.5-pro" in [m.name for m in client.models.list()]
    assert client.models.count_tokens(model="gpt-4o", contents=PROMPT).total_tokens > 0


for base in (root, root + "/v1/gen"):
    run(genai.Client(api_key=key, http_options=types.HttpOptions(base_url=base)))
print("ok", genai.__version__)
