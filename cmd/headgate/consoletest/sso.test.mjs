// Sign-in at an OpenID Connect provider: that of the package oidc-provider, on a port of this machine.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { axe, open, picture } from './lib/console.mjs';
import { run } from './lib/gateway.mjs';

const people = {
  ada: { name: 'Ada Byron', email: 'ada@example.com', realm: { roles: ['owner'] } },
  bob: { name: 'Bob', email: 'bob@example.com', realm: { roles: ['viewer'] }, tenant_id: 'default' },
  mix: { name: 'Mix', email: 'mix@example.com', realm: { roles: ['owner', 'viewer'] }, tenant_id: 'default' },
  nil: { name: 'Nil', email: 'nil@example.com' },
};
const secret = 'the-secret-of-the-console-0123456789';
let provider, server, issuer, gateway;
const asked = [];

before(async () => {
  process.env.NODE_ENV = 'test';
  const { Provider } = await import('oidc-provider');
  let handle = (req, res) => res.writeHead(503).end();
  server = http.createServer((req, res) => handle(req, res));
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  issuer = `http://127.0.0.1:${server.address().port}`;
  gateway = await run([`admin.auth.oidc.issuer=${issuer}`, 'admin.auth.oidc.client_id=headgate-console', `admin.auth.oidc.client_secret=${secret}`,
    'admin.auth.oidc.roles_claim=realm.roles']);
  provider = new Provider(issuer, {
    clients: [{ client_id: 'headgate-console', client_secret: secret, redirect_uris: [gateway.console + '/login/oidc/callback'], grant_types: ['authorization_code'], response_types: ['code'] }],
    findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    claims: { openid: ['sub', 'realm', 'tenant_id'], profile: ['name'], email: ['email'] },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: true } },
  });
  provider.on('authorization.success', ctx => asked.push(ctx.oidc.params));
  handle = provider.callback();
});
after(async () => {
  await gateway?.stop();
  server?.close();
});

/** signIn goes from the console's sign-in through the provider's pages and back. */
async function signIn(who, where = '/', page) {
  page ??= await open();
  await page.goto(gateway.console + where);
  await page.getByRole('link', { name: 'Sign in at the identity provider' }).click();
  await page.locator('input[name=login]').fill(who);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(gateway.console + '/**');
  return page;
}

test('somebody signs in at the provider, and comes to where they wanted', async () => {
  const page = await open();
  await page.goto(gateway.console + '/users');
  assert.equal(new URL(page.url()).pathname, '/login');
  assert.equal(await page.locator('input[type=password]').count(), 0);
  await axe(page);
  await picture(page, 'login-provider-light');
  await signIn('ada', '/users', page);
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/users');
  await page.getByRole('link', { name: 'Ada Byron' }).waitFor();
  const [{ code_challenge_method: pkce, state, nonce }] = asked;
  assert.equal(pkce, 'S256');
  assert.ok(state && nonce);
  // Signing out here leaves the provider's own session, and asks for a sign-in again.
  await page.goto(gateway.console + '/account');
  await page.getByText('You sign in at your organization').waitFor();
  await page.locator('details.drop summary').click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You were signed out.').waitFor();
  await page.goto(gateway.console + '/users');
  assert.equal(new URL(page.url()).pathname, '/login');
  await page.context().close();
});

test('it works with scripts off, and each role sees what it may', async () => {
  const page = await signIn('bob', '/', await open({ scripts: false }));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  assert.equal((await page.goto(gateway.console + '/users')).status(), 403);
  assert.equal((await page.goto(gateway.console + '/workspaces')).status(), 200);
  await page.context().close();
});

test('roles of both kinds, and no roles at all, are refused at the sign-in', async () => {
  for (const [who, says] of [['mix', 'are mixed'], ['nil', 'holds none of the roles']]) {
    const page = await signIn(who);
    await page.getByRole('alert').getByText(says).waitFor();
    assert.equal((await page.context().cookies()).filter(c => c.name === 'headgate_session').length, 0);
    await page.goto(gateway.console + '/users');
    assert.equal(new URL(page.url()).pathname, '/login');
    await page.context().close();
  }
});

test('somebody who turns back at the provider is told', async () => {
  const page = await open();
  await page.goto(gateway.console + '/login');
  await page.getByRole('link', { name: 'Sign in at the identity provider' }).click();
  await page.getByRole('link', { name: /Cancel/ }).click();
  await page.getByRole('alert').waitFor();
  await page.context().close();
});

test('an answer that another browser has asked for lets nobody in', async () => {
  const eve = await open(), ada = await open();
  await eve.goto(gateway.console + '/login');
  await eve.getByRole('link', { name: 'Sign in at the identity provider' }).click();
  await eve.locator('input[name=login]').fill('bob');
  await eve.locator('input[name=password]').fill('any');
  await eve.getByRole('button', { name: 'Sign-in' }).click();
  await eve.context().clearCookies({ name: 'headgate_signin' }); // so that the code is not used up
  await eve.getByRole('button', { name: 'Continue' }).click();
  await eve.getByText('started in another browser').waitFor();
  const stolen = eve.url();
  assert.match(stolen, /code=/);
  // Ada is under way to the provider herself.
  await ada.goto(gateway.console + '/login');
  await ada.getByRole('link', { name: 'Sign in at the identity provider' }).click();
  const res = await ada.goto(stolen);
  assert.equal(res.status(), 403);
  await ada.getByText('begun in another window or browser').waitFor();
  assert.equal((await ada.context().cookies()).filter(c => c.name === 'headgate_session').length, 0);
  for (const page of [eve, ada]) await page.context().close();
});
