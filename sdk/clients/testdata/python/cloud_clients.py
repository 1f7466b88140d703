"""The vendors' clients for their clouds, at fakes of these clouds: ROOT. What they can read, the fakes speak."""

import sys

import anthropic
import google.genai
import openai
from google.genai import types
from google.oauth2.credentials import Credentials

root = sys.argv[1]
ASK = [{"role": "user", "content": "charge the card"}]


def text(message):
    return "".join(b.text for b in message.content if b.type == "text")


def messages(client, model):
    whole = client.messages.create(model=model, max_tokens=64, messages=ASK)
    with client.messages.stream(model=model, max_tokens=64, messages=ASK) as s:
        streamed = s.get_final_message()
    for m in (whole, streamed):
        assert "is fine." in text(m) and m.stop_reason == "end_turn", m
        assert m.usage.output_tokens == 23, m.usage


messages(
    anthropic.AnthropicVertex(base_url=root + "/vertex/v1", region="global", project_id="my-project", access_token="t", max_retries=0),
    "claude-sonnet-4-5@20250929")
messages(
    anthropic.AnthropicBedrock(base_url=root + "/bedrock", aws_region="eu-central-1", aws_access_key="AKID", aws_secret_key="s", max_retries=0),
    "eu.anthropic.claude-sonnet-4-5-20250929-v1:0")

for client in (
    openai.AzureOpenAI(azure_endpoint=root + "/azure", api_version="2024-10-21", azure_ad_token="t", max_retries=0),
    openai.OpenAI(base_url=root + "/azure/openai/v1", api_key="t", max_retries=0),
):
    r = client.chat.completions.create(model="deploy-gpt", messages=ASK)
    assert "is fine." in r.choices[0].message.content and r.usage.completion_tokens == 23, r
    parts = client.chat.completions.create(model="deploy-gpt", messages=ASK, stream=True)
    assert "is fine." in "".join(p.choices[0].delta.content or "" for p in parts if p.choices)

gemini = google.genai.Client(
    vertexai=True, project="my-project", location="global", credentials=Credentials(token="t"),
    http_options=types.HttpOptions(base_url=root + "/vertex"))
r = gemini.models.generate_content(model="gemini-2.5-flash", contents="charge the card")
assert "is fine." in r.text and r.usage_metadata.prompt_token_count == 19, r
parts = list(gemini.models.generate_content_stream(model="gemini-2.5-flash", contents="charge the card"))
assert "is fine." in "".join(p.text or "" for p in parts), parts
print("ok", anthropic.__version__, openai.__version__, google.genai.__version__)
