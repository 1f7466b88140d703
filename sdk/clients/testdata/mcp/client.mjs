// Uses servers of tools through a gateway with the official SDK, unchanged: its first line, which speaks the legacy era, and its
// second, in both eras.
//
// Usage: client.mjs KEY CARD-NUMBER ADDRESS...
import assert from "node:assert/strict";
import * as v2 from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [key, number, ...addresses] = process.argv.slice(2);
const info = { name: "peer", version: "1" };
const requestInit = { headers: { Authorization: `Bearer ${key}` } };

async function use(name, client, transport, callTool) {
  await client.connect(transport);
  assert.deepEqual((await client.listTools()).tools.map((t) => t.name), ["charge"]);
  const steps = [];
  const result = await callTool(client, { name: "charge", arguments: { text: `pay ${number} now` } }, (p) => steps.push([p.progress, p.total]));
  assert.equal(result.content[0].text, `charged pay ${number} now`);
  assert.deepEqual(steps, [[1, 2], [2, 2]]);
  assert.deepEqual((await client.listResources()).resources.map((r) => r.uri), ["file:///notes.txt"]);
  assert.equal((await client.readResource({ uri: "file:///notes.txt" })).contents[0].text, "a note");
  assert.deepEqual((await client.listPrompts()).prompts.map((p) => p.name), ["greet"]);
  const prompt = await client.getPrompt({ name: "greet", arguments: { name: `holder of ${number}` } });
  assert.equal(prompt.messages[0].content.text, `Say hello to holder of ${number}`);
  await client.close();
  console.log("ok", name);
}

for (const address of addresses) {
  const at = address.slice(address.lastIndexOf("/") + 1);
  await use(`v1 ${at}`, new ClientV1(info), new TransportV1(new URL(address), { requestInit }),
    (c, call, onprogress) => c.callTool(call, undefined, { onprogress }));
  for (const mode of ["legacy", "auto", { pin: "2026-07-28" }]) {
    await use(`v2 ${mode.pin ?? mode} ${at}`, new v2.Client(info, { versionNegotiation: { mode } }),
      new v2.StreamableHTTPClientTransport(new URL(address), { requestInit }),
      (c, call, onprogress) => c.callTool(call, { onprogress }));
  }
}
