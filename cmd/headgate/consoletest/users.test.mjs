import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, choosePassword, close, looks, open, owner, person, signIn, site, unharmed, xss } from './lib/console.mjs';

test('an owner makes a user, who signs in, and changes what they may', async () => {
  const page = await signIn();
  await page.goto('/users');
  await page.getByLabel('Name').fill('Grace');
  await page.getByLabel('Email address').fill('grace@example.com');
  await page.getByLabel('owner: everything').check();
  await page.getByLabel('First password').fill('short');
  await page.getByRole('button', { name: 'Create user' }).click();
  await page.getByText('Write 12 characters or more.').waitFor();
  assert.equal(await page.getByLabel('First password').inputValue(), '');
  assert.ok(await page.getByLabel('owner: everything').isChecked(), 'what was chosen stays');
  await page.getByLabel('viewer: read-only').check();
  await page.getByLabel('First password').fill('a long password of grace');
  await page.getByRole('button', { name: 'Create user' }).click();
  await page.getByText(/are mixed/).waitFor();
  await page.getByLabel('owner: everything').uncheck();
  await page.getByLabel('Workspace', { exact: true }).selectOption({ label: 'Default' });
  await page.getByLabel('First password').fill('a long password of grace');
  await page.getByRole('button', { name: 'Create user' }).click();
  await page.getByText('User created.').waitFor();
  const grace = await signIn({ email: 'grace@example.com', password: 'a long password of grace' });
  await grace.goto('/account');
  assert.equal((await grace.goto('/users')).status(), 403);
  // Roles that change hold at once, in the session that there is. Her own password has changed the record since.
  await page.reload();
  await page.getByLabel('viewer: read-only').uncheck();
  await page.getByLabel('owner: everything').check();
  await page.getByLabel('Workspace', { exact: true }).selectOption({ label: 'The whole platform' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('User saved.').waitFor();
  assert.equal((await grace.goto('/users')).status(), 200);
  // A password that is set ends their sessions; so does signing them out, and disabling them keeps them out.
  await page.getByLabel('New password').fill('another password of grace');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('Password set').waitFor();
  await grace.goto('/users');
  assert.equal(new URL(grace.url()).pathname, '/login');
  await grace.getByLabel('Email address').fill('grace@example.com');
  await grace.getByLabel('Password').fill('another password of grace');
  await grace.getByRole('button', { name: 'Sign in' }).click();
  await choosePassword(grace, { password: 'another password of grace' });
  await page.getByRole('button', { name: 'Sign out everywhere' }).last().click();
  await page.getByText('The user was signed out everywhere.').waitFor();
  await grace.goto('/account');
  assert.equal(new URL(grace.url()).pathname, '/login');
  await page.getByLabel('Status').selectOption('disabled');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('User saved.').waitFor();
  await grace.getByLabel('Email address').fill('grace@example.com');
  await grace.getByLabel('Password').fill('another password of grace');
  await grace.getByRole('button', { name: 'Sign in' }).click();
  await grace.getByText('The e-mail address or the password is wrong.').waitFor();
  await close(grace);
  await page.getByText('Delete user…').click();
  await page.getByLabel('Type Grace to confirm').fill('Grace');
  await page.getByRole('button', { name: 'Delete Grace' }).click();
  await page.getByText('User deleted').waitFor();
  await close(page);
});

test('an owner invites a person by a link that works once', async () => {
  const u = await api('POST', '/users', { email: 'ivy@example.com', name: 'Ivy', roles: ['policy-admin'] });
  const page = await signIn();
  await page.goto('/users/' + u.id);
  await page.getByText('Invite…').click();
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const ivyk = await page.getByLabel('Invitation', { exact: true }).inputValue();
  assert.match(ivyk, new RegExp(`^${site}/invitation#[A-Z2-7]{26}$`));
  await page.goto('/users/' + u.id);
  await page.getByText('Invited until').waitFor();
  assert.equal((await page.content()).includes(ivyk.split('#')[1]), false, 'it is shown once');
  const ivy = await open();
  await ivy.goto(ivyk);
  assert.equal(new URL(ivy.url()).hash, '', 'the history does not keep the code');
  await ivy.getByLabel('Password', { exact: true }).fill('short');
  await ivy.getByLabel('Repeat password').fill('short');
  await ivy.getByRole('button', { name: 'Set password' }).click();
  await ivy.locator('#f-password-error').waitFor();
  await ivy.getByLabel('Password', { exact: true }).fill('a long password of ivy');
  await ivy.getByLabel('Repeat password').fill('a long password of ivy');
  await ivy.getByRole('button', { name: 'Set password' }).click();
  await ivy.getByText('Welcome. Your account is ready.').waitFor();
  assert.equal((await ivy.goto('/policies')).status(), 200);
  const other = await open();
  await other.goto(ivyk);
  await other.getByLabel('Password', { exact: true }).fill('a long password of eve');
  await other.getByLabel('Repeat password').fill('a long password of eve');
  await other.getByRole('button', { name: 'Set password' }).click();
  await other.getByText(/was used, or has expired/).waitFor();
  await page.goto('/users/' + u.id);
  assert.equal(await page.getByText('Invite…').count(), 0);
  for (const p of [page, ivy, other]) await close(p);
  const events = await api('GET', '/audit/events?limit=50');
  const told = (Array.isArray(events) ? events : events.data).map(e => JSON.stringify(e));
  assert.ok(told.some(e => e.includes('CONFIG_CHANGED') && e.includes('invited_until')), 'the audit log has the invitation');
  assert.ok(told.every(e => !e.includes(ivyk.split('#')[1])), 'and not its code');
});

test('a first password is changed before anything else', async () => {
  const user = { email: 'first@example.com', name: 'First', password: 'a password that was given' };
  await api('POST', '/users', { ...user, roles: ['billing-admin'] });
  const page = await open();
  await page.goto('/login');
  await page.getByLabel('Email address').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Somebody else chose your password.').waitFor();
  for (const where of ['/', '/costs', '/tokens']) {
    await page.goto(where);
    assert.equal(new URL(page.url()).pathname, '/account', where);
  }
  const cookie = (await page.context().cookies()).map(c => `${c.name}=${c.value}`).join('; ');
  const res = await fetch(site + '/tokens', { method: 'POST', redirect: 'manual', body: new URLSearchParams({ name: 'x' }), headers: { Cookie: cookie } });
  assert.equal(res.headers.get('location'), '/account', 'no token either');
  await page.getByLabel('Current password').fill(user.password);
  await page.getByLabel('New password', { exact: true }).fill(user.password);
  await page.getByLabel('Repeat new password').fill(user.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Choose another password than').waitFor();
  await choosePassword(page, user);
  assert.equal((await page.goto('/costs')).status(), 200);
  await close(page);
});

test('two who change one user do not undo each other', async () => {
  const u = await api('POST', '/users', { email: 'two@example.com', name: 'Two', roles: ['billing-admin'] });
  const page = await signIn();
  await page.goto('/users/' + u.id);
  await api('PUT', '/users/' + u.id, { name: 'Changed elsewhere' });
  await page.getByLabel('Name').fill('Mine');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal((await api('GET', '/users/' + u.id)).name, 'Changed elsewhere');
  assert.equal(await page.getByLabel('Name').inputValue(), 'Mine');
  await close(page);
});

test('names stay text', async () => {
  const u = await api('POST', '/users', { email: 'xss@example.com', name: xss.slice(0, 200), roles: ['billing-admin'] });
  const page = await signIn();
  for (const where of ['/users', '/users/' + u.id]) {
    await page.goto(where);
    await unharmed(page);
  }
  await api('DELETE', '/users/' + u.id);
  await close(page);
});

test('an access token is shown once, works, and ends when it is revoked', async () => {
  const page = await signIn();
  await page.goto('/');
  await page.locator('details.drop summary').click();
  await page.getByRole('link', { name: 'Access tokens' }).click();
  await page.getByText('You have no access tokens yet.').waitFor();
  await page.getByLabel('Name').fill('deploy');
  await page.getByLabel('Last day').fill('2020-01-01');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText(/in the future/).waitFor();
  await page.getByLabel('Last day').fill('');
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByLabel('The token deploy').inputValue();
  assert.match(token, /^headgate_pat_/);
  const me = () => fetch(process.env.GATEWAY_URL + '/admin/v1/users', { headers: { Authorization: `Bearer ${token}` } });
  assert.equal((await me()).status, 200);
  const row = page.getByRole('row', { name: /^deploy / });
  assert.ok((await row.textContent()).includes(token.slice(0, 20)));
  await page.reload();
  assert.equal(await page.getByLabel('The token deploy').count(), 0);
  await page.goto('/tokens');
  assert.equal(await row.count(), 1, 'loading the page again made no second token');
  await page.getByText('Revoke…').click();
  await page.getByRole('button', { name: 'Revoke deploy' }).click();
  await page.getByText('Token revoked.').waitFor();
  assert.equal((await me()).status, 401);
  await row.getByText('Revoked').waitFor();
  // Nobody sees or ends those of others.
  const bob = await signIn(await person('billing-admin'));
  await bob.goto('/tokens');
  assert.equal(await bob.getByRole('row').count(), 0);
  const mine = await api('POST', '/pats', { name: 'automation' });
  const res = await bob.request.post(site + '/tokens/' + mine.id + '/revoke', { headers: { 'Sec-Fetch-Site': 'same-origin' } });
  assert.equal(res.status(), 404);
  await close(bob);
  await close(page);
});

test('somebody changes their own password, and other browsers are signed out', async () => {
  const user = await person('viewer', 'default');
  const page = await signIn(user);
  const other = await open();
  await other.goto('/login');
  await other.getByLabel('Email address').fill(user.email);
  await other.getByLabel('Password').fill(user.password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto('/account');
  await page.getByLabel('Current password').fill('not my password');
  await page.getByLabel('New password', { exact: true }).fill('another long password');
  await page.getByLabel('Repeat new password').fill('another long password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('This is not your password.').waitFor();
  await page.getByLabel('Current password').fill(user.password);
  await page.getByLabel('New password', { exact: true }).fill('another long password');
  await page.getByLabel('Repeat new password').fill('another long password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed').waitFor();
  await other.goto('/account');
  assert.equal(new URL(other.url()).pathname, '/login');
  for (const p of [page, other]) await close(p);
});

test('an admin keeps the members of their workspace, and no other', async () => {
  const admin = await person('admin', 'default');
  const page = await signIn(admin);
  await page.goto('/workspaces/default');
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await page.getByLabel('Name').last().fill('Lin');
  await page.getByLabel('Email address').fill('lin@example.com');
  await page.getByRole('button', { name: 'Add member' }).click();
  await page.getByText('Member added.').waitFor();
  const row = page.getByRole('row', { name: /^Lin / });
  await row.getByText('Change…').click();
  await page.getByRole('dialog').getByLabel('developer: keys, usage, policy dry runs').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save Lin' }).click();
  await page.getByText('Member saved.').waitFor();
  await row.getByText('developer, viewer').waitFor();
  await row.getByText('Change…').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save Lin' }).waitFor(); // all() does not wait for the dialog
  for (const box of await page.getByRole('dialog').getByRole('checkbox').all()) await box.uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Save Lin' }).click();
  await page.getByRole('alert').waitFor();
  await page.goto('/workspaces/default/members');
  await row.getByText('Remove…').click();
  await page.getByRole('dialog').getByLabel('Type Lin to confirm').fill('lin');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove Lin' }).click();
  await page.getByRole('dialog').getByText('The name does not match, and nothing was changed. Type Lin.').waitFor();
  await page.getByRole('dialog').getByLabel('Type Lin to confirm').fill('Lin');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove Lin' }).click();
  await page.getByText('Member removed').waitFor();
  const other = await api('POST', '/tenants', { name: 'Other' });
  assert.equal((await page.goto(`/workspaces/${other.id}/members`)).status(), 403);
  const viewer = await signIn(await person('viewer', 'default'));
  await viewer.goto('/workspaces/default/members');
  assert.equal(await viewer.getByRole('button', { name: 'Add member' }).count(), 0);
  await close(viewer);
  await close(page);
});

test('it works with scripts off', async () => {
  const page = await signIn(owner, { scripts: false });
  await page.goto('/users');
  await page.getByLabel('Name').fill('Plain');
  await page.getByLabel('Email address').fill('plain@example.com');
  await page.getByLabel('billing-admin: prices, costs, budgets').check();
  await page.getByRole('button', { name: 'Create user' }).click();
  await page.getByText('User created.').waitFor();
  await page.getByText('Delete user…').click();
  await page.getByLabel('Type Plain to confirm').fill('Somebody');
  await page.getByRole('button', { name: 'Delete Plain' }).click();
  await page.getByText('The name does not match, and nothing was changed. Type Plain.').waitFor();
  await page.getByLabel('Type Plain to confirm').fill('Plain');
  await page.getByRole('button', { name: 'Delete Plain' }).click();
  await page.getByText('User deleted').waitFor();
  await close(page);
});

test('it looks as it should', async () => {
  await looks(owner, '/invitation', 'invitation');
  const other = (await api('GET', '/tenants')).data.find(t => t.name === 'Other');
  const { data } = await api('GET', '/users');
  const user = data.find(u => u.email.startsWith('viewer'));
  await looks(owner, '/users', 'users');
  await looks(owner, '/users/' + user.id, 'user');
  await looks(owner, '/workspaces/default/members', 'members');
  await looks(owner, `/workspaces/${other.id}/members`, 'members-empty');
  const fresh = await person('policy-admin');
  const some = await signIn();
  for (const [name, day] of [['deploy', ''], ['reports', '2031-01-31']]) {
    await some.goto('/tokens');
    await some.getByLabel('Name').fill(name);
    await some.getByLabel('Last day').fill(day);
    await some.getByRole('button', { name: 'Create token' }).click();
    await some.getByLabel('The token ' + name).waitFor();
  }
  await close(some);
  await looks(owner, '/tokens', 'tokens');
  await looks(fresh, '/tokens', 'tokens-empty');
  await looks(owner, '/account', 'account');
});
