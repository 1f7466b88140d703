// Daily tasks with the number of clicks that they take. Two more are counted where their traffic is: a guard in shadow mode and its
// results (guards.test.mjs, 4), and the cost of each key last week as a file (money.test.mjs, 3).
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { api, chat, close, open, owner, setupCode, signIn } from './lib/console.mjs';

const vendor = http.createServer((req, res) => {
  res.setHeader('Content-Type', 'application/json');
  req.resume().on('end', () => res.end(JSON.stringify(req.method === 'GET' ? { data: [{ id: 'vendor-large' }] } : {
    id: 'c1', object: 'chat.completion', created: 1, model: 'vendor-large',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello from the vendor' } }],
    usage: { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 },
  })));
});
let url;
before(() => new Promise(listening => vendor.listen(0, '127.0.0.1', () => { url = `http://127.0.0.1:${vendor.address().port}`; listening(); })));
after(() => { vendor.closeAllConnections(); vendor.close(); });

/** from opens a page of the owner, and gives what counts the clicks on it. Typing and choosing in fields are no clicks. */
async function from(where = '/') {
  const page = await signIn();
  await page.goto(where);
  const count = async at => { count.clicks++; await at.click(); };
  count.clicks = 0;
  return [page, count];
}
const menu = (page, name) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });

test('the first owner: 1 click', async () => {
  const page = await open();
  await page.goto('/#' + setupCode);
  await page.getByLabel('Name').fill(owner.name);
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByLabel('Repeat password').fill(owner.password);
  await page.getByRole('button', { name: 'Create owner' }).click();
  await page.getByText('You are the owner of this gateway.').waitFor();
  await close(page);
});

let workspace, key;

test('a workspace, a key and a snippet that works: 3 clicks', async () => {
  const [page, click] = await from();
  await click(menu(page, 'Workspaces'));
  await page.getByLabel('Name').fill('Research');
  await click(page.getByRole('button', { name: 'Create workspace' }));
  await page.locator('#key-name').fill('ci');
  workspace = new URL(page.url()).pathname;
  await click(page.getByRole('button', { name: 'Create key' }));
  key = await page.getByLabel('The key ci').inputValue();
  for (const name of ['curl', 'Python', 'JavaScript', 'Claude Code', 'Codex']) {
    assert.ok((await page.locator('details.snippet').filter({ hasText: name }).first().textContent()).includes(key), `${name} has the key`);
  }
  assert.equal((await chat('Hello', { key })).status, 200);
  assert.equal(click.clicks, 3);
  await close(page);
});

test('a provider that is called without a route, and its test: 3 clicks', async () => {
  const [page, click] = await from();
  await click(menu(page, 'Providers'));
  await page.getByLabel('Name').fill('vendor');
  await page.getByLabel('API key (optional)').fill('sk-0123456789abcdef');
  await page.getByLabel('URL (optional)').fill(url);
  await click(page.getByRole('button', { name: 'Add provider' }));
  await click(page.getByRole('button', { name: 'Test provider' }));
  await page.getByText('The provider answered: 200').waitFor();
  for (let last; last !== 200; await new Promise(next => setTimeout(next, 50))) last = (await chat('Hello', { model: 'vendor/vendor-large' })).status;
  assert.equal(click.clicks, 3);
  await close(page);
});

test('why a request was blocked: 2 clicks', async () => {
  assert.equal((await chat('what a zugzwang', { key })).status, 400);
  const [page, click] = await from();
  await click(menu(page, 'Requests'));
  const row = page.getByRole('row').filter({ has: page.getByText('blocked', { exact: true }) }).first();
  await row.waitFor();
  await click(row.locator('a').first());
  await page.getByText('decided by').waitFor();
  await page.getByRole('row', { name: /words.*block.*keywords/ }).waitFor();
  assert.equal(click.clicks, 2);
  await close(page);
});

test('a budget for all workspaces: 2 clicks', async () => {
  const [page, click] = await from();
  await click(menu(page, 'Budgets'));
  await page.getByLabel('Name').fill('everything');
  await page.getByLabel('Limit, USD').fill('100');
  await click(page.getByRole('button', { name: 'Create budget' }));
  await page.getByText('Budget created').waitFor();
  assert.equal(click.clicks, 2);
  await close(page);
});

test('a key is rotated, from the page of its workspace: 2 clicks', async () => {
  const [page, click] = await from(workspace);
  await click(page.getByText('Rotate…'));
  await click(page.getByRole('button', { name: 'Rotate ci' }));
  assert.notEqual(await page.getByLabel('The key ci').inputValue(), key);
  assert.equal(click.clicks, 2);
  await close(page);
});

test('a person is invited: 4 clicks', async () => {
  const [page, click] = await from();
  await click(menu(page, 'Users'));
  await page.getByLabel('Name', { exact: true }).fill('Ivy');
  await page.getByLabel('Email address').fill('ivy@example.com');
  await page.getByLabel(/^auditor/).check();
  await click(page.getByRole('button', { name: 'Create user' }));
  await click(page.getByText('Invite…'));
  await click(page.getByRole('button', { name: 'Create invitation' }));
  assert.match(await page.getByLabel('Invitation', { exact: true }).inputValue(), /\/invitation#/);
  assert.equal(click.clicks, 4);
  await close(page);
});

test('an alert about budgets to Slack: 2 clicks', async () => {
  const [page, click] = await from();
  await click(menu(page, 'Webhooks'));
  await page.getByLabel('Name').fill('On call');
  await page.getByLabel('URL').fill('https://hooks.example.com/services/T0/B0/x');
  await page.getByLabel('Format').selectOption('slack');
  await page.getByLabel(/^BUDGET_EXCEEDED/).check();
  await click(page.getByRole('button', { name: 'Create webhook' }));
  await page.getByRole('heading', { name: 'On call' }).waitFor();
  assert.equal(click.clicks, 2);
  await close(page);
});

test('who changed what: 1 click', async () => {
  const [page, click] = await from();
  await click(menu(page, 'Audit'));
  await page.getByRole('row', { name: /CONFIG_CHANGED.*Ada Byron/ }).first().waitFor();
  assert.equal(click.clicks, 1);
  await close(page);
});

test('a request by its id, with the keyboard: no click', async () => {
  const { id } = (await api('GET', '/audit/events?limit=50')).find(e => e.eventType === 'GATEWAY_REQUEST')?.payload ?? {};
  const [page] = await from();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type(id ?? 'Research');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/(requests|workspaces)\//);
  await close(page);
});
