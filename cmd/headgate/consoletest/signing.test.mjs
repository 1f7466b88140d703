import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, close, looks, open, owner, picture, setupCode, signIn, site } from './lib/console.mjs';

test('the first owner is made on the first page, once', async () => {
  const page = await open();
  await page.goto('/');
  await page.waitForURL('**/setup');
  assert.equal(await page.getByLabel('Setup code').inputValue(), '');
  await page.goto('/login#' + setupCode); // a redirect keeps the fragment of the link
  await page.waitForURL('**/setup');
  assert.equal(await page.getByLabel('Setup code').inputValue(), setupCode);
  await axe(page);
  await picture(page, 'setup-light');
  await page.getByLabel('Name').fill(owner.name);
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByLabel('Repeat password').fill('something else entirely');
  await page.getByRole('button', { name: 'Create owner' }).click();
  await page.getByText('The two passwords differ.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByLabel('Repeat password').fill(owner.password);
  await page.getByRole('button', { name: 'Create owner' }).click();
  await page.getByText('You are the owner of this gateway.').waitFor();
  await page.goto('/setup');
  await page.waitForURL(site + '/');
  await close(page);
  const other = await open();
  await other.goto('/setup');
  await other.waitForURL('**/login');
  await close(other);
});

test('a wrong password is refused in words that tell nothing', async () => {
  const page = await open();
  await page.goto('/login');
  await axe(page);
  await picture(page, 'login-light');
  assert.equal(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), true, 'the page does not scroll');
  for (const email of [owner.email, 'nobody@example.com']) {
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    assert.equal(await page.getByLabel('Password').inputValue(), '');
  }
  await close(page);
});

test('signing in leads back to where one was going, and nowhere else', async () => {
  for (const [next, lands] of [['/?x=1', '/?x=1'], ['//evil.example', '/'], ['https://evil.example/', '/'], ['/\\evil.example', '/']]) {
    const page = await open();
    await page.goto('/login?next=' + encodeURIComponent(next));
    await page.getByLabel('Email address').fill(owner.email);
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.equal(page.url(), site + lands);
    await close(page);
  }
});

test('a session that was there before is not taken over', async () => {
  const page = await open({ cookies: [{ name: 'headgate_session', value: 'A'.repeat(43), url: site }] });
  await page.goto('/login');
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const [cookie] = (await page.context().cookies()).filter(c => c.name === 'headgate_session');
  assert.notEqual(cookie.value, 'A'.repeat(43));
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, 'Lax');
  await close(page);
});

test('signing out everywhere ends other browsers too', async () => {
  const mine = await signIn(), another = await open();
  await another.goto('/login');
  await another.getByLabel('Email address').fill(owner.email);
  await another.getByLabel('Password').fill(owner.password);
  await another.getByRole('button', { name: 'Sign in' }).click();
  await another.getByText(owner.name).click();
  await another.getByRole('button', { name: 'Sign out everywhere' }).click();
  await another.getByText('You were signed out everywhere.').waitFor();
  await mine.goto('/');
  await mine.waitForURL('**/login');
  await close(mine);
  await close(another);
});
