import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, axe, chat, close, gateway, gatewayKey, looks, open, owner, person, picture, signIn, site, unharmed, xss } from './lib/console.mjs';

async function say(page, text) {
  const link = () => page.evaluate(() => document.querySelector('#live-stages a')?.href);
  const before = await link();
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.waitForFunction(was => !document.getElementById('send').disabled && (document.querySelector('#live-stages a')?.href ?? was) !== was, before);
}

test('it looks as it should before the first message', async () => {
  await looks(owner, '/try', 'playground-empty');
});

test('a conversation goes through the chain, whose verdicts are shown', async () => {
  const page = await signIn();
  await page.goto('/try');
  await say(page, 'My card is 4111 1111 1111 1111');
  const pii = page.locator('.stages li', { hasText: 'pii' }).first();
  await pii.getByText('CREDIT_CARD').waitFor();
  assert.match(await pii.textContent(), /rewrite/);
  assert.match(await page.locator('#talk li.assistant').first().textContent(), /4111 1111 1111 1111/, 'the reader gets the value back');
  await say(page, 'And again');
  assert.equal(await page.locator('#talk li').count(), 4);
  assert.equal(await page.locator('#talk input[name=role]').count(), 4);
  await axe(page);
  await picture(page, 'playground-light');
  await page.getByRole('link', { name: 'Request details' }).click();
  await page.getByText('from the playground').waitFor();
  await close(page);
});

test('a stage in shadow is so for these messages alone, and the audit chain tells who had it so', async () => {
  const page = await signIn();
  await page.goto('/try');
  await say(page, 'what a zugzwang');
  await page.locator('#talk li.error').waitFor();
  await page.getByRole('checkbox', { name: 'words' }).check();
  await say(page, 'what a zugzwang');
  await page.locator('#talk li.assistant', { hasText: 'zugzwang' }).waitFor();
  await page.getByText('shadow: block').first().waitFor();
  assert.equal((await chat('what a zugzwang')).status, 400, 'traffic of others');
  await picture(page, 'playground-shadow-light');
  await page.getByRole('checkbox', { name: 'words' }).uncheck();
  await say(page, 'what a zugzwang');
  await page.locator('#talk li.error').waitFor();
  let events = [];
  for (let i = 0; i < 50 && !events.length; i++) {
    const all = await api('GET', '/audit/events?event_type=GATEWAY_REQUEST');
    events = (all.data ?? all).filter(e => e.payload.shadowed === 'words');
  }
  assert.equal(events.length, 1);
  assert.match(events[0].payload.actor, /^user:/);
  assert.equal(events[0].payload.api_key, 'playground');
  await close(page);
});

test('it works with scripts off, one message at a time', async () => {
  const page = await signIn(owner, { scripts: false });
  await page.goto('/try');
  for (const text of ['First words', 'Second words']) {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('#talk li.assistant', { hasText: text }).waitFor();
  }
  assert.equal(await page.locator('#talk li').count(), 4);
  await page.locator('.stages li').first().waitFor();
  await page.getByLabel('Message').fill('what a zugzwang');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('#talk li.error').waitFor();
  assert.equal(await page.getByLabel('Message').inputValue(), 'what a zugzwang', 'what was written stays');
  await page.getByRole('checkbox', { name: 'words' }).check();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('#talk li.assistant', { hasText: 'zugzwang' }).waitFor();
  await close(page);
});

for (const scripts of [true, false]) {
  test(`models are compared side by side, with scripts ${scripts ? 'on' : 'off'}`, async () => {
    const page = await signIn(owner, { scripts });
    await page.goto('/try');
    await page.getByText('System prompt and parameters').click();
    await page.getByLabel('System prompt').fill('Be brief, with scripts ' + scripts); // so that the cache answers neither
    await page.getByLabel('Temperature').fill('0.2');
    await page.locator('summary', { hasText: 'Compare models' }).click();
    await page.getByLabel('Second model').fill('mock-chat');
    await page.getByLabel('Third model').fill('unknown-model');
    await page.getByLabel('Message').fill('My card is 4111 1111 1111 1111');
    await page.getByRole('button', { name: 'Compare models' }).click();
    const columns = page.locator('.compare article');
    await columns.nth(2).waitFor();
    for (const [i, model] of ['mock-echo', 'mock-chat'].entries()) {
      const text = await columns.nth(i).textContent();
      for (const part of [model, 'mock · ' + model, 'CREDIT_CARD', ' in, ']) assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.match(await columns.nth(2).textContent(), /No answer.*No provider serves the requested model/s);
    assert.equal(await page.getByLabel('Second model').inputValue(), 'mock-chat', 'the form can be sent again');
    assert.equal(await page.locator('#talk li').count(), 0);
    if (scripts) {
      await axe(page);
      await picture(page, 'playground-compare-light');
      await page.setViewportSize({ width: 360, height: 860 });
      const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(wide <= room, `${wide} px wide in ${room}`);
    }
    await close(page);
  });
}

test('messages stay text', async () => {
  const page = await signIn();
  await page.goto('/try');
  await say(page, xss);
  await unharmed(page);
  await close(page);
  const plain = await signIn(owner, { scripts: false });
  await plain.goto('/try');
  await plain.getByLabel('Message').fill(xss);
  await plain.getByRole('button', { name: 'Send' }).click();
  await plain.locator('#talk li.assistant').waitFor();
  assert.equal(await plain.locator('main img').count(), 0);
  await close(plain);
});

test('who may not is told so, and cannot ask all the same', async () => {
  const t = await api('POST', '/tenants', { name: 'Elsewhere' });
  const post = async (page, fields, where = '/try/stream') => {
    const [cookie] = (await page.context().cookies()).filter(c => c.name.includes('session'));
    const res = await fetch(site + where, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields), headers: { Cookie: `${cookie.name}=${cookie.value}` } });
    return res.status;
  };
  const viewer = await signIn(await person('viewer', t.id));
  await viewer.goto('/try');
  await viewer.getByText('Your roles do not allow calls from here').waitFor();
  assert.equal(await post(viewer, { tenant: t.id, model: 'mock-echo', message: 'Hello' }), 403);
  await close(viewer);
  const developer = await signIn(await person('developer', t.id));
  await developer.goto('/try');
  assert.equal(await developer.getByRole('checkbox').count(), 0);
  await say(developer, 'Hello');
  assert.equal(await post(developer, { tenant: t.id, model: 'mock-echo', message: 'Hello', shadow: 'words' }), 403);
  assert.equal(await post(developer, { tenant: 'default', model: 'mock-echo', message: 'Hello' }), 403);
  assert.equal(await post(developer, { tenant: t.id, model: '', message: 'Hello' }), 400);
  assert.equal(await post(developer, { tenant: t.id, model: 'mock-echo', message: 'x'.repeat(300_000) }), 400);
  await close(developer);
  const page = await signIn();
  assert.equal(await post(page, { tenant: 'default', model: 'mock-echo', message: 'Hello', shadow: 'policy' }), 200);
  assert.equal(await post(page, { tenant: 'default', model: 'mock-echo', message: 'Hello', shadow: 'cache' }), 400);
  assert.equal(await post(page, { tenant: 'nobody', model: 'mock-echo', message: 'Hello' }), 404);
  await close(page);
});

test("the gateway's own playground takes a key, with a strict policy", async () => {
  const page = await open();
  const failures = [];
  page.on('console', m => { if (m.type() === 'error') failures.push(m.text()); });
  const res = await page.goto(gateway + '/try');
  assert.ok(!res.headers()['content-security-policy'].includes('unsafe'));
  await page.getByLabel('Gateway key').fill(gatewayKey);
  for (const stream of [true, false]) {
    await page.getByLabel('stream').setChecked(stream);
    await page.getByLabel('Message').fill('My card is 4111 1111 1111 1111 ' + stream);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('#talk li.assistant', { hasText: '4111 1111 1111 1111 ' + stream }).waitFor();
    await page.getByRole('row', { name: /pii request rewrite/ }).waitFor();
  }
  await page.getByLabel('Message').fill(xss);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('#talk li').nth(5).waitFor();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await axe(page);
  await picture(page, 'try-light');
  assert.deepEqual(failures, []);
  await page.context().close();
});
