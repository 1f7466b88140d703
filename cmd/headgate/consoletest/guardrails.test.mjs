import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { api, close, looks, open, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

const secret = 'a secret of sixteen and more';

async function make(page, name, { url = 'https://guard.example.com/check', scope, timeout, fail } = {}) {
  await page.goto('/guardrail-plugins');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('URL').fill(url);
  await page.getByLabel('Secret').fill(secret);
  if (scope) await page.getByLabel('Scope').selectOption({ label: scope });
  if (timeout) await page.getByLabel('Timeout, ms').fill(timeout);
  if (fail) await page.getByLabel('Fail mode').selectOption(fail);
  await page.getByRole('button', { name: 'Create guardrail plugin' }).click();
}

test('with none there it says what to do first', async () => {
  await looks(owner, '/guardrail-plugins', 'guardrail-plugins-empty', { ready: 'There are no guardrail plugins here.' });
});

test('a plugin is made, changed, disabled and deleted', async () => {
  const page = await signIn();
  await page.goto('/guardrail-plugins');
  assert.equal(await page.getByLabel('Timeout, ms').inputValue(), '5000');
  assert.equal(await page.getByLabel('Fail mode').inputValue(), 'CLOSED');
  await make(page, 'toxicity', { url: 'http://10.0.0.1/' });
  await page.locator('#f-url-error').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'toxicity');
  assert.equal(await page.getByLabel('Secret').inputValue(), '', 'a secret is not sent back');
  await make(page, 'toxicity', { scope: 'Default', timeout: '750', fail: 'OPEN' });
  await page.getByText('Guardrail plugin created.').waitFor();
  const row = page.getByRole('row', { name: /toxicity/ });
  assert.match(await row.textContent(), /Default.*guard\.example\.com.*750 ms.*OPEN.*enforce.*Enabled/s);
  assert.equal((await page.content()).includes(secret), false);
  await make(page, 'toxicity');
  await page.getByRole('alert').waitFor();
  await page.goto('/guardrail-plugins');
  await page.getByRole('button', { name: 'Disable toxicity' }).click();
  await page.getByText('toxicity is disabled.').waitFor();
  assert.match(await row.textContent(), /Disabled/);
  await page.getByRole('button', { name: 'Enable toxicity' }).click();
  await page.getByText('toxicity is enabled.').waitFor();
  await page.getByRole('link', { name: 'toxicity' }).click();
  await page.getByLabel('Timeout, ms').fill('900');
  await page.getByLabel('Mode', { exact: true }).selectOption('shadow');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Guardrail plugin saved.').waitFor();
  await page.getByText('900 ms').waitFor();
  await close(page);
});

test('the list is kept current, and narrowed to a workspace', async () => {
  const other = await api('POST', '/tenants', { name: 'Research' });
  const page = await signIn();
  await page.goto('/guardrail-plugins');
  await page.evaluate(() => document.activeElement.blur());
  const made = await api('POST', '/guardrail-plugins', { name: 'later', url: 'https://later.example.com/', secret, tenant_id: other.id });
  await page.getByRole('row', { name: /later/ }).waitFor({ timeout: 15_000 });
  await page.locator('#f-filter').selectOption({ label: 'Research' });
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.waitForURL(/workspace=/);
  assert.equal(await page.getByRole('row', { name: /toxicity/ }).count(), 0);
  assert.equal(await page.getByRole('row', { name: /later/ }).count(), 1);
  await api('DELETE', '/guardrail-plugins/' + made.id);
  await close(page);
});

test('an owner replaces the secret, a policy-admin does not', async () => {
  const { data } = await api('GET', '/guardrail-plugins');
  const at = '/guardrail-plugins/' + data.find(p => p.name === 'toxicity').id;
  const page = await signIn();
  await page.goto(at);
  await page.getByLabel('New secret').fill('short');
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.locator('#f-secret-error').waitFor();
  await page.getByLabel('New secret').fill('another secret of sixteen');
  await page.getByLabel('The previous one signs for, hours').fill('2');
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByText('Secret rotated.').waitFor();
  await page.getByText('Previous secret signs until').waitFor();
  await close(page);
  const admin = await signIn(await person('policy-admin'));
  await admin.goto(at);
  await admin.getByText('Only an owner can rotate the secret.').waitFor();
  assert.equal(await admin.getByRole('button', { name: 'Rotate secret' }).count(), 0);
  const cookie = (await admin.context().cookies()).map(c => `${c.name}=${c.value}`).join('; ');
  const res = await fetch(process.env.CONSOLE_URL + at + '/rotate', { method: 'POST', redirect: 'manual', body: new URLSearchParams({ secret: 'x'.repeat(20) }), headers: { Cookie: cookie } });
  assert.equal(res.status, 403);
  await close(admin);
  const events = (await api('GET', '/audit/events?limit=500'));
  const types = (Array.isArray(events) ? events : events.data).map(e => e.eventType);
  for (const type of ['GUARDRAIL_PLUGIN_CREATED', 'GUARDRAIL_PLUGIN_UPDATED', 'GUARDRAIL_PLUGIN_ROTATED', 'GUARDRAIL_PLUGIN_DELETED']) assert.ok(types.includes(type), type);
});

test('it works with scripts off, names stay text, and others do not see it', async () => {
  const page = await signIn(owner, { scripts: false });
  await make(page, xss);
  await page.getByText('Guardrail plugin created.').waitFor();
  const row = page.getByRole('row', { name: /img src/ });
  await row.getByText('Delete…').click();
  await row.getByRole('button', { name: /^Delete / }).click();
  await page.getByText('Guardrail plugin deleted.').waitFor();
  await close(page);
  const viewer = await signIn(await person('billing-admin'));
  assert.equal((await viewer.goto('/guardrail-plugins')).status(), 403);
  await close(viewer);
});

const free = () => new Promise(resolve => { const s = net.createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => resolve(port)); }); });

test('without the master password the secret is sealed with the key of the folder', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'headgate-')), [api, web] = [await free(), await free()];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HEADGATE_')));
  const own = spawn(process.env.GATEWAY_PROGRAM, ['serve', '--set', `server.listen=127.0.0.1:${api}`, '--set', 'server.metrics_listen=', '--set', `console.listen=127.0.0.1:${web}`], { cwd: dir, env });
  try {
    let said = '';
    await new Promise((resolve, reject) => {
      const read = d => { said += d; if (said.includes('"message":"serving"')) resolve(); };
      own.stdout.on('data', read);
      own.stderr.on('data', read);
      own.on('exit', () => reject(new Error(said)));
    });
    const page = await open(), there = `http://127.0.0.1:${web}`;
    await page.goto(there + said.match(/\/setup#[A-Z2-7]{26}/)[0]);
    await page.getByLabel('Name').fill(owner.name);
    await page.getByLabel('Email address').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByLabel('Repeat password').fill(owner.password);
    await page.getByRole('button', { name: 'Create owner' }).click();
    await page.getByText('You are the owner of this gateway.').waitFor();
    await page.goto(there + '/guardrail-plugins');
    await page.getByLabel('Name').fill('one');
    await page.getByLabel('URL').fill('https://guard.example.com/');
    await page.getByLabel('Secret').fill(secret);
    await page.getByRole('button', { name: 'Create guardrail plugin' }).click();
    await page.getByText('Guardrail plugin created.').waitFor();
    assert.ok(fs.existsSync(path.join(dir, 'headgate.key')), 'the key lies beside the database');
    assert.ok(!(await page.content()).includes(secret), 'the secret is not shown');
    page.foreign = page.foreign.filter(url => !url.startsWith(there));
    await close(page);
  } finally {
    own.kill('SIGTERM');
    await new Promise(resolve => { if (own.exitCode !== null || own.signalCode) resolve(); else own.on('exit', resolve); });
    fs.rmSync(dir, { recursive: true });
  }
});

test('it looks as it should', async () => {
  const made = await api('POST', '/guardrail-plugins', { name: xss.slice(0, 100), url: 'https://long.example.com/' + 'long/'.repeat(20), secret });
  const page = await signIn();
  await page.goto('/guardrail-plugins');
  await unharmed(page);
  await page.goto('/guardrail-plugins/' + made.id);
  await unharmed(page);
  await close(page);
  await api('DELETE', '/guardrail-plugins/' + made.id);
  const { data } = await api('GET', '/guardrail-plugins');
  await looks(owner, '/guardrail-plugins', 'guardrail-plugins', { ready: 'toxicity' });
  await looks(owner, '/guardrail-plugins/' + data[0].id, 'guardrail-plugin');
});
