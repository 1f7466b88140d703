import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { api, chat, close, looks, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

// A subscriber that answers as it is told.
const got = [];
let answer = 200, where;
const subscriber = http.createServer((req, res) => {
  let body = '';
  req.on('data', d => { body += d; });
  req.on('end', () => { got.push({ headers: req.headers, body }); res.writeHead(answer); res.end(); });
});
before(() => new Promise(done => subscriber.listen(0, '127.0.0.1', () => { where = `http://127.0.0.1:${subscriber.address().port}/hook`; done(); })));
after(() => { subscriber.closeAllConnections(); subscriber.close(); });

test('there is none at first', async () => {
  await looks(owner, '/webhooks', 'webhooks-empty', { ready: 'There are no webhooks yet.' });
});

test('one is made whose secret is shown once, tested, and told of events', async () => {
  const page = await signIn();
  await page.goto('/webhooks');
  await page.getByLabel('Name').fill('On call');
  await page.getByLabel('URL').fill(where);
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('Check at least one event.').waitFor();
  assert.equal(await page.getByLabel('URL').inputValue(), where);
  await page.getByLabel(/^PII_DETECTED/).check();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();
  assert.match(secret, /^whsec_[a-z0-9]{40,}$/);
  await page.reload();
  assert.equal(await page.getByText(secret).count(), 0);
  await page.goto('/webhooks');
  await page.getByRole('link', { name: 'On call' }).click();
  assert.ok(!(await page.content()).includes(secret));
  await page.getByText('Nothing was sent yet.').waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText(/The test event was delivered: 200 in/).waitFor();
  assert.equal(JSON.parse(got.at(-1).body).type ?? JSON.parse(got.at(-1).body).event_type, 'WEBHOOK_TEST');

  await page.goto(page.url().replace(/\/test.*/, ''));
  await chat('Write to grace@example.com');
  await page.locator('tr').filter({ hasText: 'PII_DETECTED' }).getByText('delivered').waitFor();
  answer = 500;
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText(/The test event was not delivered/).waitFor();
  await page.goto(page.url().replace(/\/test.*/, ''));
  await chat('Write to alan@example.com');
  await page.getByText('given up', { exact: true }).first().waitFor();
  await page.locator('#f-state').selectOption({ label: 'Given up' });
  await page.getByRole('button', { name: /^Show/ }).click();
  const dead = page.locator('tbody tr');
  assert.equal(await dead.count(), 1);
  await dead.getByText('1 attempt').click();
  await dead.getByText(/500 in/).waitFor();
  answer = 200;
  const before = got.length;
  await dead.getByRole('button', { name: 'Send delivery again' }).click();
  await page.getByText('The event is sent again.').waitFor();
  await page.waitForFunction(() => ![...document.querySelectorAll('tbody .state')].some(s => s.textContent !== 'delivered'));
  assert.equal(got.length, before + 1);
  await close(page);
});

test('it is changed, its secret replaced, and it is deleted', async () => {
  const page = await signIn();
  await page.goto('/webhooks');
  await page.getByRole('link', { name: 'On call' }).click();
  const at = page.url();
  const other = await page.context().newPage();
  await other.goto(at);
  await page.getByLabel('Name').fill(xss);
  await page.getByLabel('Enabled').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Webhook saved.').waitFor();
  await page.getByText('Disabled').first().waitFor();
  await unharmed(page);
  await other.getByLabel('Name').fill('Too late');
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByText(/Somebody else changed this after/).waitFor();
  assert.equal(await other.getByLabel('Name').inputValue(), 'Too late');
  await other.close();
  await page.getByLabel('URL').fill('ftp://example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('#f-url-error').waitFor();
  await page.goto(at);
  await page.getByLabel('New secret').fill('short');
  await page.getByRole('button', { name: 'Replace secret' }).click();
  await page.locator('#f-secret-error').waitFor();
  await page.getByRole('button', { name: 'Replace secret' }).click();
  assert.match(await page.getByLabel('Signing secret', { exact: true }).inputValue(), /^whsec_/);
  await page.getByText('the previous one also signs until').waitFor();
  await page.goto(at);
  await page.getByLabel('New secret').fill('a secret of my own choosing');
  await page.getByRole('button', { name: 'Replace secret' }).click();
  await page.getByText('Secret replaced.').waitFor();
  assert.ok(!(await page.content()).includes('a secret of my own'), 'what was typed is not shown');
  await close(page);

  const plain = await signIn(owner, { scripts: false });
  await plain.goto(at);
  await plain.getByText('Delete webhook…').click();
  await plain.getByRole('button', { name: /^Delete "/ }).click();
  await plain.getByText('Webhook deleted.').waitFor();
  assert.equal((await plain.goto(at)).status(), 404);
  await close(plain);
});

test('owners alone see them', async () => {
  for (const [role, tenant] of [['policy-admin'], ['admin', 'default']]) {
    const page = await signIn(await person(role, tenant));
    assert.equal((await page.goto('/webhooks')).status(), 403);
    assert.equal((await page.request.post('/webhooks', { form: { name: 'x' } })).status(), 403);
    await close(page);
  }
});

test('it looks as it should', async () => {
  const w = await api('POST', '/webhooks', { name: 'Incidents', url: where, secret: 'a long enough secret', event_types: ['PII_DETECTED', 'POLICY_DENIAL', 'BUDGET_EXCEEDED'] });
  await chat('Write to grace@example.com');
  answer = 503;
  await chat('Write to alan@example.com');
  await looks(owner, '/webhooks', 'webhooks', { ready: 'Incidents' });
  await looks(owner, '/webhooks/' + w.id, 'webhook', { ready: 'PII_DETECTED' });
});
