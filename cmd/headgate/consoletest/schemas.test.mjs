import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, close, licensed, looks, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

test('without a licence it says why it is empty', async () => {
  await looks(owner, '/schemas', 'schemas-unlicensed', { ready: 'Output schemas need a licence' });
  await licensed();
  await looks(owner, '/schemas', 'schemas-empty', { ready: 'There are no output schemas yet.' });
});

test('a schema is checked, made, changed and deleted', async () => {
  const page = await signIn();
  await page.goto('/schemas');
  await page.getByLabel('Models').fill('mock-*');
  await page.getByLabel('JSON Schema').fill('{\n  "type": "object",\n}');
  await page.getByRole('button', { name: 'Create output schema' }).click();
  await page.locator('#f-schema-error').getByText('Line 3, column 1: this is not valid JSON').waitFor();
  assert.equal(await page.getByLabel('Models').inputValue(), 'mock-*');
  await page.getByLabel('JSON Schema').fill('{"type": "objekt"}');
  await page.getByRole('button', { name: 'Create output schema' }).click();
  await page.locator('#f-schema-error').getByText(/type/).waitFor();
  await page.getByLabel('JSON Schema').fill('{"type": "object"}');
  await page.getByLabel('Retries').fill('11');
  await page.locator('form').last().evaluate(f => { f.noValidate = true; });
  await page.getByRole('button', { name: 'Create output schema' }).click();
  await page.locator('#f-maxRetries-error').waitFor();
  await page.getByLabel('Retries').fill('2');
  await page.getByRole('button', { name: 'Create output schema' }).click();
  await page.getByText('Output schema created.').waitFor();
  await page.getByRole('link', { name: 'mock-*' }).click();
  await page.getByLabel('Correction prompt').fill(xss);
  await page.getByLabel('Enabled').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Output schema saved.').waitFor();
  await unharmed(page);
  await page.getByText('Disabled').waitFor();
  // Of two who change it, the second is told.
  const [one] = await api('GET', '/schemas');
  await api('PUT', '/schemas/' + one.id, { maxRetries: 3 });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else changed this after you opened it').waitFor();
  await looks(owner, '/schemas', 'schemas');
  await looks(owner, '/schemas/' + one.id, 'schema');
  await page.getByText('Delete output schema…').click();
  await page.getByRole('button', { name: 'Delete mock-*' }).click();
  await page.getByText('Output schema deleted.').waitFor();
  await close(page);
});

test('it works with scripts off', async () => {
  const page = await signIn(owner, { scripts: false });
  await page.goto('/schemas');
  await page.getByLabel('Route').fill('a-route');
  await page.getByRole('button', { name: 'Create output schema' }).click();
  await page.getByRole('link', { name: 'Route a-route' }).click();
  await page.getByText('Delete output schema…').click();
  await page.getByRole('button', { name: 'Delete Route a-route' }).click();
  await page.getByText('Output schema deleted.').waitFor();
  await close(page);
});

test('each role sees what it may', async () => {
  const page = await signIn(await person('viewer', 'default'));
  assert.equal((await page.goto('/schemas')).status(), 403);
  await close(page);
  const admin = await signIn(await person('policy-admin'));
  await admin.goto('/schemas');
  assert.equal(await admin.getByRole('button', { name: 'Create output schema' }).count(), 1);
  await close(admin);
});
