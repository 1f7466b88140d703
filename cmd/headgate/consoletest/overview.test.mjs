import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { api, chat, close, looks, owner, person, pluginsDir, signIn, unharmed, xss, xssModel } from './lib/console.mjs';

const figure = (page, name) => page.locator('.card', { has: page.getByRole('heading', { name, exact: true }) }).locator('.figure');

test('who has nothing yet is told what to do first', async () => {
  const page = await signIn();
  await page.goto('/');
  await page.getByText('First steps: 0 of 6').waitFor();
  await page.getByText('There were no requests in this period.').waitFor();
  assert.match(await page.locator('#first-curl').textContent(), new RegExp(`curl ${process.env.GATEWAY_URL}/v1/chat/completions`));
  await close(page);
  await looks(owner, '/', 'overview-empty');
});

test('the first steps tick themselves off, to the first verdict of a plugin', async () => {
  const page = await signIn();
  await page.goto('/');
  await page.getByRole('link', { name: 'Create a workspace' }).click();
  await page.getByLabel('Name').fill('Research');
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await page.locator('#key-name').fill('first');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await page.getByLabel('The key first').inputValue();
  await api('POST', '/budgets', { name: 'monthly', limitUsd: 1, period: 'MONTHLY' });
  await page.goto('/');
  await page.getByText('First steps: 3 of 6').waitFor();
  assert.equal((await chat('Hello', { key })).status, 200);
  await page.getByText('First steps: 4 of 6').waitFor(); // by itself
  fs.mkdirSync(pluginsDir, { recursive: true });
  fs.copyFileSync(path.resolve('../../../sdk/samples/employee-id/employee-id.wasm'), path.join(pluginsDir, 'employee-id.wasm'));
  await page.getByText('First steps: 5 of 6').waitFor({ timeout: 60_000 });
  assert.equal((await chat('My badge is EMP-123456', { key })).status, 200);
  await page.getByText('First steps').waitFor({ state: 'detached' });
  await close(page);
});

test('figures and charts follow the traffic by themselves', async () => {
  const { data } = await api('GET', '/tenants');
  const { key } = await api('POST', `/tenants/${data[0].id}/keys`, { name: 'traffic' });
  await api('POST', '/pricing', { model: 'mock-*', provider: 'mock', inputPricePerMillion: 1000, outputPricePerMillion: 2000 });
  const page = await signIn();
  await page.goto('/');
  await figure(page, 'Calls').waitFor();
  for (let i = 0; i < 6; i++) assert.equal((await chat(`Message ${i}`, { key })).status, 200);
  for (let i = 0; i < 2; i++) assert.equal((await chat('what a zugzwang', { key })).status, 400);
  for (let i = 0; i < 3; i++) await chat('Again and again', { key });
  await page.waitForFunction(() => [...document.querySelectorAll('.card')].some(c => c.querySelector('h2')?.textContent === 'Blocked' && c.querySelector('.figure').textContent === '2'));
  assert.equal(await figure(page, 'Cache hits').textContent(), '2');
  assert.match(await figure(page, 'p95 latency').textContent(), /^\d+\.\d ms$/);
  for (const name of [/^Calls in each minute$/, /^Latency$/, /^Cost in each minute$/]) await page.getByRole('img', { name }).first().waitFor();
  await page.getByRole('img', { name: /^Blocked in each minute, by link/ }).first().waitFor();
  await page.getByText('Figures of Blocked').first().click({ force: true });
  await page.getByRole('columnheader', { name: 'words' }).waitFor();
  // The figures at the pointer, and a span to zoom to, which leads to its requests.
  const plot = page.locator('figure').filter({ hasText: 'Calls in each minute' }).locator('.u-over');
  await plot.hover();
  await page.getByText(/: served \d+, cache hits \d+/).first().waitFor();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width * .5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * .8, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Reset zoom' }).waitFor();
  await page.getByRole('link', { name: 'Requests of this span' }).click();
  await page.waitForURL(/\/requests\?from=.*&to=/);
  await page.goto('/');
  await page.getByRole('link', { name: 'Last 7 days' }).click();
  await page.getByRole('img', { name: 'Calls in each 3 hours' }).first().waitFor();
  await page.getByText('Figures of Calls').first().click({ force: true });
  await page.getByRole('columnheader', { name: 'cache hits' }).waitFor();
  await close(page);
});

test('names of models stay text', async () => {
  const { data } = await api('GET', '/tenants');
  const { key } = await api('POST', `/tenants/${data[0].id}/keys`, { name: 'hostile' });
  await chat('Hello', { key, model: xssModel });
  const t = await api('POST', '/tenants', { name: xss.slice(0, 200) });
  const made = await api('POST', `/tenants/${t.id}/keys`, { name: 'x' });
  for (let i = 0, s = 0; i < 100 && s !== 200; i++) s = (await chat('Hello', { key: made.key })).status;
  const page = await signIn();
  await page.goto('/?span=day');
  await page.getByRole('row', { name: /onerror/ }).first().waitFor();
  await unharmed(page);
  await page.goto('/?span=day&tenant=' + t.id);
  await unharmed(page);
  await close(page);
});

test('each role sees what it may', async () => {
  const { data } = await api('GET', '/tenants');
  const research = data.find(t => t.name === 'Research');
  const other = data.find(t => t.id !== research.id);
  const page = await signIn(await person('viewer', other.id));
  await page.goto('/');
  assert.equal(await page.getByText('First steps').count(), 0);
  assert.equal(await page.getByRole('heading', { name: 'Workspaces' }).count(), 0);
  await page.goto('/?tenant=' + research.id).then(res => assert.equal(res.status(), 403));
  await page.goto('/');
  assert.ok(Number(await figure(page, 'Calls').textContent().catch(() => '0')) <= 1, 'of its own workspace alone');
  await close(page);
  const admin = await signIn(await person('policy-admin'));
  await admin.goto('/');
  await figure(admin, 'Blocked').waitFor();
  assert.equal(await figure(admin, 'Cost').count(), 0);
  assert.equal(await admin.getByRole('columnheader', { name: 'Cost' }).count(), 0);
  await close(admin);
});

test('the keyboard goes to a page, a workspace and a request', async () => {
  const { data } = await api('GET', '/tenants');
  const research = data.find(t => t.name === 'Research');
  const page = await signIn();
  await page.goto('/');
  await page.keyboard.press('Control+k');
  const box = page.getByRole('dialog', { name: 'Go to' });
  await box.getByRole('searchbox').pressSequentially('latenc');
  await box.getByRole('link', { name: 'Page Latency' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/latency');
  await page.getByRole('link', { name: /^Go to/ }).click();
  await box.getByRole('searchbox').fill('resear');
  await box.getByRole('link', { name: 'Workspace Research' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/workspaces/' + research.id);
  await page.keyboard.press('Meta+k');
  await box.getByRole('searchbox').fill('nothing of this name');
  await box.getByRole('link', { name: /^Requests of models/ }).waitFor();
  await unharmed(page);
  await page.keyboard.press('Escape');
  await box.waitFor({ state: 'detached' });
  await close(page);
  await looks(owner, '/find?q=re', 'find');
});

test('it looks as it should', async () => {
  await looks(owner, '/', 'overview');
  await looks(owner, '/?span=day', 'overview-day');
});
