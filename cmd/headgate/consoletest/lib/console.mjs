// What tests of the console share: a browser, people who are signed in, the administrative API, pictures and axe.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { after, before } from 'node:test';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

export const site = process.env.CONSOLE_URL;
export const gateway = process.env.GATEWAY_URL;
export const gatewayKey = process.env.GATEWAY_KEY;
export const ownerToken = process.env.OWNER_TOKEN;
export const pluginsDir = process.env.PLUGINS_DIR;
export const setupCode = process.env.SETUP_CODE;
const pictures = process.env.PICTURES_DIR;
const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM, headless: true, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'],
  });
});
after(async () => { await browser?.close(); });

export const owner = { email: 'ada@example.com', name: 'Ada Byron', password: 'correct horse battery staple' };

/** open gives a page in a browser of its own: nothing is shared with other pages but the gateway. */
export async function open({ width = 1280, height = 860, theme = 'light', scripts = true, zone = 'UTC', cookies = [] } = {}) {
  const context = await browser.newContext({
    baseURL: site, viewport: { width, height }, colorScheme: theme, javaScriptEnabled: scripts, locale: 'en-GB', timezoneId: zone,
    permissions: scripts ? ['clipboard-read', 'clipboard-write'] : [],
  });
  if (cookies.length) await context.addCookies(cookies);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.foreign = [];
  page.failures = [];
  page.on('request', r => { if (!r.url().startsWith(site) && !/^(data|blob|about):/.test(r.url())) page.foreign.push(r.url()); });
  page.on('pageerror', e => page.failures.push(String(e)));
  page.on('console', m => { if (m.type() === 'error' && /Content Security Policy|Refused to/.test(m.text())) page.failures.push(m.text()); });
  return page;
}

/** close demands that the page has asked no other host, that no script has failed, and that nothing was refused by its policy. */
export async function close(page) {
  assert.deepEqual(page.foreign, [], 'requests to other hosts');
  assert.deepEqual(page.failures, [], 'errors on the page');
  await page.context().close();
}

/** choosePassword replaces a password that somebody else chose, which the console demands before anything else. */
export async function choosePassword(page, user) {
  await page.getByText('Somebody else chose your password.').waitFor();
  await page.getByLabel('Current password').fill(user.password);
  user.password += ', my own';
  await page.getByLabel('New password', { exact: true }).fill(user.password);
  await page.getByLabel('Repeat new password').fill(user.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed. Welcome.').waitFor();
}

const sessions = new Map();

/** signIn gives a page of somebody who is signed in. The first to sign in with a password is made by the set-up. */
export async function signIn(user = owner, options = {}) {
  if (!sessions.has(user.email)) {
    const page = await open();
    await page.goto('/#' + setupCode);
    if (new URL(page.url()).pathname === '/setup') {
      await page.getByLabel('Name').fill(user.name);
      await page.getByLabel('Email address').fill(user.email);
      await page.getByLabel('Password', { exact: true }).fill(user.password);
      await page.getByLabel('Repeat password').fill(user.password);
      await page.getByRole('button', { name: 'Create owner' }).click();
    } else {
      await page.getByLabel('Email address').fill(user.email);
      await page.getByLabel('Password').fill(user.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: /^(Overview|Your account)$/ }).waitFor();
      if (new URL(page.url()).pathname === '/account') await choosePassword(page, user);
    }
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    sessions.set(user.email, (await page.context().cookies()).filter(c => c.name.includes('session')));
    await close(page);
  }
  return open({ ...options, cookies: sessions.get(user.email) });
}

/** person makes a user with roles, of a tenant or of the platform, and gives what signIn wants. */
export async function person(role, tenant) {
  const user = { email: `${role}${tenant ? '-' + tenant : ''}-${sessions.size}@example.com`, name: `Test ${role}`, password: `a long password of ${role}` };
  await api('POST', '/users', { ...user, roles: [role], ...(tenant ? { tenant_id: tenant } : {}) });
  return user;
}

/** api asks the administrative API as an owner; a status that is not a success is an error. */
export async function api(method, where, body) {
  const res = await fetch(gateway + '/admin/v1' + where, {
    method, headers: { Authorization: `Bearer ${ownerToken}`, ...(body ? { 'Content-Type': 'application/json' } : {}) }, body: body && JSON.stringify(body),
  });
  const text = await res.text();
  assert.ok(res.ok, `${method} ${where}: ${res.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** command runs the gateway's program in its directory, and gives what it prints. */
export function command(...args) {
  return execFileSync(process.env.GATEWAY_PROGRAM, args, {
    cwd: process.env.GATEWAY_DIR, encoding: 'utf8', env: { ...process.env, HEADGATE_ENCRYPTION_MASTER_PASSWORD: 'console-master-password-0123456789', HEADGATE_DEV_KEY: gatewayKey },
  });
}

/** licence makes a licence file that the gateway takes, and gives its text; one with negative days has expired. */
export function licence(days = 365, ...more) {
  command('license', 'create-dev', '--key', 'licence.key', '--output', 'made.licence', '--licensee', 'Example Works', '--days', String(days), ...more);
  return fs.readFileSync(path.join(process.env.GATEWAY_DIR, 'made.licence'), 'utf8');
}

/** licensed gives the installation a licence that is in force. */
export async function licensed() { await api('PUT', '/license', { license: licence() }); }

/** chat sends one message through the gateway. */
export async function chat(text, { model = 'mock-echo', key = gatewayKey, stream = false } = {}) {
  const res = await fetch(gateway + '/v1/chat/completions', {
    method: 'POST', headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: text }] }),
  });
  return { status: res.status, trace: res.headers.get('x-trace-id'), body: await res.text() };
}

/** axe demands that the page has no fault by WCAG 2.2 A and AA, in its present state; rules narrows it to some of axe's. */
export async function axe(page, rules) {
  // The page's policy lets no script in; the driver's own world is outside of it.
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(axeSource);
  // A row that has just arrived fades from a colour of the theme that it began with: wait until nothing moves.
  await page.evaluate(() => Promise.allSettled(
    document.getAnimations().filter(a => a.effect.getComputedTiming().endTime !== Infinity).map(a => a.finished)));
  const found = await page.evaluate(async rules => {
    const runOnly = rules ? { type: 'rule', values: rules } : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const r = await axe.run(document, { runOnly, resultTypes: ['violations'] });
    return r.violations.map(v => `${v.id} (${v.impact}): ${v.help}\n` + v.nodes.map(n => '    ' + n.html.slice(0, 200) + '\n    ' + n.failureSummary.replaceAll('\n', '\n    ')).join('\n'));
  }, rules);
  assert.deepEqual(found, [], `axe, ${page.url()}`);
}

/** picture takes a picture of the whole page, where pictures are asked for. */
export async function picture(page, name) {
  if (!pictures) return;
  const cdp = await page.context().newCDPSession(page);
  const { cssContentSize: size } = await cdp.send('Page.getLayoutMetrics');
  const { data } = await cdp.send('Page.captureScreenshot', {
    format: 'webp', quality: 60, captureBeyondViewport: true,
    clip: { x: 0, y: 0, width: page.viewportSize().width, height: Math.min(Math.ceil(size.height), 2400), scale: 1 },
  });
  fs.mkdirSync(pictures, { recursive: true });
  fs.writeFileSync(path.join(pictures, name + '.webp'), Buffer.from(data, 'base64'));
}

/**
 * looks goes through what every page owes: axe in both themes and at phone width without scrolling sideways, it reads with scripts off,
 * and pictures of it: NAME-light, NAME-dark, NAME-phone.
 */
export async function looks(user, where, name, { ready } = {}) {
  const page = await signIn(user);
  const res = await page.goto(where);
  assert.equal(res.status(), 200, where);
  if (ready) await page.getByText(ready).first().waitFor();
  for (const [suffix, theme, width, rules] of [['light', 'light', 1280], ['dark', 'dark', 1280, ['color-contrast']], ['phone', 'light', 360]]) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 860 });
    await axe(page, rules);
    const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= room, `${where} at ${suffix}: ${wide} px wide in ${room}`);
    await picture(page, `${name}-${suffix}`);
  }
  await close(page);
  const plain = await signIn(user, { scripts: false });
  await plain.goto(where);
  await plain.getByRole('heading', { level: 1 }).waitFor();
  await close(plain);
}

/** xss is what is written into fields to see that it stays text. */
export const xss = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{{.}}'\``;

/** xssModel is the same as the name of a model, which has no blanks. */
export const xssModel = `mock-"><img/src="x"/onerror="window.hacked=1"><script>window.hacked=1</script>{{.}}'\``;

/** unharmed demands that nothing of it has run. */
export async function unharmed(page) {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('main img[src="x"]').count(), 0);
}
