import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, chat, close, looks, owner, person, signIn } from './lib/console.mjs';

const order = page => page.locator('input[name=link]').evaluateAll(all => all.map(i => i.value));
const saved = async () => (await api('GET', '/chain')).links.map(l => `${l.name} ${l.mode}`);
const row = (page, name) => page.locator(`tr[data-link="${name}"]`);

test('each stage shows what it has done', async () => {
  await chat('Hello');
  assert.equal((await chat('what a zugzwang')).status, 400);
  const page = await signIn();
  await page.goto('/chain');
  assert.deepEqual(await order(page), ['policy', 'pii', 'words', 'cache']);
  assert.equal(await row(page, 'words').locator('[data-label=Blocks]').textContent(), '1');
  assert.match(await row(page, 'words').locator('[data-label="Mean time"]').textContent(), /^\d+\.\d (µs|ms)$/);
  assert.equal(await row(page, 'pii').locator('[data-label=Phases]').textContent(), 'request, response');
  await chat('Hello');
  await page.waitForFunction(() => document.querySelector('tr[data-link=words] [data-label=Calls]').textContent !== '3', null, { timeout: 10_000 });
  await close(page);
});

test('a draft is arranged by buttons without scripts, checked, and saved', async () => {
  const page = await signIn(owner, { scripts: false });
  await page.goto('/chain');
  assert.equal(await page.getByRole('button', { name: 'Save chain' }).isDisabled(), true);
  await page.getByRole('button', { name: 'Move words up' }).click();
  assert.deepEqual(await order(page), ['policy', 'words', 'pii', 'cache']);
  await page.getByText('This is a draft.').waitFor();
  assert.deepEqual(await saved(), ['policy enforce', 'pii enforce', 'words enforce', 'cache enforce'], 'a draft is not saved');
  // What leaks is refused, beside the stage that it is about.
  await page.getByRole('button', { name: 'Move cache up' }).click();
  await page.getByText('It cannot be saved yet').waitFor();
  assert.match(await row(page, 'cache').textContent(), /raw personal data would be cached/);
  assert.match(await row(page, 'cache').textContent(), /cache comes before pii/i);
  assert.equal(await page.getByRole('button', { name: 'Save chain' }).isDisabled(), true);
  await page.getByRole('button', { name: 'Move cache down' }).click();
  await page.getByLabel('Mode of words').selectOption('shadow');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('previously enforce').waitFor();
  await page.getByRole('button', { name: 'Save chain' }).click();
  await page.getByText('Chain saved.').waitFor();
  assert.deepEqual(await saved(), ['policy enforce', 'words shadow', 'pii enforce', 'cache enforce']);
  await page.getByText("Reset chain…").click();
  await page.getByRole('button', { name: 'Reset chain' }).click();
  await page.getByText('Chain reset to the configuration file.').waitFor();
  assert.deepEqual(await saved(), ['policy enforce', 'pii enforce', 'words enforce', 'cache enforce']);
  await close(page);
});

test('a mode takes force', async () => {
  const page = await signIn();
  await page.goto('/chain');
  await page.getByLabel('Mode of words').selectOption('shadow');
  await page.getByText('previously enforce').waitFor();
  await page.getByRole('button', { name: 'Save chain' }).click();
  await page.getByText('Chain saved.').waitFor();
  for (let i = 0; i < 100 && (await chat('what a zugzwang')).status !== 200; i++) await new Promise(r => setTimeout(r, 50));
  assert.equal((await chat('what a zugzwang')).status, 200, 'in shadow it refuses nothing');
  await api('DELETE', '/chain');
  await close(page);
});

test('stages are dragged, and moved with the keyboard, and warnings come before saving', async () => {
  const page = await signIn();
  await page.goto('/chain');
  await row(page, 'cache').locator('.handle').dragTo(row(page, 'policy').locator('[data-label=Place]'));
  await page.waitForURL(/link=cache&.*link=policy/);
  await row(page, 'cache').getByText(/raw personal data would be cached/).waitFor();
  assert.deepEqual(await order(page), ['cache', 'policy', 'pii', 'words']);
  await page.getByRole('link', { name: 'Discard draft' }).click();
  await row(page, 'words').locator('.handle').focus();
  await page.keyboard.press('ArrowUp');
  await page.waitForURL(/link=words&.*link=pii/);
  await page.locator('#chain-said').getByText('words is stage 2 of 4.').waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => document.activeElement.closest('tr').dataset.link), 'words', 'the focus goes along');
  await page.keyboard.press('ArrowUp');
  await page.waitForURL(/link=words&.*link=policy/);
  await page.getByRole('button', { name: 'Move words down' }).click();
  await page.waitForURL(/link=policy&.*link=words&.*link=pii/);
  // A warning does not keep it from being saved.
  await page.getByLabel('Mode of pii').selectOption('shadow');
  await row(page, 'cache').getByText(/raw personal data is cached/).waitFor();
  await page.reload();
  assert.deepEqual(await order(page), ['policy', 'words', 'pii', 'cache'], 'the draft outlives a reload');
  await page.getByRole('button', { name: 'Save chain' }).click();
  await page.getByText('Chain saved.').waitFor();
  assert.deepEqual(await saved(), ['policy enforce', 'words enforce', 'pii shadow', 'cache enforce']);
  await api('DELETE', '/chain');
  await close(page);
});

test('who saves over a newer arrangement is told what differs', async () => {
  const page = await signIn();
  await page.goto('/chain');
  await page.getByRole('button', { name: 'Move words up' }).click();
  await page.getByText('This is a draft.').waitFor();
  await api('PUT', '/chain', { links: [{ name: 'policy', mode: 'shadow' }, { name: 'pii' }, { name: 'words' }, { name: 'cache' }] });
  await page.getByRole('button', { name: 'Save chain' }).click();
  await page.getByText('Somebody else saved the chain after you opened it').waitFor();
  await page.locator('.diff .old').getByText('policy (shadow)').waitFor();
  assert.deepEqual(await order(page), ['policy', 'words', 'pii', 'cache'], 'the draft is not lost');
  assert.deepEqual(await saved(), ['policy shadow', 'pii enforce', 'words enforce', 'cache enforce']);
  await page.getByRole('button', { name: 'Overwrite' }).click();
  await page.getByText('Chain saved.').waitFor();
  assert.deepEqual(await saved(), ['policy enforce', 'words enforce', 'pii enforce', 'cache enforce']);
  await api('DELETE', '/chain');
  await close(page);
});

test('an address with stages that there are not is not a fault', async () => {
  const page = await signIn();
  assert.equal((await page.goto('/chain?link=nothing&mode=enforce')).status(), 200);
  await page.getByText('the chain has no such link').or(page.getByText('The chain has no such link')).waitFor();
  assert.equal((await page.goto('/chain?link=pii&mode=sleeping')).status(), 400);
  await close(page);
});

test('those who govern nothing do not see it', async () => {
  const page = await signIn(await person('billing-admin'));
  assert.equal((await page.goto('/chain')).status(), 403);
  assert.equal(await page.getByRole('link', { name: 'Chain', exact: true }).count(), 0);
  await close(page);
  const admin = await signIn(await person('policy-admin'));
  await admin.goto('/chain');
  assert.equal(await admin.getByRole('button', { name: 'Move words up' }).count(), 1);
  await close(admin);
});

test('it looks as it should', async () => {
  await looks(owner, '/chain', 'chain');
  await looks(owner, '/chain?link=policy&mode=enforce&link=cache&mode=enforce&link=pii&mode=enforce&link=words&mode=shadow', 'chain-draft');
});
