// Sign-in at a SAML provider, which the Go test has started.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, open } from './lib/console.mjs';
import { run } from './lib/gateway.mjs';

const idp = process.env.SAML_URL;
let gateway;

async function put(where, body) {
  const res = await fetch(idp + where, { method: 'PUT', body });
  assert.equal(res.status, 204);
}

before(async () => {
  gateway = await run([`admin.auth.saml.metadata=${idp}/metadata`, 'admin.auth.saml.roles_attribute=eduPersonAffiliation',
    'admin.auth.saml.tenant_attribute=scopedAffiliation', 'admin.auth.saml.subject_attribute=uid']);
  await put('/services/console', await (await fetch(gateway.console + '/saml/metadata')).text());
  await put('/users/ada', JSON.stringify({ name: 'ada', password: 'secret of ada', email: 'ada@example.com', common_name: 'Ada Byron', groups: ['owner'] }));
  await put('/users/bob', JSON.stringify({ name: 'bob', password: 'secret of bob', email: 'bob@example.com', common_name: 'Bob', groups: ['viewer'], scoped_affiliation: 'default' }));
});
after(() => gateway?.stop());

async function signIn(who, where, page) {
  await page.goto(gateway.console + where);
  await page.getByRole('link', { name: 'Sign in at the identity provider' }).click();
  await page.locator('input[name=user]').fill(who);
  await page.locator('input[name=password]').fill('secret of ' + who);
  await page.locator('input[type=submit]').click();
  await page.waitForURL(gateway.console + '/**');
}

test('somebody signs in at the provider, and comes to where they wanted', async () => {
  const page = await open();
  await page.goto(gateway.console + '/users');
  await axe(page);
  await signIn('ada', '/users', page);
  await page.getByRole('link', { name: 'Ada Byron' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/users');
  await page.goto(gateway.console + '/tokens');
  await page.getByLabel('Name').fill('ci');
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByLabel('The token ci').inputValue();
  const res = await fetch(gateway.api + '/admin/v1/users', { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(res.status, 200, 'automation has a token that was made after a sign-in by SAML');
  await page.context().close();
});

test('each role sees what it may', async () => {
  const page = await open();
  await signIn('bob', '/', page);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  assert.equal((await page.goto(gateway.console + '/users')).status(), 403);
  await page.context().close();
});
