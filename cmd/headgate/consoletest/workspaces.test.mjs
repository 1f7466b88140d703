import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, chat, close, looks, open, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

test('a workspace is made, and a key whose plaintext is shown once and works', async () => {
  const page = await signIn();
  await page.goto('/workspaces');
  await page.getByLabel('Name').fill('Research');
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await page.getByText('Workspace created.').waitFor();
  await page.getByText('This workspace has no keys yet.').waitFor();
  await page.locator('#key-name').fill('ci');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await page.getByLabel('The key ci').inputValue();
  assert.match(key, /^gw_/);
  await page.locator('.secret').getByRole('button', { name: 'Copy' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
  assert.equal((await chat('Hello', { key })).status, 200);
  // Loading the page again makes no second key and does not show the first one's plaintext.
  await page.reload();
  assert.equal(await page.getByLabel('The key ci').count(), 0);
  await page.goto(page.url().replace(/\/keys.*/, ''));
  assert.equal(await page.getByRole('row', { name: /^ci / }).count(), 1);
  await page.getByText('Rotate…').click();
  await page.getByRole('button', { name: 'Rotate ci' }).click();
  const next = await page.getByLabel('The key ci').inputValue();
  assert.notEqual(next, key);
  for (const k of [key, next]) assert.equal((await chat('Hello', { key: k })).status, 200);
  await page.goto(page.url().replace(/\/keys.*/, ''));
  await page.getByRole('row', { name: /rotated/ }).getByText('Revoke…').click();
  const ask = page.getByRole('dialog', { name: 'Revoke' });
  await ask.waitFor();
  const [box, view] = [await ask.boundingBox(), page.viewportSize()];
  assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= view.width && box.y + box.height <= view.height, 'the whole box is in view');
  await page.keyboard.press('Escape');
  await ask.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /rotated/ }).getByText('Revoke…').click();
  await ask.getByLabel('Type ci to confirm').fill('ci');
  await ask.getByRole('button', { name: 'Revoke ci' }).click();
  await page.getByText('Key revoked.').waitFor();
  assert.equal((await chat('Hello', { key })).status, 401);
  await close(page);
});

test('what is wrong stands beside its field, and what was written stays', async () => {
  const page = await signIn();
  await page.goto('/workspaces');
  await page.getByLabel('Name').fill('x'.repeat(201));
  await page.getByLabel('Region').fill('eu');
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await page.getByText('Write at most 200 characters.').waitFor();
  assert.equal(await page.getByLabel('Region').inputValue(), 'eu');
  await close(page);
});

test('names stay text', async () => {
  const t = await api('POST', '/tenants', { name: xss.slice(0, 200) });
  const page = await signIn();
  await page.goto('/workspaces');
  await unharmed(page);
  await page.goto('/workspaces/' + t.id);
  await unharmed(page);
  await page.locator('#key-name').fill(xss);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('row', { name: /gw_/ }).first().waitFor();
  await unharmed(page);
  await api('DELETE', '/tenants/' + t.id);
  await close(page);
});

test('it works with scripts off', async () => {
  const page = await signIn(owner, { scripts: false });
  await page.goto('/workspaces');
  await page.getByLabel('Name').fill('Plain');
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await page.getByText('Delete workspace…').click();
  await page.getByLabel('Type Plain to confirm').fill('Plain');
  await page.getByRole('button', { name: 'Delete Plain' }).click();
  await page.getByText('Workspace deleted, with its keys.').waitFor();
  await close(page);
});

test('each role sees what it may', async () => {
  const viewer = await person('viewer', 'default');
  const page = await signIn(viewer);
  await page.goto('/workspaces');
  assert.equal(await page.getByRole('button', { name: 'Create workspace' }).count(), 0);
  await page.getByRole('link', { name: 'Default' }).click();
  assert.equal(await page.getByRole('button', { name: 'Create key' }).count(), 0);
  const other = (await api('GET', '/tenants')).data.find(t => t.name === 'Research');
  const res = await page.goto('/workspaces/' + other.id);
  assert.equal(res.status(), 403);
  await close(page);
});

test('developers look after their own keys, within the limits of the workspace', async () => {
  const t = await api('POST', '/tenants', { name: 'Self-service' });
  const admin = await signIn();
  await admin.goto('/workspaces/' + t.id);
  const limits = admin.locator('form[action*="/key-template"]');
  await limits.getByLabel('Models').fill('mock-echo');
  await limits.getByLabel('Days until a key expires').fill('30');
  await limits.getByLabel('Active keys of one developer').fill('1');
  await limits.getByLabel('Budget of each new key').fill('5');
  await limits.getByRole('button', { name: 'Save limits' }).click();
  await admin.getByText('Limits saved.').waitFor();
  const { id } = await api('POST', `/tenants/${t.id}/keys`, { name: 'of the owner' });

  const page = await signIn(await person('developer', t.id));
  await page.goto('/workspaces/' + t.id);
  await page.getByText('Your keys can ask for mock-echo, expire within 30 days, spend $5.00 per month. You can have 1 active key.').waitFor();
  await page.locator('#key-name').fill('mine');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await page.getByLabel('The key mine').inputValue();
  assert.equal((await chat('Hello', { key })).status, 200);
  const refused = await chat('Hello', { key, model: 'mock-other' });
  assert.equal(refused.status, 403);
  assert.match(refused.body, /must not use this model/);
  await page.goto('/workspaces/' + t.id);
  await page.locator('#key-name').fill('another');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('You have reached the limit of your active keys in this workspace, 1; revoke one').waitFor();
  await page.getByRole('link', { name: 'mine' }).first().click();
  await page.getByText('(you)').waitFor();
  await page.getByRole('link', { name: /of \$5.00 monthly/ }).waitFor();
  await page.locator('#f-models').fill('mock-*');
  await page.getByRole('button', { name: 'Save key' }).click();
  await page.getByText('A key of this workspace names some of the patterns of its template.').waitFor();
  await page.getByLabel('Name').fill('mine too');
  await page.locator('#f-models').fill('mock-echo');
  await page.getByRole('button', { name: 'Save key' }).click();
  await page.getByText('Key saved.').waitFor();
  await page.goto(`/workspaces/${t.id}/keys/${id}`);
  assert.equal(await page.getByRole('button', { name: 'Save key' }).count() + await page.getByText('Revoke…').count(), 0, "somebody else's key");
  await page.goto('/workspaces/' + t.id);
  await page.getByText('Revoke…').first().click();
  await page.getByRole('dialog').getByLabel('Type mine too to confirm').fill('mine too');
  await page.getByRole('button', { name: 'Revoke mine too' }).click();
  await page.getByText('Key revoked.').waitFor();
  assert.equal((await chat('Hello', { key })).status, 401);

  await admin.goto(`/workspaces/${t.id}/keys/${id}`);
  await admin.getByLabel('Owner', { exact: true }).selectOption({ label: 'Test developer' });
  await admin.getByRole('button', { name: 'Save key' }).click();
  await admin.getByText('Key saved.').waitFor();
  await page.goto(`/workspaces/${t.id}/keys/${id}`);
  await page.getByRole('button', { name: 'Save key' }).waitFor();
  await close(page);
  await close(admin);
});

test('it looks as it should', async () => {
  await looks(owner, '/workspaces', 'workspaces');
  const { data } = await api('GET', '/tenants');
  await looks(owner, '/workspaces/' + data.find(t => t.name === 'Research').id, 'workspace');
});

test('a form of another site is refused', async () => {
  const page = await signIn();
  const [cookie] = (await page.context().cookies()).filter(c => c.name.includes('session'));
  for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }]) {
    const res = await fetch(process.env.CONSOLE_URL + '/workspaces', {
      method: 'POST', redirect: 'manual', body: new URLSearchParams({ name: 'Evil' }), headers: { ...headers, Cookie: `${cookie.name}=${cookie.value}` },
    });
    assert.equal(res.status, 403);
  }
  await close(page);
});
