"""A server of tools of the official SDK, which speaks both eras. It writes each argument that it gets to its standard output."""

import sys

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("python-peer")


@server.tool()
async def charge(text: str, ctx: Context) -> str:
    """Charges a card."""
    print("heard " + text, flush=True)
    await ctx.report_progress(1, 2, "half")
    await ctx.report_progress(2, 2, "done")
    return "charged " + text


@server.resource("file:///notes.txt", mime_type="text/plain")
def notes() -> str:
    """Notes."""
    return "a note"


@server.prompt()
def greet(name: str) -> str:
    """Greets somebody."""
    print("heard " + name, flush=True)
    return "Say hello to " + name


server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
