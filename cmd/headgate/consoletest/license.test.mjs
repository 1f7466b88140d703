import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { api, axe, chat, close, command, licence, looks, open, owner, person, picture, signIn } from './lib/console.mjs';

const banner = 'The licence of this installation has expired.';

test('without a licence, what is free is counted', async () => {
  await chat('Hello');
  await looks(owner, '/license', 'license-none', { ready: 'of 3 workspaces' });
  const page = await signIn();
  await page.goto('/license');
  await page.getByText('1 of 3 workspaces').waitFor();
  await page.getByText(/\d+ of 100,000 calls/).waitFor();
  assert.match(await page.locator('dl.facts').innerText(), /DEVELOPMENT/);
  await close(page);
});

test('what is not a licence is refused with the reason', async () => {
  const page = await signIn();
  await page.goto('/license');
  await page.getByRole('button', { name: 'Set licence' }).click();
  await page.getByText('Paste the licence, or choose its file.').waitFor();
  await page.getByLabel('Or its text').fill('no licence at all');
  await page.getByRole('button', { name: 'Set licence' }).click();
  await page.locator('#f-license-error').waitFor();
  assert.equal(await page.getByLabel('Or its text').inputValue(), 'no licence at all');
  const forged = licence().replace('Example Works', 'Example Other');
  await page.getByLabel('Or its text').fill(forged);
  await page.getByRole('button', { name: 'Set licence' }).click();
  assert.match(await page.locator('#f-license-error').innerText(), /sign/i);
  await page.getByLabel('Or its text').fill('');
  await page.getByLabel('Licence file').setInputFiles({ name: 'large.licence', mimeType: 'text/plain', buffer: Buffer.alloc(20_000, 'x') });
  await page.getByRole('button', { name: 'Set licence' }).click();
  await page.getByText('so it is not a licence').waitFor();
  await page.getByLabel('Licence file').setInputFiles({ name: 'other.licence', mimeType: 'text/plain', buffer: Buffer.from(forged) });
  await page.getByRole('button', { name: 'Set licence' }).click();
  await page.locator('#f-file-error').waitFor();
  await axe(page);
  assert.equal((await api('GET', '/license')).status, 'NONE');
  await close(page);
});

test('an owner sets one, by its text and by its file', async () => {
  const page = await signIn();
  await page.goto('/license');
  await page.getByLabel('Or its text').fill(licence(20));
  await page.getByRole('button', { name: 'Set licence' }).click();
  await page.getByText('Licence set.').waitFor();
  await page.getByText(/The licence expires in (19|20) days/).waitFor();
  licence(400, '--type', 'PRODUCTION');
  await page.getByLabel('Licence file').setInputFiles(path.join(process.env.GATEWAY_DIR, 'made.licence'));
  await page.getByRole('button', { name: 'Set licence' }).click();
  await page.getByText('Licence set.').waitFor();
  const facts = await page.locator('dl.facts').innerText();
  for (const says of [/PRODUCTION/, /Example Works/, /Days left\s+(399|400)/, /compliance reports/]) assert.match(facts, says);
  assert.equal(await page.getByText('of 100,000').count(), 0);
  assert.equal(await page.getByText('unlimited').count(), 2);
  await page.getByRole('link', { name: 'Monthly usage report' }).click();
  await page.getByRole('heading', { name: 'Monthly usage' }).waitFor();
  await close(page);
  await looks(owner, '/license', 'license', { ready: 'Example Works' });
});

test('the usage of a month is shown by workspace and by month, and saved as CSV', async () => {
  const made = await api('POST', '/tenants', { name: '=Formula()' });
  const { key } = await api('POST', `/tenants/${made.id}/keys`, { name: 'k', scopes: [] });
  await chat('Hello', { key });
  const page = await signIn();
  await page.goto('/license/usage');
  for (let i = 0; i < 50 && !await page.getByRole('row', { name: /=Formula/ }).count(); i++) await page.reload();
  assert.match(await page.getByRole('row', { name: /=Formula/ }).innerText(), /\s1\s/);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()]);
  assert.match(file.suggestedFilename(), /^usage-\d{4}-\d\d\.csv$/);
  const text = fs.readFileSync(await file.path(), 'utf8');
  assert.match(text, /^month,workspace_id,workspace,governed_calls/);
  assert.match(text, /'=Formula\(\),1,1/);
  await page.goto('/license/usage?month=2020-01');
  await page.getByText('There were no governed calls in this month.').waitFor();
  await page.getByRole('link', { name: 'Next month' }).click();
  await page.getByRole('heading', { name: 'February 2020, by workspace' }).waitFor();
  const res = await page.goto('/license/usage?month=last');
  assert.equal(res.status(), 400);
  await page.getByText('Write a month as in 2026-11.').waitFor();
  assert.equal((await page.request.get('/license/usage?month=last&format=csv')).status(), 400);
  await close(page);
  await looks(owner, '/license/usage', 'usage', { ready: '=Formula' });
  await looks(owner, '/license/usage?month=2020-01', 'usage-empty', { ready: 'There were no governed calls' });
});

test('only an owner sets it; a workspace sees nothing of the others', async () => {
  const page = await signIn(await person('policy-admin'));
  await page.goto('/license');
  await page.getByText('Only an owner can set the licence.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Set licence' }).count(), 0);
  assert.equal((await page.request.post('/license', { form: { license: licence() } })).status(), 403);
  assert.equal((await page.request.post('/license/remove')).status(), 403);
  await close(page);
  const viewer = await signIn(await person('viewer', 'default'));
  await viewer.goto('/license');
  assert.equal(await viewer.getByRole('heading', { name: 'Workspaces' }).count(), 0);
  await viewer.getByRole('link', { name: 'Monthly usage report' }).click();
  await viewer.getByRole('row', { name: /Default/ }).waitFor();
  assert.equal(await viewer.getByText('=Formula').count(), 0);
  await close(viewer);
});

test('an expired licence is told to everybody who is signed in, and nobody else', async () => {
  const page = await signIn(owner, { scripts: false });
  await page.goto('/license');
  await page.getByLabel('Or its text').fill(licence(-5));
  await page.getByRole('button', { name: 'Set licence' }).click();
  await page.getByText(/All features keep working for \d+ more days/).waitFor();
  assert.equal(await page.getByText(banner).count(), 0);
  await page.getByLabel('Or its text').fill(licence(-20));
  await page.getByRole('button', { name: 'Set licence' }).click();
  await page.getByText('It has expired, so features that need a licence are off').waitFor();
  await page.getByText(/the grace period of 14 days is over/).waitFor();
  await close(page);
  for (const user of [owner, await person('billing-admin'), await person('viewer', 'default')]) {
    const page = await signIn(user);
    for (const where of ['/', '/license', '/nothing-here']) {
      await page.goto(where);
      await page.getByText(banner).waitFor();
    }
    await axe(page);
    if (user === owner) { await page.goto('/license'); await picture(page, 'license-expired-light'); }
    await close(page);
  }
  const stranger = await open();
  await stranger.goto('/login');
  assert.equal(await stranger.getByText(banner).count(), 0);
  await close(stranger);
  assert.equal((await chat('Hello')).status, 200, 'traffic is served');
});

test('it is removed after a question', async () => {
  const page = await signIn();
  await page.goto('/license');
  await page.getByText('Remove licence…').click();
  await page.getByRole('button', { name: 'Remove licence' }).click();
  await page.getByText('Licence removed.').waitFor();
  await page.getByText(/of 3 workspaces/).waitFor();
  assert.equal(await page.getByText(banner).count(), 0);
  assert.match(command('license', 'show'), /status\s+NONE/);
  await close(page);
});
