import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { api, close, gateway, gatewayKey, looks, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

// A server of two tools, whose definitions the tests change, and an agent with a card.
let description = 'Finds pages.', title = 'Erase';
const [host, port] = process.env.CONSOLE_UPSTREAM.split(':');
const upstream = http.createServer((req, res) => {
  let body = '';
  req.on('data', b => { body += b; });
  req.on('end', () => {
    res.setHeader('Content-Type', 'application/json');
    if (req.method === 'GET') {
      res.end(JSON.stringify({ name: 'Planner', description: xss, url: 'http://elsewhere.example.com', version: '1', protocolVersion: '0.3.0', capabilities: {}, skills: [], defaultInputModes: [], defaultOutputModes: [] }));
      return;
    }
    const m = JSON.parse(body);
    const result = m.method === 'tools/list' ? {
      ttlMs: 0, cacheScope: 'public', tools: [
        { name: 'find', description, inputSchema: { type: 'object', properties: { q: { type: 'string' } } } },
        { name: 'erase', title, description: 'Erases a page.', inputSchema: { type: 'object' } },
      ],
    } : { content: [{ type: 'text', text: 'found it' }] };
    res.end(JSON.stringify({ jsonrpc: '2.0', id: m.id, result: { resultType: 'complete', ...result } }));
  });
});
before(() => new Promise(listening => upstream.listen(Number(port), host, listening)));
after(() => { upstream.closeAllConnections(); upstream.close(); });

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };

/** send sends a message to the server of tools, through the gateway. */
async function send(method, params = {}) {
  const res = await fetch(gateway + '/mcp/search', {
    method: 'POST', headers: {
      Authorization: `Bearer ${gatewayKey}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...(params.name ? { 'Mcp-Name': params.name } : {}),
    }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: meta, ...params } }),
  });
  return { status: res.status, trace: res.headers.get('x-trace-id'), body: await res.text() };
}

/** ask asks a model that calls the tool. */
async function ask(...more) {
  const res = await fetch(gateway + '/v1/chat/completions', {
    method: 'POST', headers: { Authorization: `Bearer ${gatewayKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      model: 'mock-tools', tools: [{ type: 'function', function: { name: 'mcp__search__find', parameters: { type: 'object', properties: { q: { type: 'string' } } } } }],
      messages: [{ role: 'user', content: 'mcp__search__find {"q": "tea"}' }, ...more],
    }),
  });
  assert.equal(res.status, 200);
  return { trace: res.headers.get('x-trace-id'), message: (await res.json()).choices[0].message };
}

test('servers, tools and agents look right before they are used', async () => {
  await looks(owner, '/mcp-servers', 'mcp-servers-new', { ready: 'search' });
  await looks(owner, '/agents', 'agents-empty', { ready: 'There are no agents.' });
});

test('a session with a model and a tool is one waterfall', async () => {
  assert.equal((await send('tools/list')).status, 200);
  const { trace, message } = await ask();
  const call = message.tool_calls[0];
  const done = await send('tools/call', { name: 'find', arguments: JSON.parse(call.function.arguments) });
  assert.equal(done.status, 200, done.body);
  assert.equal(done.trace, trace);
  assert.equal((await ask(message, { role: 'tool', tool_call_id: call.id, content: 'found it' })).trace, trace);
  const page = await signIn();
  await page.goto('/requests/' + trace);
  await page.getByRole('link', { name: '3 requests of an agent' }).click();
  await page.getByRole('heading', { name: 'Session' }).waitFor();
  const path = page.url().replace(/^https?:..[^/]+/, '');
  const rows = await page.locator('tbody tr').allInnerTexts();
  assert.match(rows[0], /mock-tools/);
  assert.match(rows[1], /mcp\/search\/find[\s\S]*tools/);
  assert.match(rows[2], /mock-tools/);
  await page.getByRole('link', { name: 'mcp/search/find' }).click();
  await page.getByRole('heading', { name: 'Trace' }).waitFor();
  await close(page);
  await looks(owner, path, 'session', { ready: 'Session' });
});

test('the pages of a server and of a tool show health, callers, calls and costs', async () => {
  const page = await signIn();
  await page.goto('/mcp-servers');
  await page.getByRole('row', { name: /search healthy modern 2 none/ }).waitFor();
  await page.getByRole('link', { name: 'search' }).click();
  await page.getByRole('row', { name: /find approved yes workspaces default/ }).waitFor();
  await page.getByRole('link', { name: 'find' }).click();
  await page.getByText('1 call, 0 failed').waitFor();
  await page.getByRole('row', { name: /dev served/ }).waitFor();
  await close(page);
  await looks(owner, '/mcp-servers', 'mcp-servers', { ready: 'search' });
  await looks(owner, '/mcp-servers/search', 'mcp-server', { ready: 'find' });
});

test('a definition that has changed shows what differs, and is approved or rejected', async () => {
  description = 'Finds pages, also secret ones. ' + xss;
  title = 'Erase all';
  const page = await signIn();
  await page.goto('/mcp-servers/search');
  await page.getByRole('button', { name: 'Fetch tools' }).click();
  await page.getByText('The server offers 2 tools.').waitFor();
  for (let i = 0; i < 100 && !await page.getByRole('row', { name: /find held no/ }).count(); i++) await page.reload();
  assert.ok(!(await send('tools/list')).body.includes('"find"'));
  await looks(owner, '/mcp-servers/search/tools/find', 'mcp-tool-drift', { ready: 'It differs in: description.' });
  await page.getByRole('link', { name: 'find' }).click();
  await unharmed(page);
  await page.getByText('Approve…').click();
  await page.getByRole('button', { name: 'Approve definition' }).click();
  await page.getByText('Definition approved.').waitFor();
  for (let i = 0; i < 100 && !(await send('tools/list')).body.includes('"find"'); i++) await new Promise(r => setTimeout(r, 50));
  await page.goto('/mcp-servers/search/tools/erase');
  await page.getByText('Reject…').click();
  await page.getByRole('button', { name: 'Reject definition' }).click();
  await page.getByText('Definition rejected.').waitFor();
  title = 'Erase'; // the trusted one again, which ends the rejection
  const stale = await page.request.post('/mcp-servers/search/tools/find/approve', { form: { digest: '0'.repeat(64) } });
  assert.ok(stale.status() >= 400 && stale.status() < 500, String(stale.status()));
  assert.equal((await page.goto('/mcp-servers/none')).status(), 404);
  assert.equal((await page.goto('/mcp-servers/search/tools/none')).status(), 404);
  await close(page);
});

test('a call that needs consent waits on the page of approvals', async () => {
  for (let i = 0; i < 100 && !(await send('tools/list')).body.includes('"erase"'); i++) await new Promise(r => setTimeout(r, 50));
  const refused = await send('tools/call', { name: 'erase', arguments: { page: 7 } });
  assert.equal(refused.status, 403, refused.body);
  const page = await signIn();
  await page.goto('/approvals');
  const row = page.getByRole('row').filter({ hasText: 'erase' });
  await row.waitFor();
  assert.match(await row.innerText(), /Call erase of search once/);
  await looks(owner, '/approvals', 'approvals-tool', { ready: 'erase' });
  await row.getByText('Approve…').click();
  await page.getByRole('dialog', { name: 'Approve' }).getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Request approved.').waitFor();
  for (let i = 0; ; i++) {
    const done = await send('tools/call', { name: 'erase', arguments: { page: 7 } });
    if (done.status === 200) break;
    assert.ok(i < 100, done.body);
    await new Promise(r => setTimeout(r, 100));
  }
  assert.equal((await send('tools/call', { name: 'erase', arguments: { page: 7 } })).status, 403, 'it holds for one call');
  await close(page);
});

test('agents are registered, checked, disabled and deleted', async () => {
  const page = await signIn();
  await page.goto('/agents');
  await page.getByLabel('Name').fill('planner');
  await page.getByLabel('URL').fill(`http://${host}:${port}/planner`);
  await page.getByLabel('Authorization header').fill('Bearer secret-of-the-agent');
  await page.getByLabel('Price per message').fill('0.05');
  await page.getByRole('button', { name: 'Register agent' }).click();
  await page.getByText('Agent registered.').waitFor();
  assert.ok(!(await page.content()).includes('secret-of-the-agent'));
  for (let i = 0; i < 100 && !await page.getByText('"Planner"').count(); i++) {
    await page.goto('/agents/planner');
    await page.getByRole('button', { name: 'Fetch card' }).click();
    await page.waitForLoadState();
  }
  await unharmed(page);
  await looks(owner, '/agents/planner', 'agent', { ready: '/a2a/planner' });
  await looks(owner, '/agents', 'agents', { ready: 'planner' });
  await page.goto('/agents/planner');
  await page.getByLabel('Enabled').uncheck();
  await page.getByRole('button', { name: 'Save agent' }).click();
  await page.getByText('Agent saved.').waitFor();
  assert.equal((await api('GET', '/agents/planner')).enabled, false);
  await page.getByText('Delete agent…').click();
  await page.getByLabel('Type planner to confirm').fill('planner');
  await page.getByRole('button', { name: 'Delete planner' }).click();
  await page.getByText('Agent deleted.').waitFor();
  await close(page);
});

test('MCP servers are added, joined, disabled and deleted', async () => {
  const page = await signIn();
  await page.goto('/mcp-servers');
  await page.getByLabel('Name').fill('web');
  await page.getByLabel('URL').fill(`http://${host}:${port}/mcp`);
  await page.getByLabel('Authorization header').fill('Bearer secret-of-the-server');
  await page.getByLabel('Allowed tools').fill('find');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByText('MCP server added.').waitFor();
  assert.ok(!(await page.content()).includes('secret-of-the-server'));
  await looks(owner, '/mcp-servers/web', 'mcp-server-stored', { ready: '/mcp/web' });
  await page.goto('/virtual-servers');
  await page.getByLabel('Name').fill('team');
  await page.getByLabel('Servers').fill('web, nowhere');
  await page.getByRole('button', { name: 'Create virtual server' }).click();
  await page.getByText('No MCP server has this name').waitFor();
  await page.getByLabel('Servers').fill('web, search');
  await page.getByRole('button', { name: 'Create virtual server' }).click();
  await page.getByText('Virtual server created.').waitFor();
  await looks(owner, '/virtual-servers/team', 'virtual-server', { ready: '/mcp/team' });
  await looks(owner, '/virtual-servers', 'virtual-servers', { ready: 'team' });
  await page.goto('/mcp-servers/web');
  await page.getByText('Delete server…').click();
  await page.getByLabel('Type web to confirm').fill('web');
  await page.getByRole('button', { name: 'Delete web' }).click();
  await page.getByText('virtual servers name this server: team', { exact: false }).waitFor();
  await page.goto('/virtual-servers/team');
  await page.getByText('Delete virtual server…').click();
  await page.getByLabel('Type team to confirm').fill('team');
  await page.getByRole('button', { name: 'Delete team' }).click();
  await page.getByText('Virtual server deleted.').waitFor();
  await page.goto('/mcp-servers/web');
  await page.getByLabel('Enabled').uncheck();
  await page.getByRole('button', { name: 'Save server' }).click();
  await page.getByText('MCP server saved.').waitFor();
  assert.equal((await api('GET', '/mcp-servers/web')).enabled, false);
  await page.getByText('Delete server…').click();
  await page.getByLabel('Type web to confirm').fill('web');
  await page.getByRole('button', { name: 'Delete web' }).click();
  await page.getByText('MCP server deleted.').waitFor();
  await close(page);
});

test('people of a workspace see neither servers nor agents', async () => {
  const page = await signIn(await person('viewer', 'default'));
  for (const where of ['/mcp-servers', '/virtual-servers', '/agents', '/mcp-servers/search']) assert.equal((await page.goto(where)).status(), 403, where);
  await close(page);
});
