import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { api, axe, chat, close, command, gateway, licence, looks, owner, person, picture, signIn, unharmed, xss } from './lib/console.mjs';

const row = (page, name) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

test('what happens shows by itself, and can be filtered', async () => {
  const page = await signIn();
  await page.goto('/audit');
  const { trace } = await chat('Hello');
  await row(page, 'GATEWAY_RESPONSE').first().waitFor();
  assert.match(await row(page, 'GATEWAY_RESPONSE').first().innerText(), /200 served from mock mock-echo, \d+ tokens, \d+ ms/);
  await page.getByLabel('Type').selectOption('GATEWAY_REQUEST');
  await page.getByLabel('Workspace').selectOption({ label: 'Default' });
  await page.getByLabel('From').fill('2020-01-01');
  await page.getByLabel('To').fill('2099-01-01T00:00:00+02:00');
  await page.getByRole('button', { name: 'Filter' }).click();
  assert.equal(await row(page, 'GATEWAY_REQUEST').count(), 1);
  assert.equal(await row(page, 'GATEWAY_RESPONSE').count(), 0);
  await page.getByRole('link', { name: 'Show all' }).click();
  await page.getByLabel('Request or trace id').fill(trace);
  await page.getByRole('button', { name: 'Filter' }).click();
  assert.equal(await page.locator('tbody tr').count(), 2);
  await page.getByText('Searched back to').waitFor();
  await page.goto('/audit?to=2020-01-01');
  await page.getByText('No events match these filters.').waitFor();
  await close(page);
});

test('a date that cannot be read is refused on its field', async () => {
  const page = await signIn();
  for (const [field, name] of [['from', 'From'], ['to', 'To']]) {
    const res = await page.goto(`/audit?type=GATEWAY_REQUEST&${field}=yesterday`);
    assert.equal(res.status(), 400);
    const input = page.getByLabel(name);
    assert.equal(await input.inputValue(), 'yesterday', 'it is not dropped');
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    assert.match(await page.locator(`#f-${field}-error`).innerText(), /Write a date, as 2026-01-31/);
    assert.equal(await page.locator('tbody tr').count(), 0);
  }
  const res = await page.goto('/audit?from=13&to=14');
  assert.equal(res.status(), 400);
  assert.equal(await page.locator('.wrong').count(), 2, 'both fields at once');
  await axe(page);
  const part = await page.request.get('/audit?from=yesterday', { headers: { 'X-Fragment': 'live-events' } });
  assert.equal(part.status(), 400);
  await close(page);
});

test('every kind of event can be read', async () => {
  await chat('Write to grace@example.com');
  await chat('Hello', { key: 'gw_thisKeyIsNobodysAndIsRefused0123456789' });
  await api('PUT', '/license', { license: licence() });
  const policy = await api('POST', '/policies', { name: 'No secrets', dsl: 'rules: [{id: no-mock-json, conditions: {model.in: [mock-json]}, action: DENY, deny_message: Not this model.}]' });
  await api('POST', `/policies/${policy.id}/status`, { status: 'ACTIVE' });
  assert.equal((await chat('Hello', { model: 'mock-json' })).status, 403);
  await api('POST', '/config/import', await api('GET', '/config/export'));
  await api('POST', '/pii/detokenize', { tenant_id: 'default', text: 'nothing in it', reason: 'A test of the audit page' });
  const page = await signIn();
  for (const [type, says] of [
    ['POLICY_DECISION', /DENIED by .*no-mock-json/], ['AUTH_SUCCESS', /Ada Byron signed in by session/], ['AUTH_FAILURE', /no valid key/], ['CONFIG_IMPORTED', /Automation has imported \d+ changes/],
    ['LICENSE_TRANSITION', /NONE to VALID for Example Works/], ['PII_REDACTED', /1 values: 1 EMAIL/], ['PII_DETOKENIZED', /for: A test of the audit page/],
    ['CONFIG_CHANGED', /create/], ['CHAIN_OPENED', /node/],
  ]) {
    await page.goto('/audit?type=' + type);
    await page.waitForFunction(t => [...document.querySelectorAll('tbody th')].some(h => h.textContent === t), type);
    assert.match((await row(page, type).allInnerTexts()).join('\n'), says, type);
    await row(page, type).first().getByRole('link').first().click();
    await page.getByRole('heading', { name: type }).waitFor();
    await page.getByText('the signature of its segment are valid').waitFor();
  }
  await close(page);
});

test('one event has its payload, its hashes and its place', async () => {
  const page = await signIn();
  await page.goto('/audit?type=GATEWAY_RESPONSE');
  await row(page, 'GATEWAY_RESPONSE').first().getByRole('link', { name: 'GATEWAY_RESPONSE' }).click();
  const facts = await page.locator('dl.facts').innerText();
  assert.match(facts, /Sequence number\s+\d/);
  assert.equal(facts.match(/\b[0-9a-f]{64}\b/g).length, 2);
  assert.match(await page.getByRole('row', { name: /^latency_ms/ }).innerText(), /from receipt to the end/);
  await page.getByText('JSON', { exact: true }).click();
  assert.ok(JSON.parse(await page.locator('pre').innerText()).request_id);
  await page.getByText('All events of this request').click();
  await row(page, 'GATEWAY_REQUEST').first().waitFor();
  const res = await page.goto('/audit/events/nobody-1-0000000000000000');
  assert.equal(res.status(), 404);
  await close(page);
});

test('new rows do not move what is read', async () => {
  for (let i = 0; i < 30; i++) await chat('Filler');
  const page = await signIn(owner, { height: 500 });
  await page.goto('/audit');
  await page.locator('tbody tr').nth(20).scrollIntoViewIfNeeded();
  const key = await page.locator('tbody tr').nth(20).getAttribute('data-key');
  const top = () => page.evaluate(k => Math.round(document.querySelector(`tr[data-key="${k}"]`).getBoundingClientRect().top), key);
  const before = await top();
  await chat('Something new');
  const news = page.getByRole('button', { name: /Show \d+ new row/ });
  await news.waitFor();
  assert.ok(Math.abs(await top() - before) <= 45, 'but for the button, nothing moves');
  await news.click();
  await page.waitForFunction(k => document.querySelector('tbody tr').dataset.key !== k, key);
  await page.goto('/audit');
  await page.getByRole('link', { name: 'Next page' }).click();
  assert.equal(await page.locator('[data-live]').count(), 0, 'an older page stays as it is');
  await page.getByRole('link', { name: 'First page' }).waitFor();
  await close(page);
});

test('the chains are verified', async () => {
  const page = await signIn();
  await page.goto('/audit');
  await page.getByRole('link', { name: 'Chains', exact: true }).click();
  await page.getByText('The chains have not been verified since').waitFor();
  await page.getByRole('button', { name: 'Verify all records' }).click();
  await page.getByText(/All chains are intact: \d+ records\. Verified/).waitFor();
  await page.locator('.state[data-state=ok]').waitFor();
  await page.getByText('Heads and key of the last verification').click();
  assert.match(await page.locator('details dl').innerText(), /[0-9a-f]{64}/);
  await picture(page, 'audit-chains-verified-light');
  await axe(page);
  await close(page);
});

test('an export waits for a second person', async () => {
  const ada = await signIn(), second = await person('policy-admin'), grace = await signIn(second);
  // Nobody downloads what nobody has approved, whatever way they ask.
  for (const where of ['/audit/export', '/audit/export?format=json', '/audit/export?approval=none']) {
    const res = await ada.goto(where);
    assert.ok([403, 404].includes(res.status()), `${where}: ${res.status()}`);
  }
  await ada.goto('/audit/export?format=xml');
  await ada.getByText('Write csv or json.').waitFor();
  await ada.goto('/audit?type=GATEWAY_REQUEST');
  await ada.getByRole('link', { name: 'Export…' }).click();
  assert.equal(await ada.getByLabel('Type').inputValue(), 'GATEWAY_REQUEST');
  await ada.getByLabel('From').fill('last week');
  await ada.getByLabel('Reason').fill('For the auditors ' + xss);
  await ada.getByRole('button', { name: 'Request approval' }).click();
  await ada.locator('#f-from-error').waitFor();
  await ada.getByLabel('From').fill('2026-01-01');
  await ada.getByLabel('Format').selectOption('json');
  await ada.getByRole('button', { name: 'Request approval' }).click();
  await ada.getByText('Export requested.').waitFor();
  await ada.getByText('pending', { exact: true }).waitFor();
  assert.equal(await ada.getByRole('link', { name: 'Download' }).count(), 0);
  await unharmed(ada);

  // Who asks does not approve: not on the page, not by its address, and not with another credential of theirs.
  const own = await ada.context().newPage();
  await own.goto('/approvals');
  await own.getByText('Your own request: another person decides.').waitFor();
  assert.equal(await own.getByText('Approve…').count(), 0);
  const id = await own.locator('tr[data-key]').getAttribute('data-key');
  const tried = await own.request.post(`/approvals/${id}/approve`, { form: { hours: '24' }, headers: { 'Sec-Fetch-Site': 'same-origin' } });
  assert.equal(tried.status(), 403);
  assert.match(await tried.text(), /A second person must decide about this request/);
  const pat = command('pat', 'create', '--user', owner.email, '--name', 'another credential').match(/headgate_pat_\S+/)[0];
  const byToken = await fetch(`${gateway}/admin/v1/approvals/${id}/approve`, { method: 'POST', headers: { Authorization: `Bearer ${pat}` } });
  assert.equal(byToken.status, 403, await byToken.text());
  assert.equal((await own.goto(`/audit/export?approval=${id}`)).status(), 403);
  await own.close();

  await grace.goto('/approvals');
  await unharmed(grace);
  await grace.getByText('Audit events as JSON, GATEWAY_REQUEST').waitFor();
  await grace.getByText('Ada Byron').waitFor();
  await grace.getByText('Approve…').click();
  await grace.getByRole('dialog').getByLabel('Note').fill('Agreed with legal');
  await grace.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await grace.getByText('Request approved.').waitFor();
  await grace.getByText('Agreed with legal').waitFor();
  assert.equal((await grace.goto(`/audit/export?approval=${id}`)).status(), 404, 'who approved has asked for nothing');

  // The page of who asked shows it by itself.
  const link = ada.getByRole('link', { name: 'Download' });
  await link.waitFor();
  await ada.getByText('Test policy-admin').waitFor();
  const [file] = await Promise.all([ada.waitForEvent('download'), link.click()]);
  assert.equal(file.suggestedFilename(), 'audit-events.json');
  const events = JSON.parse(fs.readFileSync(await file.path(), 'utf8'));
  assert.ok(events.length > 0);
  assert.ok(events.every(e => e.eventType === 'GATEWAY_REQUEST'));
  const same = await ada.request.get('/audit/export?format=json&type=GATEWAY_REQUEST&from=2026-01-01');
  assert.equal(same.status(), 200);
  assert.match(same.headers()['content-disposition'], /attachment; filename="?audit-events.json/);
  assert.equal((await ada.request.get('/audit/export?format=csv&type=GATEWAY_REQUEST&from=2026-01-01')).status(), 403, 'another format is another export');
  assert.equal((await ada.request.get('/audit/export?format=json')).status(), 403, 'more than was approved');
  await close(ada);
  await close(grace);
});

test('who may not read the chains is not led to them', async () => {
  for (const [role, tenant] of [['billing-admin'], ['admin', 'default']]) {
    const page = await signIn(await person(role, tenant));
    await page.goto('/');
    assert.equal(await page.getByRole('link', { name: 'Audit' }).count(), 0);
    for (const where of ['/audit', '/audit/chains', '/audit/exports', '/audit/export']) assert.equal((await page.goto(where)).status(), 403);
    await close(page);
  }
});

test('it looks as it should', async () => {
  await looks(owner, '/audit', 'audit', { ready: '200 served' });
  await looks(owner, '/audit?type=BUDGET_EXCEEDED', 'audit-empty', { ready: 'No events match' });
  await looks(owner, '/audit/chains', 'audit-chains');
  await looks(owner, '/audit/exports', 'audit-exports');
  const page = await signIn();
  await page.goto('/audit?type=GATEWAY_REQUEST');
  const where = await row(page, 'GATEWAY_REQUEST').first().getByRole('link').first().getAttribute('href');
  await close(page);
  await looks(owner, where, 'audit-event');
  const reader = await person('policy-admin');
  await looks(reader, '/audit/exports', 'audit-exports-empty', { ready: 'You have not requested any exports yet.' });
});
