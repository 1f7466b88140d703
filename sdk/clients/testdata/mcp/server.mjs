// A server of tools of the official SDK. "v1" is its first line, which speaks the legacy era with sessions; "v2" speaks both eras.
// It writes each argument that it gets to its standard output.
//
// Usage: server.mjs PORT v1|v2
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { z } from "zod";

const [port, line] = process.argv.slice(2);
const heard = (text) => console.log("heard " + text);

// build registers the tool, the resource and the prompt; progress sends a notification of progress for a call.
function build(server, progress) {
  server.registerTool("charge", { description: "Charges a card.", inputSchema: { text: z.string() } }, async ({ text }, extra) => {
    heard(text);
    await progress(extra, 1);
    await progress(extra, 2);
    return { content: [{ type: "text", text: "charged " + text }] };
  });
  server.registerResource("notes", "file:///notes.txt", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "a note" }],
  }));
  server.registerPrompt("greet", { argsSchema: { name: z.string() } }, ({ name }) => {
    heard(name);
    return { messages: [{ role: "user", content: { type: "text", text: "Say hello to " + name } }] };
  });
  return server;
}

async function serveV1() {
  const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
  const { StreamableHTTPServerTransport } = await import("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const sessions = new Map();
  const progress = (extra, n) =>
    extra._meta?.progressToken !== undefined &&
    extra.sendNotification({ method: "notifications/progress", params: { progressToken: extra._meta.progressToken, progress: n, total: 2 } });
  return async (req, res) => {
    let transport = sessions.get(req.headers["mcp-session-id"]);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await build(new McpServer({ name: "typescript-v1", version: "1" }), progress).connect(transport);
    }
    await transport.handleRequest(req, res);
  };
}

async function serveV2() {
  const { McpServer, createMcpHandler } = await import("@modelcontextprotocol/server");
  const { toNodeHandler } = await import("@modelcontextprotocol/node");
  const progress = (ctx, n) =>
    ctx.mcpReq._meta?.progressToken !== undefined &&
    ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken: ctx.mcpReq._meta.progressToken, progress: n, total: 2 } });
  return toNodeHandler(createMcpHandler(() => build(new McpServer({ name: "typescript-v2", version: "1" }), progress)));
}

const handle = await (line === "v1" ? serveV1() : serveV2());
createServer((req, res) => void handle(req, res)).listen(Number(port), "127.0.0.1");
