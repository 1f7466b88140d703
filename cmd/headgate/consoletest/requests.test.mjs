import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, chat, close, looks, owner, person, signIn, unharmed, xssModel } from './lib/console.mjs';

test('before the first request it says what to do', async () => {
  await looks(owner, '/requests', 'requests-empty', { ready: 'There are no requests yet.' });
});

test('a new request appears by itself, and its page shows what each stage did', async () => {
  const page = await signIn();
  await page.goto('/requests');
  await page.getByText('There are no requests yet.').waitFor();
  const { trace } = await chat('My card is 4111 1111 1111 1111, write to ada@example.com');
  await page.getByRole('row', { name: /mock-echo/ }).waitFor();
  await page.locator('tbody a').first().click();
  await page.getByRole('heading', { name: 'Trace' }).waitFor();
  const pii = page.getByRole('row', { name: /^pii request rewrite/ });
  assert.match(await pii.textContent(), /CREDIT_CARD/);
  await page.getByRole('row', { name: /provider HTTP 200/ }).waitFor();
  await page.getByRole('row', { name: /pii response/ }).waitFor();
  assert.match(await page.locator('main').textContent(), /\{\{PII_EMAIL_[0-9a-f]+\}\}/);
  // Four digits alone may also stand in an id.
  assert.doesNotMatch(await page.content(), /4111 ?1111/, 'no value of the prompt');
  assert.ok(!(await page.content()).includes('ada@example.com'), 'no value of the prompt');
  for (let i = 0; i < 50 && !(await page.locator('main').textContent()).includes('GATEWAY_RESPONSE'); i++) await page.reload();
  await page.getByText('GATEWAY_REQUEST').click();
  assert.ok((await page.locator('details[open] pre').textContent()).includes(trace));
  await close(page);
});

test('live tail can be paused and resumed', async () => {
  const page = await signIn();
  let polls = 0;
  page.on('request', r => { if (r.headers()['x-fragment']) polls++; });
  await page.clock.install();
  await page.goto('/requests');
  const polled = page.waitForResponse(r => r.request().headers()['x-fragment'] === 'live-requests');
  await page.clock.runFor(3500);
  await polled;
  await page.getByRole('button', { name: 'Pause live tail' }).click();
  const before = polls;
  await chat('A request while the list is paused', { model: 'mock-paused' });
  await page.clock.runFor(15_000);
  assert.equal(polls, before, 'a paused list asks for nothing');
  assert.equal(await page.getByRole('row', { name: /mock-paused/ }).count(), 0);
  await page.getByRole('button', { name: 'Resume live tail' }).click();
  await page.evaluate(() => document.activeElement.blur());
  for (let i = 0; i < 50 && !await page.getByRole('row', { name: /mock-paused/ }).count(); i++) await page.clock.runFor(3000);
  await page.getByRole('row', { name: /mock-paused/ }).waitFor();
  await page.goto('/requests?sort=latency');
  assert.equal(await page.getByRole('button', { name: 'Pause live tail' }).count(), 0, 'a sorted list is not kept current');
  await close(page);
  const plain = await signIn(owner, { scripts: false });
  await plain.goto('/requests');
  assert.equal(await plain.getByRole('button', { name: 'Pause live tail' }).count(), 0, 'hidden without scripts');
  await close(plain);
});

test('filters find what was blocked, a model, and a trace', async () => {
  assert.equal((await chat('what a zugzwang')).status, 400);
  const { trace } = await chat('Hello', { model: 'mock-other' });
  const page = await signIn();
  await page.goto('/requests');
  await page.getByRole('row', { name: /mock-other/ }).waitFor();
  await page.locator('#f-outcome').selectOption('blocked');
  await page.getByRole('button', { name: /^Show/ }).click();
  await page.getByRole('row', { name: /blocked/ }).waitFor();
  assert.equal(await page.locator('tbody tr').count(), 1);
  await page.locator('tbody a').first().click();
  await page.getByText('decided by words').waitFor();
  assert.equal(await page.getByRole('link', { name: 'words', exact: true }).getAttribute('href'), '/chain');
  await page.goto('/requests?model=mock-other');
  assert.equal(await page.locator('tbody tr').count(), 1);
  await page.goto('/requests');
  await page.getByLabel('Request or trace id').fill(trace);
  await page.getByRole('button', { name: /^Show/ }).click();
  await page.getByRole('heading', { name: 'Request ' + trace.slice(0, 8) }).waitFor();
  await page.goto('/requests?from=yesterday');
  await page.locator('#f-from-error').waitFor();
  await page.goto('/requests?model=nothing');
  await page.getByText('No requests match these filters.').waitFor();
  assert.equal((await page.goto('/requests/ffffffffffffffffffffffffffffffff')).status(), 404);
  await close(page);
});

test('a part of a model, a span in local time and verdicts in shadow mode narrow the list', async () => {
  assert.equal((await chat('a daring gambit', { model: 'mock-shadowed' })).status, 200);
  const page = await signIn();
  await page.goto('/requests?model=SHADOWED');
  await page.getByRole('row', { name: /mock-shadowed/ }).waitFor();
  assert.equal(await page.locator('tbody tr').count(), 1);
  await page.goto('/requests');
  await page.getByLabel('Only shadow verdicts').check();
  await page.getByLabel('From (optional) (UTC)').fill('2020-01-02T03:04:05');
  await page.getByRole('button', { name: /^Show/ }).click();
  await page.getByText('whose trace this node still has').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('from'), '2020-01-02T03:04:05.000Z');
  assert.equal(await page.locator('tbody tr').count(), 1);
  await page.getByRole('row', { name: /mock-shadowed/ }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Export as CSV' }).count(), 0);
  await page.goto('/requests?shadow=on&model=other');
  await page.getByText('No requests match these filters.').waitFor();
  await page.getByText('whose trace this node still has').waitFor();
  await close(page);
});

test('times are picked in the zone of the reader, in summer and in winter', async () => {
  const page = await signIn(owner, { zone: 'Europe/Berlin' });
  await page.goto('/requests?from=2026-01-15T09:00:00Z&to=2026-07-15T09:00:00Z');
  const from = page.getByLabel('From (optional) (Europe/Berlin)'), to = page.getByLabel('To (optional) (Europe/Berlin)');
  assert.match(await from.inputValue(), /^2026-01-15T10:00/);
  assert.match(await to.inputValue(), /^2026-07-15T11:00/);
  await to.fill('2026-03-29T03:30:00'); // half an hour after the clocks went forward
  await page.getByRole('button', { name: /^Show/ }).click();
  await page.getByText('No requests match these filters.').waitFor();
  await page.waitForURL(/2026-03-29/);
  const sent = new URL(page.url()).searchParams;
  assert.equal(sent.get('from'), '2026-01-15T09:00:00Z', 'a time that was not picked stays as it was written');
  assert.equal(sent.get('to'), '2026-03-29T01:30:00.000Z');
  await close(page);
});

test('columns are chosen and remembered, and the list is sorted and saved as a view', async () => {
  for (let i = 0; i < 3; i++) await chat('Sorted ' + i);
  const page = await signIn();
  await page.goto('/requests?model=mock');
  await page.getByRole('row', { name: /mock/ }).first().waitFor();
  await page.getByText('Columns', { exact: true }).first().click();
  await page.getByLabel('User', { exact: true }).check();
  await page.getByLabel('Provider', { exact: true }).check();
  await page.getByLabel('Tokens', { exact: true }).uncheck();
  await page.getByRole('button', { name: /^Show/ }).click();
  await page.getByRole('columnheader', { name: 'User' }).waitFor();
  await page.goto('/requests');
  await page.getByRole('columnheader', { name: 'Provider' }).waitFor();
  assert.equal(await page.getByRole('columnheader', { name: 'Tokens' }).count(), 0);
  await page.getByRole('columnheader', { name: 'Latency' }).getByRole('link').click();
  await page.getByText(/in the order of the column/).waitFor();
  const times = (await page.locator('td[data-label="Latency"]').allTextContents()).map(t => /</.test(t) ? 0 : Number(t.replace(/[^0-9.]/g, '')));
  assert.deepEqual(times, [...times].sort((a, b) => b - a));
  await page.goto('/requests?outcome=blocked');
  await page.getByText('Save view…').click();
  await page.getByRole('dialog').getByLabel('Name').fill('What was blocked');
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  await page.getByText('View saved in this browser.').waitFor();
  await page.goto('/requests');
  await page.getByRole('link', { name: 'What was blocked' }).click();
  await page.waitForURL(/outcome=blocked/);
  await page.getByRole('button', { name: 'Remove view What was blocked' }).click();
  await page.getByText('View removed.').waitFor();
  assert.equal(await page.getByRole('link', { name: 'What was blocked' }).count(), 0);
  await close(page);
});

test('a refusal leads to the budget, the rule or the key that refused', async () => {
  const t = await api('POST', '/tenants', { name: 'Refused' });
  const made = await api('POST', `/tenants/${t.id}/keys`, { name: 'small', scopes: ['completions:write'], models: ['mock-echo', 'mock-priced'] });
  const budget = await api('POST', '/budgets', { tenantId: t.id, apiKeyId: made.id, name: 'nothing', limitUsd: 0 });
  await api('POST', '/pricing', { provider: 'mock', model: 'mock-priced', inputPricePerMillion: 1, outputPricePerMillion: 1 });
  const policy = await api('POST', '/policies', { name: 'no-secrets', dsl: 'version: 1\nname: no-secrets\nrules:\n' + ['first', 'second'].map(n => `  - id: ${n}\n    conditions:\n      model.denylist: ["mock-${n}"]\n    action: DENY\n`).join('') });
  await api('POST', `/policies/${policy.id}/status`, { status: 'ACTIVE' });
  let res;
  for (let i = 0; i < 100 && (res = await chat('Hello', { key: made.key, model: 'mock-priced' })).status !== 429; i++);
  assert.equal(res.status, 429, res.body);
  for (let i = 0; i < 100 && (res = await chat('Hello', { model: 'mock-second' })).status !== 403; i++);
  assert.equal(res.status, 403, res.body);
  const page = await signIn();
  await page.goto(`/requests?tenant=${t.id}`);
  await page.locator('td[data-label="Blocked by"] a').first().click();
  await page.waitForURL('**/budgets/' + budget.id);
  await page.goto('/requests?model=mock-second');
  await page.getByRole('link', { name: 'no-secrets/second' }).first().click();
  await page.waitForURL('**/policies/' + policy.id + '#rule=second');
  assert.equal(await page.evaluate(() => { const t = document.getElementById('f-dsl'); return t.value.slice(t.selectionStart, t.selectionEnd).trim(); }), '- id: second');
  await page.goto('/requests/' + res.trace);
  await page.getByText('Blocked by').waitFor();
  await page.getByRole('link', { name: 'no-secrets/second' }).waitFor();
  await close(page);
});

test('what clients send stays text', async () => {
  const { trace } = await chat('Hello', { model: xssModel });
  const page = await signIn();
  await page.goto('/requests');
  await page.getByRole('row', { name: /onerror/ }).waitFor();
  await unharmed(page);
  await page.goto('/requests/' + trace);
  await unharmed(page);
  await page.goto('/requests?model=' + encodeURIComponent(xssModel));
  await unharmed(page);
  await close(page);
});

test('somebody of a workspace sees its requests alone', async () => {
  const t = await api('POST', '/tenants', { name: 'Elsewhere' });
  const { key } = await api('POST', `/tenants/${t.id}/keys`, { name: 'x' });
  const here = await chat('Hello');
  let there;
  for (let i = 0; i < 100 && there?.status !== 200; i++) there = await chat('Hello there', { key });
  const page = await signIn(await person('viewer', t.id));
  await page.goto('/requests');
  await page.getByRole('row', { name: /Elsewhere/ }).first().waitFor();
  assert.equal(await page.getByRole('row', { name: /Default/ }).count(), 0);
  assert.equal((await page.goto('/requests/' + here.trace)).status(), 404);
  assert.equal((await page.goto('/requests?tenant=default')).status(), 403);
  assert.equal((await page.goto('/requests/' + there.trace)).status(), 200);
  await page.getByText('Your roles do not include the audit chain.').waitFor();
  await close(page);
});

test('a list is read in pages', async () => {
  for (let i = 0; i < 60; i++) await chat('Page ' + i);
  const page = await signIn(owner, { scripts: false });
  await page.goto('/requests');
  const rows = page.locator('tbody tr');
  for (const end = Date.now() + 15_000; await rows.count() < 50 && Date.now() < end;) await page.reload(); // records are written behind the answers
  assert.equal(await rows.count(), 50);
  await page.getByRole('link', { name: 'Next page' }).click();
  assert.ok(await page.locator('tbody tr').count() >= 10);
  await page.getByRole('link', { name: 'First page' }).click();
  assert.equal(await page.locator('tbody tr').count(), 50);
  await close(page);
});

test('it looks as it should', async () => {
  const { trace } = await chat('My card is 4111 1111 1111 1111, write to ada@example.com', { stream: true });
  const { trace: blocked } = await chat('what a zugzwang');
  await looks(owner, '/requests', 'requests');
  await looks(owner, '/requests/' + trace, 'request');
  await looks(owner, '/requests/' + blocked, 'request-blocked');
});
