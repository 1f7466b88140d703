import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, chat, close, licence, looks, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

test('an empty vault says so, and what needs a licence says that', async () => {
  await looks(owner, '/pii', 'pii-empty', { ready: 'The vault is empty.' });
  const page = await signIn();
  await page.goto('/pii');
  await page.getByText('Looking behind placeholders needs a licence').waitFor();
  const tried = await page.request.post('/pii/detokenize', { form: { tenant: 'default', text: 'x', reason: 'y' } });
  assert.equal(tried.status(), 400);
  await close(page);
  await api('PUT', '/license', { license: licence() });
});

// placeholders asks the mock provider for what it was sent, before answers are restored: the events tell only counts, so
// they are read from the provider's echo with a key that restores nothing.
async function placeholders() {
  const { body } = await chat('Write to grace@example.com and alan@example.com, or call +49 30 901820');
  assert.match(body, /grace@example\.com/, 'answers are restored');
}

test('values are counted by type, and deleted for a workspace after a question', async () => {
  await placeholders();
  const page = await signIn();
  await page.goto('/pii');
  assert.match(await page.getByRole('row', { name: /EMAIL/ }).innerText(), /2/);
  assert.equal(await page.getByText(/Delete the/).count(), 0, 'not for all workspaces at once');
  await page.locator('#f-filter').selectOption({ label: 'Default' });
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('heading', { name: 'Kept now for Default' }).waitFor();
  await page.getByText(/Delete the \d values…/).click();
  await page.getByText(/This cannot be undone/).waitFor();
  await page.keyboard.press('Escape');
  assert.match(await page.getByRole('row', { name: /EMAIL/ }).innerText(), /2/);
  await close(page);
});

test('placeholders become values once, with a reason, and unknown ones stay', async () => {
  const page = await signIn();
  await page.goto('/pii');
  await page.getByRole('button', { name: 'Show values' }).click();
  assert.equal(await page.locator('#f-reason:invalid').count(), 1, 'the browser asks for a reason');
  const bare = await page.request.post('/pii/detokenize', { form: { tenant: '', text: '', reason: '' } });
  assert.equal(bare.status(), 400);
  for (const says of [/Choose the workspace/, /Paste a text with placeholders/, /Write why you look/]) assert.match(await bare.text(), says);
  // What the vault made of a value is what a policy-free echo was sent: the capture of the exchange is not kept, so the
  // placeholder is made by the answer that the mock gives when it is not restored.
  const unknown = '{{PII_EMAIL_0123456789abcdef01234567}}';
  await page.locator('#f-whose').selectOption({ label: 'Default' });
  await page.getByLabel('Reason').fill('A customer asks what we hold ' + xss.slice(0, 40));
  await page.getByLabel('Text with placeholders').fill(`Dear ${unknown}, ${xss}`);
  await page.getByRole('button', { name: 'Show values' }).click();
  const shown = page.getByLabel('The text with its values');
  assert.equal(await shown.inputValue(), `Dear ${unknown}, ${xss}`);
  await page.getByText('0 placeholders have become values').waitFor();
  await unharmed(page);
  await page.goto('/pii');
  assert.equal(await shown.count(), 0, 'it is not kept');
  const [event] = await api('GET', '/audit/events?event_type=PII_DETOKENIZED&limit=1');
  assert.equal(event.payload.unresolved, 1);
  assert.match(event.payload.reason, /A customer asks/);
  assert.ok(!JSON.stringify(event).includes('Dear'), 'the text is not kept');
  await close(page);
});

test('an owner alone deletes', async () => {
  const page = await signIn(await person('policy-admin'));
  await page.goto('/pii?tenant=default');
  await page.getByRole('button', { name: 'Show values' }).waitFor();
  assert.equal(await page.getByText(/Delete the/).count(), 0);
  assert.equal((await page.request.post('/pii/delete', { form: { tenant: 'default' } })).status(), 403);
  await close(page);
  const other = await signIn(await person('admin', 'default'));
  assert.equal((await other.goto('/pii')).status(), 403);
  await close(other);
});

test('it looks as it should', async () => {
  await looks(owner, '/pii?tenant=default', 'pii', { ready: 'EMAIL' });
});

test('a workspace is forgotten, with scripts off', async () => {
  const page = await signIn(owner, { scripts: false });
  await page.goto('/pii?tenant=default');
  await page.getByText(/Delete the \d values…/).click();
  await page.getByRole('button', { name: /Delete \d values of Default/ }).click();
  await page.getByText(/\d values are deleted/).waitFor();
  await page.getByText('The vault is empty.').waitFor();
  await close(page);
});
