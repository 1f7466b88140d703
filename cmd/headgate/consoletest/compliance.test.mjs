import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { api, axe, chat, close, licence, looks, owner, person, signIn } from './lib/console.mjs';

test('without a licence the page says why it is empty', async () => {
  await looks(owner, '/compliance', 'compliance-unlicensed', { ready: 'need a valid licence' });
  const page = await signIn();
  await page.goto('/compliance');
  assert.equal(await page.getByRole('button', { name: 'Create report' }).count(), 0);
  const tried = await page.request.post('/compliance', { form: { type: 'SOC2', from: '2026-01-01', to: '2026-02-01' } });
  assert.match(await tried.text(), /need a valid licence/);
  await api('PUT', '/license', { license: licence() });
  await page.reload();
  await page.getByText('There are no reports yet.').waitFor();
  await axe(page);
  await close(page);
});

test('each type of report is made, read, saved as a PDF and deleted', async () => {
  await chat('Write to grace@example.com');
  const page = await signIn();
  for (const [type, label] of [['SOC2', 'SOC 2'], ['HIPAA', 'HIPAA'], ['GDPR', 'GDPR']]) {
    await page.goto('/compliance');
    await page.getByLabel('Type').selectOption({ label });
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByLabel('To').fill('2099-01-01');
    await page.getByRole('button', { name: 'Create report' }).click();
    await page.getByRole('heading', { name: `${type} report` }).waitFor();
    await page.getByText('verified in total').waitFor();
    assert.match(await page.getByRole('row', { name: /GATEWAY_REQUEST/ }).innerText(), /\d/);
    assert.match(await page.getByRole('row', { name: /mock-echo/ }).innerText(), /Default\s+mock\s+mock-echo/);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download PDF' }).click()]);
    const id = new URL(page.url()).pathname.split('/').pop();
    assert.equal(file.suggestedFilename(), `${type.toLowerCase()}-report-${id}.pdf`);
    assert.equal(fs.readFileSync(await file.path()).subarray(0, 5).toString(), '%PDF-');
  }
  await page.goto('/compliance');
  assert.equal(await page.locator('tbody tr').count(), 3);
  await page.getByRole('link', { name: 'HIPAA' }).click();
  await page.getByText('Delete report…').click();
  await page.getByRole('button', { name: 'Delete report' }).click();
  await page.getByText('Report deleted.').waitFor();
  assert.equal(await page.locator('tbody tr').count(), 2);
  assert.equal((await page.goto('/compliance/none')).status(), 404);
  assert.equal((await page.request.get('/compliance/none/pdf')).status(), 404);
  await close(page);
});

test('a span that cannot be is refused on its fields', async () => {
  const page = await signIn(owner, { scripts: false });
  await page.goto('/compliance');
  await page.getByLabel('From').fill('the year 2026');
  await page.getByLabel('To').fill('2026-02-31');
  await page.getByRole('button', { name: 'Create report' }).click();
  assert.equal(await page.locator('.wrong').count(), 2);
  assert.equal(await page.getByLabel('From').inputValue(), 'the year 2026');
  await page.getByLabel('From').fill('2026-02-01');
  await page.getByLabel('To').fill('2026-01-01');
  await page.getByRole('button', { name: 'Create report' }).click();
  await page.locator('#f-to-error').getByText('Write a time after from.').waitFor();
  await close(page);
});

test('a policy-admin makes them too, others are not led here', async () => {
  const page = await signIn(await person('policy-admin'));
  await page.goto('/compliance');
  await page.getByRole('button', { name: 'Create report' }).waitFor();
  await close(page);
  const other = await signIn(await person('viewer', 'default'));
  assert.equal((await other.goto('/compliance')).status(), 403);
  await close(other);
});

test('it looks as it should', async () => {
  await looks(owner, '/compliance', 'compliance');
  const page = await signIn();
  await page.goto('/compliance');
  const where = await page.getByRole('link', { name: 'SOC2' }).getAttribute('href');
  await close(page);
  await looks(owner, where, 'compliance-report');
});
