import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, chat, close, licensed, looks, owner, person, signIn, unharmed } from './lib/console.mjs';

test('a route is made, tried, changed, compared, rolled back and deleted', async () => {
  const page = await signIn();
  await page.goto('/routes');
  await page.getByLabel('Models').fill('fancy-*');
  await page.getByRole('button', { name: 'Create route' }).click();
  await page.getByText('Choose a provider.').waitFor();
  assert.equal(await page.getByLabel('Models').inputValue(), 'fancy-*');
  await page.getByLabel('Provider').first().selectOption('mock');
  await page.getByLabel('Model override').first().fill('mock-echo');
  await page.getByRole('button', { name: 'Create route' }).click();
  await page.getByText('Route created.').waitFor();
  assert.equal((await chat('Hello', { model: 'fancy-one' })).status, 200);
  const at = new URL(page.url()).pathname;
  await page.getByLabel('Latency limit').fill('fast');
  await page.getByRole('button', { name: 'Save as new version' }).click();
  await page.getByText('Write a whole number.').waitFor();
  await page.getByLabel('Latency limit').fill('250');
  await page.getByRole('button', { name: 'Save as new version' }).click();
  await page.getByText('Route saved as a new version.').waitFor();
  await page.getByText('+1 −1 lines').click();
  await page.getByRole('cell', { name: 'latency limit: 250 ms' }).waitFor();
  await page.getByText('Roll back…').click();
  await page.getByRole('button', { name: 'Roll back to 1' }).click();
  await page.getByText('Version 1 restored as version 3').waitFor();
  await looks(owner, at, 'route');
  await page.goto('/routes?model=fancy-two');
  await page.getByText('They are tried in this order').waitFor();
  await looks(owner, '/routes?model=fancy-two', 'routes');
  await page.goto('/routes?model=nobody-serves-this');
  await page.getByText('No route matches').waitFor();
  await page.goto(at);
  await page.getByText('Delete route…').click();
  await page.getByRole('button', { name: 'Delete this route' }).click();
  await page.getByText('Route deleted, with its versions.').waitFor();
  assert.equal((await chat('Hello', { model: 'fancy-one' })).status, 404);
  await close(page);
});

test('a route of the file is only shown', async () => {
  const page = await signIn();
  await page.goto('/routes');
  await page.getByRole('link', { name: 'mock-*' }).click();
  await page.getByText('is defined in the configuration file').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  await close(page);
});

test('the catalogue lists models with price and providers, and filters them', async () => {
  const page = await signIn();
  await page.goto('/models');
  await page.getByRole('link', { name: 'Models' }).first().waitFor();
  await page.getByLabel('Model or provider').fill('echo');
  await page.getByRole('button', { name: 'Filter models' }).click();
  const row = page.getByRole('row', { name: /^mock-echo/ });
  await row.getByRole('cell', { name: 'yes', exact: true }).waitFor();
  await row.getByRole('cell', { name: 'mock', exact: true }).waitFor();
  await close(page);
  await looks(owner, '/models', 'models', { ready: 'mock-echo' });
});

test('credentials show health and never a key', async () => {
  const page = await signIn();
  const res = await page.goto('/providers');
  assert.equal(new URL(res.url()).pathname, '/credentials');
  await page.getByRole('row', { name: /openai.*missing/ }).waitFor();
  await close(page);
  await looks(owner, '/credentials', 'credentials');
});

test('latency needs a licence, and is measured', async () => {
  await looks(owner, '/latency', 'latency-unlicensed', { ready: 'need a valid licence' });
  await licensed();
  await chat('Hello');
  await looks(owner, '/latency', 'latency', { ready: 'mock-echo' });
});

test('the fleet shows this process', async () => {
  await looks(owner, '/fleet', 'fleet', { ready: 'No nodes have connected' });
});

test('the configuration is exported, and an import is shown before it is done', async () => {
  const page = await signIn();
  await page.goto('/configuration');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export as YAML' }).click()]);
  const chunks = [];
  for await (const c of await download.createReadStream()) chunks.push(c);
  assert.match(Buffer.concat(chunks).toString(), /^routes:/m);
  await page.getByLabel('Document').fill('routes: [');
  await page.getByRole('button', { name: 'Show changes' }).click();
  await page.locator('.wrong').waitFor();
  await page.getByLabel('Document').fill('routes:\n  - id: imported\n    model_pattern: "<img src=x onerror=window.hacked=1>"\n    providers: [{provider: mock}]\n');
  await page.getByRole('button', { name: 'Show changes' }).click();
  await page.getByRole('cell', { name: 'imported' }).waitFor();
  assert.equal((await api('GET', '/routes')).data.some(r => r.id === 'imported'), false);
  await page.getByRole('button', { name: 'Import configuration' }).click();
  await page.getByText('Configuration imported: 1 change.').waitFor();
  await page.goto('/routes/imported');
  await unharmed(page);
  await close(page);
  await looks(owner, '/configuration', 'configuration');
});

test('each role sees what it may', async () => {
  const viewer = await person('viewer', 'default'), policy = await person('policy-admin');
  let page = await signIn(viewer);
  for (const [where, status] of [['/routes', 200], ['/credentials', 403], ['/latency', 403], ['/fleet', 403], ['/configuration', 403]]) assert.equal((await page.goto(where)).status(), status, where);
  await page.goto('/routes');
  assert.equal(await page.getByRole('button', { name: 'Create route' }).count(), 0);
  await close(page);
  page = await signIn(policy);
  for (const [where, status] of [['/routes', 200], ['/credentials', 200], ['/fleet', 403]]) assert.equal((await page.goto(where)).status(), status, where);
  await close(page);
});
