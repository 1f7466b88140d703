import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { api, chat, close, licensed, looks, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

/** spent waits until the records of calls are written. */
async function spent(n) {
  for (let i = 0; i < 100; i++) {
    if ((await api('GET', '/costs/summary')).requestCount >= n) return;
    await new Promise(r => setTimeout(r, 50));
  }
  assert.fail('the costs did not come');
}

test('before anything is spent each page says what to do first', async () => {
  for (const [where, name, ready] of [
    ['/costs', 'costs-empty', 'There are no costs'], ['/costs/records', 'cost-records-empty', 'No records match'], ['/pricing', 'pricing-empty', 'no prices of your own'],
    ['/budgets', 'budgets-empty', 'no budgets yet'], ['/chargeback', 'chargeback-unlicensed', 'need a valid licence'],
  ]) await looks(owner, where, name, { ready });
});

test('a price is added, corrected and deleted', async () => {
  const page = await signIn();
  await page.goto('/pricing');
  await page.getByLabel('Model').fill('mock-*');
  await page.getByLabel('Provider').fill('mock');
  await page.getByLabel('Input, USD', { exact: false }).first().fill('two');
  await page.getByLabel('Output, USD', { exact: false }).fill('200000');
  await page.getByRole('button', { name: 'Add price' }).click();
  await page.getByText('Write an amount in US dollars').waitFor();
  assert.equal(await page.getByLabel('Output, USD', { exact: false }).inputValue(), '200000');
  await page.getByLabel('Input, USD', { exact: false }).first().fill('100000');
  await page.getByRole('button', { name: 'Add price' }).click();
  await page.getByText('Price added.').waitFor();
  await page.getByRole('link', { name: 'mock-*' }).click();
  await page.getByLabel('Input, USD', { exact: false }).first().fill('150000.5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Price saved.').waitFor();
  const [price] = await api('GET', '/pricing').then(l => l.data ?? l);
  assert.equal(price.inputPricePerMillion, 150000.5);
  await api('POST', '/pricing', { model: xss, provider: 'mock', inputPricePerMillion: 1, outputPricePerMillion: 1 });
  await page.goto('/pricing');
  await unharmed(page);
  await page.getByRole('link', { name: 'onerror' }).click();
  await unharmed(page);
  await page.getByText('Delete price…').click();
  await page.getByRole('button', { name: 'Delete this price' }).click();
  await page.getByText('Price deleted.').waitFor();
  await close(page);
});

test('of two who change one price the second is told', async () => {
  const [price] = await api('GET', '/pricing').then(l => l.data ?? l);
  const a = await signIn(), b = await signIn();
  for (const p of [a, b]) await p.goto('/pricing/' + price.id);
  await a.getByLabel('Output, USD', { exact: false }).fill('210000');
  await a.getByRole('button', { name: 'Save' }).click();
  await a.getByText('Price saved.').waitFor();
  await b.getByLabel('Output, USD', { exact: false }).fill('220000');
  await b.getByRole('button', { name: 'Save' }).click();
  await b.getByRole('alert').waitFor();
  assert.equal(await b.getByLabel('Output, USD', { exact: false }).inputValue(), '220000');
  await close(a);
  await close(b);
});

test('a budget is made, fills, refuses, and is widened', async () => {
  const page = await signIn();
  await page.goto('/budgets');
  await page.getByLabel('Name').fill('everything');
  await page.getByLabel('Limit, USD').fill('12');
  await page.getByRole('button', { name: 'Create budget' }).click();
  await page.getByText('Budget created').waitFor();
  let refused = 0, taken = 0;
  for (let i = 0; i < 30 && !refused; i++) {
    const { status } = await chat('Hello there, this is message ' + i);
    if (status === 429) refused++; else if (status === 200) taken++;
  }
  assert.ok(refused, 'the budget refuses');
  if (taken) await spent(taken);
  await page.reload();
  await page.getByRole('link', { name: 'everything' }).click();
  await page.getByLabel('Limit, USD').fill('100000');
  await page.getByLabel('Soft limit').fill('200');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Write at most 100.').waitFor();
  await page.getByLabel('Soft limit').fill('50');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Budget saved.').waitFor();
  assert.equal((await chat('Hello again')).status, 200);
  await spent(taken + 1);
  await close(page);
});

test('costs are summed, filtered and listed', async () => {
  const page = await signIn();
  await page.goto('/costs');
  await page.getByRole('link', { name: 'mock-echo' }).click();
  await page.waitForURL('**model=mock-echo**');
  assert.equal(await page.getByRole('textbox', { name: 'Model' }).inputValue(), 'mock-echo');
  await page.getByLabel('From').fill('yesterday');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText('Write a time as in').waitFor();
  assert.equal(await page.getByLabel('From').inputValue(), 'yesterday');
  await page.goto('/costs');
  await page.getByLabel('Chart').selectOption('By key');
  await page.getByLabel('Compare with the span before').check();
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('region', { name: 'Costs by key' }).getByRole('link', { name: 'dev' }).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export as CSV' }).click()]);
  assert.match(fs.readFileSync(await file.path(), 'utf8'), /^workspace_id,workspace,key_id,key,requests,.*\ndefault,Default,[^,]+,dev,/);
  const plain = await signIn(owner, { scripts: false });
  await plain.goto('/costs?split=model');
  await plain.getByText('Figures of Cost by day').click();
  await plain.getByRole('columnheader', { name: 'Time' }).waitFor();
  await close(plain);
  await page.goto('/costs/records');
  await page.getByRole('cell', { name: 'mock-echo' }).first().waitFor();
  await close(page);
});

test('the cost of each key in a week comes as a file in three clicks', async () => {
  const page = await signIn();
  await page.goto('/');
  let clicks = 0;
  const click = async at => { clicks++; await at.click(); };
  await click(page.getByRole('link', { name: 'Costs', exact: true }));
  await click(page.getByRole('link', { name: 'This week' })); // last week there was nothing; its link is beside it
  await page.getByText('This week').and(page.locator('strong')).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), click(page.getByRole('link', { name: 'Export costs by key as CSV' }))]);
  assert.match(fs.readFileSync(await file.path(), 'utf8'), /^workspace_id,.*\ndefault,Default,[^,]+,dev,/);
  assert.equal(clicks, 3);
  await page.getByRole('link', { name: 'Last week' }).click();
  await page.getByText('No costs match').waitFor();
  await close(page);
});

test('charts have the colours of the theme', async () => {
  for (const [theme, colour] of [['light', '11,122,104'], ['dark', '76,195,170']]) {
    const page = await signIn(owner, { theme });
    await page.goto('/costs');
    await page.locator('figure[data-drawn] canvas').waitFor();
    const painted = () => page.evaluate(() => {
      const c = document.querySelector('figure[data-drawn] canvas'), { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height), all = {};
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) all[data.slice(i, i + 3).join()] = true;
      return Object.keys(all);
    });
    assert.ok((await painted()).includes(colour), `${theme}: ${(await painted()).slice(0, 20).join(' ')}`);
    assert.equal((await painted()).includes('0,0,0'), false, theme);
    if (theme === 'light') {
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction(() => true);
      assert.ok((await painted()).includes('76,195,170'), 'the theme of the device changes');
    }
    await close(page);
  }
});

test('a chargeback report is made, and its files come', async () => {
  await licensed();
  const page = await signIn();
  await page.goto('/chargeback');
  const tomorrow = new Date(Date.now() + 864e5).toISOString().slice(0, 10), first = new Date().toISOString().slice(0, 8) + '01';
  await page.getByLabel('From').fill(tomorrow);
  await page.getByLabel('To').fill(first);
  await page.getByRole('button', { name: 'Create report' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('From').fill(first);
  await page.getByLabel('To').fill(tomorrow);
  await page.getByRole('button', { name: 'Create report' }).click();
  await page.getByText('Report created.').waitFor();
  for (const [name, begins] of [['PDF', '%PDF-'], ['CSV', ''], ['CSV, FOCUS columns', '']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name, exact: true }).click()]);
    const chunks = [];
    for await (const c of await download.createReadStream()) chunks.push(c);
    const file = Buffer.concat(chunks).toString('latin1');
    assert.ok(file.length > 100 && file.startsWith(begins), name);
  }
  await looks(owner, new URL(page.url()).pathname, 'chargeback-report');
  await close(page);
});

test('they look as they should', async () => {
  for (const [where, name] of [['/costs', 'costs'], ['/costs/records', 'cost-records'], ['/pricing', 'pricing'], ['/budgets', 'budgets'], ['/chargeback', 'chargeback']]) await looks(owner, where, name);
  const [budget] = await api('GET', '/budgets').then(l => l.data ?? l), [price] = await api('GET', '/pricing').then(l => l.data ?? l);
  await looks(owner, '/budgets/' + budget.id, 'budget');
  await looks(owner, '/pricing/' + price.id, 'price');
});

test('each role sees what it may', async () => {
  const viewer = await person('viewer', 'default'), money = await person('billing-admin');
  let page = await signIn(viewer);
  for (const [where, status] of [['/costs', 200], ['/budgets', 200], ['/pricing', 403], ['/chargeback', 403]]) assert.equal((await page.goto(where)).status(), status, where);
  await page.goto('/budgets');
  assert.equal(await page.getByRole('button', { name: 'Create budget' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'everything' }).count(), 0);
  await close(page);
  page = await signIn(money);
  for (const where of ['/costs', '/budgets', '/pricing', '/chargeback']) assert.equal((await page.goto(where)).status(), 200, where);
  await close(page);
});
