"""One streamed turn of a LangChain agent with a tool, in the chat or the Messages shape: BASE KEY SHAPE."""

import sys

from langchain.agents import create_agent
from langchain.tools import tool

base, key, shape = sys.argv[1:]
if shape == "chat":
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="mock-tools", api_key=key, base_url=base + "/v1")
else:
    from langchain_anthropic import ChatAnthropic

    model = ChatAnthropic(model="mock-tools", api_key=key, base_url=base)


@tool
def weather(city: str) -> str:
    """Tells the weather."""
    return "Sunny in " + city


ask = {"messages": [{"role": "user", "content": 'weather {"city": "Ulm, ask anna@example.org"}'}]}
text, deltas = "", 0
for token, meta in create_agent(model, [weather]).stream(ask, stream_mode="messages"):
    if meta["langgraph_node"] == "tools":
        print("result: " + token.text)
    elif token.text:
        text += token.text
        deltas += 1
assert deltas > 1, "the answer is not streamed"
assert "Sunny in Ulm, ask anna@example.org" in text, text
