"""Uses servers of tools through a gateway with the official SDK, unchanged, in both eras.

Usage: mcp_client.py KEY CARD-NUMBER ADDRESS...
"""

import asyncio
import sys

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

key, number, addresses = sys.argv[1], sys.argv[2], sys.argv[3:]


async def use(address, mode):
    http_client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60)
    async with Client(streamable_http_client(address, http_client=http_client), mode=mode) as client:
        tools = await client.list_tools()
        assert [t.name for t in tools.tools] == ["charge"], tools
        steps = []

        async def progress(done, total, _message):
            steps.append((done, total))

        result = await client.call_tool("charge", {"text": f"pay {number} now"}, progress_callback=progress)
        assert not result.is_error and result.content[0].text == f"charged pay {number} now", result
        assert steps == [(1, 2), (2, 2)], steps
        resources = await client.list_resources()
        assert [str(r.uri) for r in resources.resources] == ["file:///notes.txt"], resources
        read = await client.read_resource("file:///notes.txt")
        assert read.contents[0].text == "a note", read
        prompts = await client.list_prompts()
        assert [p.name for p in prompts.prompts] == ["greet"], prompts
        prompt = await client.get_prompt("greet", {"name": f"holder of {number}"})
        assert prompt.messages[0].content.text == f"Say hello to holder of {number}", prompt
        try:
            assert (await client.call_tool("erase", {})).is_error  # some servers say so in a result, and others in an error
        except MCPError as error:
            assert error.code in (-32601, -32602), error
        print("ok", client.session.protocol_version, address.rsplit("/", 1)[1], flush=True)


async def main():
    for address in addresses:
        for mode in ("2026-07-28", "auto", "legacy"):
            await asyncio.wait_for(use(address, mode), 60)


asyncio.run(main())
