import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { api, chat, close, looks, owner, person, signIn } from './lib/console.mjs';

// A vendor that knows two keys and says which one it was called with.
const first = 'sk-first-0123456789abcdef', second = 'sk-second-0123456789abcdef';
const seen = [];
const good = new Set([first, second]);
const vendor = http.createServer((req, res) => {
  const key = (req.headers.authorization ?? '').replace('Bearer ', '');
  let body = '';
  req.on('data', b => { body += b; });
  req.on('end', () => {
    res.setHeader('Content-Type', 'application/json');
    if (!good.has(key)) {
      res.statusCode = 401;
      res.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${key.slice(0, 8)}***${key.slice(-4)}. You can find yours elsewhere.` } }));
    } else if (req.method === 'GET') {
      res.end(JSON.stringify({ data: [{ id: 'vendor-large' }, { id: 'vendor-small' }] }));
    } else {
      seen.push(key);
      res.end(JSON.stringify({
        id: 'c1', object: 'chat.completion', created: 1, model: JSON.parse(body).model,
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello from the vendor' } }],
        usage: { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 },
      }));
    }
  });
});
let url;
before(() => new Promise(listening => vendor.listen(0, '127.0.0.1', () => { url = `http://127.0.0.1:${vendor.address().port}`; listening(); })));
after(() => { vendor.closeAllConnections(); vendor.close(); });

/** answered asks until the gateway has taken a change up. */
async function answered(model, status) {
  for (let last; ; await new Promise(next => setTimeout(next, 50))) {
    last = await chat('Hello', { model });
    if (last.status === status) return last;
  }
}

test('a provider is added, tested, called without a restart, given a second key, rotated and deleted', async () => {
  const page = await signIn();
  await page.goto('/credentials');
  await page.getByLabel('Type', { exact: true }).selectOption('openai');
  await page.getByLabel('Name').fill('vendor');
  await page.getByLabel('API key (optional)').fill('sk-wrong-99887766');
  await page.getByLabel('URL (optional)').fill(url);
  await page.getByRole('button', { name: 'Add provider' }).click();
  await page.getByText('Provider added.').waitFor();
  await page.getByRole('button', { name: 'Test provider' }).click();
  await page.getByText('The provider refused the call: 401').waitFor();
  const answer = await page.getByLabel('Answer of the provider').textContent();
  assert.match(answer, /Incorrect API key provided: \(masked\)/);
  assert.doesNotMatch(await page.content(), /sk-wrong|7766/);

  await page.getByRole('link', { name: 'key 1' }).click();
  await page.getByLabel('New API key').fill(first);
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByText('Key rotated.').waitFor();
  await page.getByRole('button', { name: 'Test key' }).click();
  await page.getByText('The provider answered: 200').waitFor();
  await page.getByText('with 2 models').waitFor();
  await page.goto('/credentials/vendor');
  await page.getByRole('button', { name: 'Fetch models' }).click();
  await page.getByText('2 models fetched.').waitFor();
  assert.match((await answered('vendor/vendor-large', 200)).body, /Hello from the vendor/);
  assert.equal(seen.at(-1), first);

  await page.getByLabel('Name', { exact: true }).fill('key 2');
  await page.getByLabel('API key', { exact: true }).fill(second);
  await page.getByLabel('Weight (optional)').fill('3');
  await page.getByRole('button', { name: 'Add key' }).click();
  await page.getByText('Key added.').waitFor();
  await page.getByRole('link', { name: 'key 2' }).waitFor();
  while (!seen.includes(second)) await answered('vendor/vendor-small', 200);
  seen.length = 0;
  for (let i = 0; i < 8; i++) await answered('vendor/vendor-small', 200);
  assert.equal(seen.filter(k => k === second).length, 6, 'three of four calls go to the key with three times the weight');
  await looks(owner, '/credentials/vendor', 'provider');

  await page.getByText('Delete provider…').click();
  await page.getByLabel('Type vendor to confirm').fill('vendor');
  await page.getByRole('button', { name: 'Delete vendor' }).click();
  await page.getByText('Provider deleted, with its keys.').waitFor();
  await answered('vendor/vendor-small', 404);
  const events = await api('GET', '/audit/events?limit=50');
  const text = JSON.stringify(events);
  for (const action of ['create', 'rotate credential', 'create credential', 'fetch models', 'delete']) assert.ok(text.includes(`"action":"${action}"`), action);
  assert.doesNotMatch(text, /sk-(wrong|first|second)/);
  await close(page);
});

test('a bad address is refused at its field, and a provider of the file is only shown', async () => {
  const page = await signIn();
  await page.goto('/credentials');
  await page.getByLabel('Name').fill('bad');
  await page.getByLabel('API key (optional)').fill('k');
  await page.getByLabel('URL (optional)').fill('http://169.254.169.254/latest');
  await page.getByRole('button', { name: 'Add provider' }).click();
  await page.locator('.wrong').first().waitFor();
  await page.goto('/credentials/mock');
  await page.getByText('is defined in the configuration file').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save provider' }).count(), 0);
  await page.getByRole('button', { name: 'Test provider' }).click();
  await page.getByText('The provider answered: 200').waitFor();
  await close(page);
  await looks(owner, '/credentials', 'providers');
});

test('a policy admin reads providers and changes none', async () => {
  const page = await signIn(await person('policy-admin'));
  assert.equal((await page.goto('/credentials')).status(), 200);
  assert.equal(await page.getByRole('button', { name: 'Add provider' }).count(), 0);
  await page.goto('/credentials/mock');
  assert.equal(await page.getByRole('button', { name: 'Test provider' }).count(), 0);
  await close(page);
});
