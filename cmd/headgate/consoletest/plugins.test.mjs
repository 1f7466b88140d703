import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { chat, close, looks, owner, person, signIn, unharmed } from './lib/console.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const sample = path.join(root, 'sdk/samples/employee-id/employee-id.wasm');
const text = 'Ask EMP-123456, please.';

// packed makes another version of a module, as its author would.
function packed(from, manifest) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'headgate-'));
  const to = path.join(dir, 'employee-id.wasm');
  fs.copyFileSync(from, to);
  fs.writeFileSync(path.join(dir, 'manifest.json'), JSON.stringify(manifest));
  execFileSync(process.env.GATEWAY_PROGRAM, ['plugin', 'pack', to, path.join(dir, 'manifest.json')]);
  return to;
}
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'sdk/samples/employee-id/manifest.json')));

async function upload(page, file, { name } = {}) {
  await page.goto('/plugins');
  await page.getByLabel('Module').setInputFiles(file);
  if (name) await page.getByLabel('File name').fill(name);
  await page.getByRole('button', { name: 'Upload module' }).click();
}

// serves waits until the page says that a version serves. It is kept live.
const serves = (page, version) => page.locator('#live-plugin dd').getByText(`employee-id ${version}`, { exact: true }).waitFor();

test('the list is empty at first', async () => {
  await looks(owner, '/plugins', 'plugins-empty', { ready: 'There are no plugins in the folder yet.' });
});

test('a module is uploaded, and its first verdict is seen', async () => {
  const page = await signIn();
  await upload(page, sample);
  await page.getByText('Module accepted: employee-id 1.0.0 passed the required tests and the 2 samples of its manifest.').waitFor();
  await serves(page, '1.0.0');
  await page.getByText('It has not been called yet.').waitFor();
  assert.equal((await chat(text)).status, 200);
  await page.waitForFunction(() => document.getElementById('findings').textContent > 0);
  assert.notEqual(await page.locator('#calls').textContent(), '0');
  // What it is and may touch, as headgate plugin inspect has it.
  const main = await page.locator('main').textContent();
  for (const says of ['hg_detect', 'employee_id', 'request, response', 'Capabilitiesnone', 'd8d72624f566b7e8f7c52eb586c2e6b9ed4ccb150bba39e0d1ce46e8ac221b48', 'there is no plugins.lock']) assert.ok(main.includes(says), says);
  await page.goto('/plugins');
  const row = page.getByRole('row', { name: /employee-id.wasm/ });
  assert.match(await row.textContent(), /employee-id 1\.0\.0.*live.*open/s);
  await page.getByRole('row', { name: /elsewhere/ }).waitFor();
  await close(page);
});

test('what is not a module is refused in words, and so is what is too large', async () => {
  const page = await signIn();
  await upload(page, { name: 'bad.wasm', mimeType: 'application/wasm', buffer: Buffer.from('no module') });
  await page.locator('#f-module-error').getByText('The module is refused').waitFor();
  await upload(page, { name: '"><img src=x onerror=window.hacked=1>.wasm', mimeType: 'application/wasm', buffer: Buffer.from('x') });
  await page.locator('#f-name-error').getByText('Write letters, digits, dots, dashes and underscores, ending in .wasm').waitFor();
  await unharmed(page);
  const form = new FormData();
  form.set('module', new Blob([Buffer.alloc((64 << 20) + (65 << 10))]), 'large.wasm');
  const cookie = (await page.context().cookies()).map(c => `${c.name}=${c.value}`).join('; ');
  const res = await fetch(process.env.CONSOLE_URL + '/plugins', { method: 'POST', body: form, headers: { Cookie: cookie }, redirect: 'manual' });
  assert.equal(res.status, 413);
  assert.match(await res.text(), /The upload exceeds 64\.1 MiB\./);
  await close(page);
});

test('a newer version is tried beside the one that serves, and promoted, and rolled back', async () => {
  const page = await signIn();
  await upload(page, packed(sample, { ...manifest, version: '1.1.0' }));
  await page.getByRole('heading', { name: 'Candidate version' }).waitFor();
  await serves(page, '1.0.0');
  await chat(text);
  await page.waitForFunction(() => document.getElementById('compared').textContent > 0);
  assert.equal(await page.locator('#agreed').textContent(), await page.locator('#compared').textContent());
  await page.getByRole('row', { name: /Found employee_id/ }).waitFor();
  await page.getByText('Promote…').click();
  await page.getByRole('button', { name: 'Promote 1.1.0' }).click();
  await serves(page, '1.1.0');
  await page.reload();
  await page.getByText('Roll back…').click();
  await page.getByRole('button', { name: 'Roll back employee-id.wasm' }).click();
  await page.getByText('Earlier version restored: employee-id 1.0.0').waitFor();
  await serves(page, '1.0.0');
  assert.equal(await page.getByRole('heading', { name: 'Candidate version' }).count(), 0, 'it serves without a trial');
  await close(page);
});

test('a version that comes to other verdicts is held, and rejected', async () => {
  const page = await signIn();
  // It takes numbers and words for what employee-id finds.
  await upload(page, packed(path.join(root, 'wasm/testdata/overlap.wasm'), { name: 'employee-id', version: '2.0.0', kind: 'detector', labels: ['employee_id', 'word'], max_match: 20 }));
  await page.getByRole('heading', { name: 'Candidate version' }).waitFor();
  for (let i = 0; i < 3; i++) await chat(`${text} 4711 and others ${i}`);
  await page.getByText('It needs your decision').waitFor();
  await page.locator('dt', { hasText: /^Differ in / }).first().waitFor();
  await looks(owner, '/plugins/employee-id.wasm', 'plugin-candidate', { ready: 'It needs your decision' });
  await page.getByText('Reject…').click();
  await page.getByRole('button', { name: 'Reject 2.0.0' }).click();
  await page.getByText('The version is rejected in plugins.decisions').waitFor();
  await serves(page, '1.0.0');
  await page.reload();
  await page.getByText('The module in the folder is not the active version.').waitFor();
  await page.getByText('Roll back…').click();
  await page.getByRole('button', { name: 'Roll back employee-id.wasm' }).click();
  await page.getByText('Earlier version restored: employee-id 1.0.0').waitFor();
  assert.equal(await page.getByText('The module in the folder is not the active version.').count(), 0);
  await close(page);
});

test('it works with scripts off, and a module is removed', async () => {
  const page = await signIn(owner, { scripts: false });
  await upload(page, sample, { name: 'second.wasm' });
  await page.getByText('Module accepted').waitFor();
  await page.getByText('Remove plugin…').click();
  await page.getByRole('button', { name: 'Remove second.wasm' }).click();
  await page.getByText('Module removed from the plugins folder.').waitFor();
  assert.equal((await page.goto('/plugins/none.wasm')).status(), 404);
  await close(page);
});

test('each role sees what it may', async () => {
  const page = await signIn(await person('policy-admin'));
  await page.goto('/plugins');
  assert.equal(await page.getByRole('button', { name: 'Upload module' }).count(), 1);
  await close(page);
  const viewer = await signIn(await person('viewer', 'default'));
  assert.equal((await viewer.goto('/plugins')).status(), 403);
  assert.equal((await viewer.goto('/plugins/employee-id.wasm')).status(), 403);
  await close(viewer);
});

test('it looks as it should', async () => {
  await looks(owner, '/plugins', 'plugins', { ready: 'employee-id.wasm' });
  await looks(owner, '/plugins/employee-id.wasm', 'plugin', { ready: 'Permissions' });
});
