import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { api, chat, close, licence, looks, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

test('an empty vault says so, and what needs a licence says that', async () => {
  await looks(owner, '/pii', 'pii-empty', { ready: 'The vault is empty.' });
  const page = await signIn();
  await page.goto('/pii');
  await page.getByText('Detokenizing placeholders needs a valid licence').waitFor();
  const tried = await page.request.post('/pii/detokenize', { form: { tenant: 'default', text: 'x', reason: 'y' } });
  assert.equal(tried.status(), 400);
  await close(page);
  await api('PUT', '/license', { license: licence() });
});

// sent is the last text that the provider was asked with: what the vault has made of it.
let sent = '';
const provider = http.createServer((req, res) => {
  let body = '';
  req.on('data', d => { body += d; });
  req.on('end', () => {
    sent = JSON.parse(body).messages.at(-1).content;
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({
      id: 'x', object: 'chat.completion', created: 1, model: 'gpt-4o', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: sent } }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }));
  });
});
before(() => new Promise(done => { const [host, port] = process.env.CONSOLE_UPSTREAM.split(':'); provider.listen(Number(port), host, done); }));
after(() => { provider.closeAllConnections(); provider.close(); });

const text = 'Write to grace@example.com and alan@example.com';

test('values are counted by type, and deleted for a workspace after a question', async () => {
  const { body } = await chat(text, { model: 'gpt-4o' });
  assert.match(body, /grace@example\.com/, 'the answer to the caller is restored');
  assert.match(sent, /^Write to \{\{PII_EMAIL_[0-9a-f]+\}\} and/);
  const page = await signIn();
  await page.goto('/pii');
  const emails = page.getByRole('row', { name: /EMAIL/ });
  for (let i = 0; i < 50 && await emails.count() === 0; i++) await page.reload(); // values are stored behind the answer
  assert.match(await emails.innerText(), /2/);
  assert.equal(await page.getByText(/Delete the/).count(), 0, 'not for all workspaces at once');
  await page.locator('#f-filter').selectOption({ label: 'Default' });
  await page.getByRole('button', { name: 'Show workspace' }).click();
  await page.getByRole('heading', { name: 'Stored values of Default' }).waitFor();
  await page.getByText(/Delete \d values…/).click();
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
  for (const says of [/Choose the workspace/, /Paste a text with placeholders/, /Write a reason/]) assert.match(await bare.text(), says);
  const unknown = '{{PII_EMAIL_0123456789abcdef01234567}}';
  await page.locator('#f-whose').selectOption({ label: 'Default' });
  await page.getByLabel('Reason').fill('A customer asks what we hold ' + xss.slice(0, 40));
  await page.getByLabel('Text with placeholders').fill(`${sent} or ${unknown}, ${xss}`);
  await page.getByRole('button', { name: 'Show values' }).click();
  const shown = page.getByLabel('The text with its values');
  assert.equal(await shown.inputValue(), `${text} or ${unknown}, ${xss}`);
  await page.getByText('2 placeholders restored').waitFor();
  await unharmed(page);
  await page.goto('/pii');
  assert.equal(await shown.count(), 0, 'it is not kept');
  const [event] = await api('GET', '/audit/events?event_type=PII_DETOKENIZED&limit=1');
  assert.equal(event.payload.restored, 2);
  assert.equal(event.payload.unresolved, 1);
  assert.match(event.payload.reason, /A customer asks/);
  assert.ok(!JSON.stringify(event).includes('Write to'), 'the text is not kept');
  const elsewhere = await page.request.post('/pii/detokenize', { form: { tenant: (await api('POST', '/tenants', { name: 'Other' })).id, text: sent, reason: 'Whose are they?' } });
  assert.ok(!(await elsewhere.text()).includes('grace@'), 'another workspace has not these values');
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
  await page.getByText(/Delete \d values…/).click();
  await page.getByRole('button', { name: /Delete \d values of Default/ }).click();
  await page.getByText(/\d values deleted/).waitFor();
  await page.getByText('The vault is empty.').waitFor();
  await close(page);
});
