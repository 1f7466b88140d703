import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, chat, close, looks, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

test('nothing waits at first', async () => {
  await looks(owner, '/approvals', 'approvals-empty', { ready: 'No requests are pending.' });
});

test('what a rule asks for shows by itself, and is in force once it is approved', async () => {
  const page = await signIn();
  await page.goto('/approvals');
  assert.equal((await chat('Hello', { model: 'mock-json' })).status, 403);
  const row = page.getByRole('row').filter({ hasText: 'mock-json' });
  await row.waitFor();
  assert.match(await row.innerText(), /ask-first[\s\S]*Default[\s\S]*key dev/);
  await row.getByText('Approve…').click();
  const ask = page.getByRole('dialog', { name: 'Approve' });
  await ask.getByLabel('For').selectOption('1');
  await ask.getByLabel('Note').fill(xss);
  await ask.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Request approved.').waitFor();
  await page.getByText('No requests are pending.').waitFor();
  assert.match(await page.getByRole('row').filter({ hasText: 'mock-json' }).innerText(), /approved[\s\S]*Ada Byron/);
  await unharmed(page);
  for (let i = 0; i < 100 && (await chat('Hello', { model: 'mock-json' })).status !== 200; i++) await new Promise(r => setTimeout(r, 100));
  assert.equal((await chat('Hello', { model: 'mock-json' })).status, 200);
  await close(page);
});

test('it is rejected with a note, with scripts off', async () => {
  assert.equal((await chat('Hello', { model: 'mock-fixed' })).status, 403);
  const page = await signIn(owner, { scripts: false });
  for (let i = 0; i < 100; i++) {
    await page.goto('/approvals');
    if (await page.getByText('Reject…').count()) break;
    await new Promise(r => setTimeout(r, 100));
  }
  await page.getByText('Reject…').click();
  await page.getByLabel('Note').last().fill('Use another model');
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Request rejected.').waitFor();
  await page.getByText('Use another model').waitFor();
  assert.equal((await chat('Hello', { model: 'mock-fixed' })).status, 403);
  await close(page);
});

test('what was decided meanwhile is not decided again', async () => {
  await chat('Hello', { model: 'mock-fixed' });
  const asked = await api('POST', '/approvals', { format: 'json', reason: 'A yearly audit' });
  const second = await person('policy-admin');
  const page = await signIn(second);
  await page.goto('/approvals');
  const row = page.getByRole('row').filter({ hasText: 'A yearly audit' });
  await row.getByText('Approve…').click();
  const res = await page.request.post(`/approvals/${asked.id}/reject`, { form: { note: 'Too much' } });
  assert.equal(res.status(), 200);
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.getByText(/The request is DENIED; only a PENDING request can be decided/).waitFor();
  const long = await page.request.post(`/approvals/${asked.id}/approve`, { form: { note: 'x'.repeat(1001) } });
  assert.equal(long.status(), 400);
  const odd = await page.request.post(`/approvals/${asked.id}/approve`, { form: { hours: '100000' } });
  assert.equal(odd.status(), 400);
  assert.equal((await page.request.post('/approvals/none/approve')).status(), 404);
  await close(page);
});

test('only owners and policy-admins decide', async () => {
  for (const [role, tenant] of [['billing-admin'], ['viewer', 'default']]) {
    const page = await signIn(await person(role, tenant));
    assert.equal((await page.goto('/approvals')).status(), 403);
    await page.goto('/');
    assert.equal(await page.getByRole('link', { name: 'Approvals' }).count(), 0);
    await close(page);
  }
});

test('it looks as it should', async () => {
  await api('POST', '/approvals', { format: 'csv', tenant_id: 'default', from: '2026-01-01', to: '2026-02-01', reason: 'The auditors ask for January' });
  await looks(owner, '/approvals', 'approvals', { ready: 'The auditors' });
});
