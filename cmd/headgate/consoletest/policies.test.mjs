import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, chat, close, looks, owner, person, signIn, unharmed, xss } from './lib/console.mjs';

const rule = (id, list, action = 'DENY') => `version: 1\nname: ${id}\nrules:\n  - id: ${id}\n    conditions:\n      model.denylist: ["${list}"]\n    action: ${action}\n    deny_message: "Not ${list}."\n`;

async function write(page, name, dsl) {
  await page.goto('/policies/new');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Text', { exact: true }).fill(dsl);
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Draft saved.').waitFor();
  return page.url();
}

test('with none there it says what to do first', async () => {
  await looks(owner, '/policies?status=ACTIVE', 'policies-none');
  const page = await signIn();
  await page.goto('/policies');
  await page.getByRole('link', { name: 'filed' }).click();
  await page.getByText('This policy is defined in the configuration file. Change it there.').waitFor();
  assert.equal(await page.getByRole('button', { name: /Save/ }).count(), 0);
  assert.equal(await page.getByText('Activate…').count(), 0);
  await close(page);
});

test('the text is checked as one types', async () => {
  const page = await signIn();
  await page.goto('/policies/new');
  const text = page.getByLabel('Text', { exact: true });
  await text.fill('version: 1\nname: x\nrules:\n  - id: a\n    conditions:\n      model.denylsit: [x]\n    action: DENY\n');
  const issue = page.locator('.issues li').filter({ hasText: 'UNKNOWN_CONDITION' });
  await issue.getByText('Line 6, column 7').waitFor();
  await page.locator('.gutter .bad').getByText('6', { exact: true }).waitFor();
  await issue.getByText('Line 6, column 7').click();
  assert.equal(await text.evaluate(t => t.value.slice(t.selectionStart, t.selectionStart + 5)), 'model');
  await text.fill(rule('fine', 'mock-fine'));
  await page.getByText('The text has no errors.').waitFor();
  await text.fill('version: [');
  await page.getByText('this is not valid YAML', { exact: false }).waitFor();
  await page.getByLabel('Name').fill('broken');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.locator('#f-dsl-error').getByText('The text has errors').waitFor();
  assert.equal(await text.inputValue(), 'version: [', 'what was written stays');
  await close(page);
});

test('a policy is stored, tried, run in shadow, promoted, and refuses', async () => {
  const page = await signIn();
  const at = await write(page, 'no-big', rule('no-big', 'mock-big*'));
  // Dry run, with the trace of each rule.
  await page.getByLabel('Model').fill('mock-big-1');
  await page.getByLabel('Request context').fill('{"provider": mock}');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.locator('#f-context-error').getByText('Line 1, column 14: this is not valid JSON').waitFor();
  await page.getByLabel('Request context').fill('{"provider": "mock"}');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('DENIED').waitFor();
  await page.getByText('Not mock-big*.').first().waitFor();
  const condition = page.getByRole('row').filter({ hasText: 'model.denylist' });
  assert.match(await condition.textContent(), /true.*mock-big-1/s);
  await page.goto(at);
  await page.getByRole('button', { name: 'Run in shadow mode' }).click();
  await page.getByText('The policy runs in shadow mode').waitFor();
  // Evaluations in shadow are noted apart from the request.
  await page.goto(at + '/shadow');
  await page.getByText('There are no records.').waitFor();
  for (let i = 0; i < 200 && await page.locator('#divergent').textContent() === '0'; i++) {
    assert.equal((await chat('Hello', { model: 'mock-big-1' })).status, 200, 'in shadow it refuses nothing');
    await new Promise(r => setTimeout(r, 200));
    await page.reload();
  }
  await page.getByText('shadow_deny_active_allow').waitFor();
  assert.match(await page.locator('tbody[data-keyed] tr').first().textContent(), /mock-big-1.*ALLOW.*DEN/s);
  await page.getByRole('link', { name: '1h' }).click();
  await page.getByText('shadow_deny_active_allow').waitFor();
  await looks(owner, new URL(at).pathname + '/shadow', 'policy-shadow', { ready: 'By rule' });
  await page.getByText('Promote…').click();
  await page.getByRole('button', { name: 'Promote no-big' }).click();
  await page.getByText('Policy promoted. It is active as version 2.').waitFor();
  for (let i = 0; i < 100 && (await chat('Hello', { model: 'mock-big-1' })).status === 200; i++) await new Promise(r => setTimeout(r, 50));
  const refused = await chat('Hello', { model: 'mock-big-1' });
  assert.equal(refused.status, 403);
  assert.match(refused.body, /Not mock-big\*\./);
  await close(page);
});

test('conflicts are told with a request that shows them, before and after activation', async () => {
  const page = await signIn();
  const at = await write(page, 'to-big', 'version: 1\nname: to-big\nrules:\n  - id: lead\n    conditions: {model.in: [mock-small]}\n    action: ROUTE\n    params: {model: mock-big-1}\n');
  await page.getByRole('heading', { name: 'Conflicts with active policies' }).waitFor();
  const text = await page.locator('#live-check').textContent();
  assert.match(text, /Example request: .*mock-/);
  await page.getByText('Activate…').click();
  await page.getByRole('button', { name: 'Activate to-big' }).click();
  await page.getByText('The policy is active. It conflicts with another rule: see below.').or(page.getByText(/The policy is active\. There are \d+ warnings/)).waitFor();
  await page.goto('/policies');
  await page.getByRole('heading', { name: 'Conflicts between active policies' }).waitFor();
  assert.match(await page.getByRole('row', { name: /^to-big/ }).locator('[data-label=Conflicts]').textContent(), /[1-9]/);
  await page.goto(at);
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('The policy is archived.').waitFor();
  await page.goto('/policies');
  assert.equal(await page.getByRole('heading', { name: 'Conflicts between active policies' }).count(), 0);
  await close(page);
});

test('versions are compared and restored, with scripts off', async () => {
  const page = await signIn(owner, { scripts: false });
  const at = await write(page, 'changes', rule('changes', 'mock-one'));
  await page.getByLabel('Text', { exact: true }).fill(rule('changes', 'mock-two'));
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('The text has no errors.').waitFor();
  assert.match(await page.getByLabel('Text', { exact: true }).inputValue(), /mock-two/);
  await page.getByRole('button', { name: 'Save as new version' }).click();
  await page.getByText('Policy saved as a new version.').waitFor();
  await page.goto(at + '/versions');
  await page.locator('.diff .old').getByText('model.denylist: ["mock-one"]').waitFor();
  await page.locator('.diff .new').getByText('model.denylist: ["mock-two"]').waitFor();
  await page.getByText('Restore…').click();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByText('Version 1 restored as version 3.').waitFor();
  await page.goto(at + '/versions?from=1&to=3');
  await page.getByText('There are no differences.').waitFor();
  assert.equal((await page.goto(at + '/versions?from=1&to=9')).status(), 404);
  await page.goto(at);
  assert.match(await page.getByLabel('Text', { exact: true }).inputValue(), /mock-one/);
  await page.getByText('Delete policy…').click();
  await page.getByLabel('Type changes to confirm').fill('changes');
  await page.getByRole('button', { name: 'Delete changes' }).click();
  await page.getByText('Policy deleted, with its versions.').waitFor();
  await close(page);
});

test('who stores over a newer version is told what differs', async () => {
  const page = await signIn();
  const at = await write(page, 'stale', rule('stale', 'mock-one'));
  await page.getByLabel('Text', { exact: true }).fill(rule('stale', 'mock-mine'));
  await api('PUT', '/policies/' + at.split('/').pop(), { dsl: rule('stale', 'mock-theirs') });
  await page.getByRole('button', { name: 'Save as new version' }).click();
  await page.getByText('somebody else saved a version').waitFor();
  await page.locator('.diff .old').getByText('mock-theirs').first().waitFor();
  await page.locator('.diff .new').getByText('mock-mine').first().waitFor();
  assert.match(await page.getByLabel('Text', { exact: true }).inputValue(), /mock-mine/);
  await page.getByRole('button', { name: 'Overwrite' }).click();
  await page.getByText('Policy saved as a new version.').waitFor();
  await close(page);
});

test('names and texts stay text', async () => {
  const page = await signIn();
  const p = await api('POST', '/policies', { name: xss.replaceAll('/', '|'), description: xss, dsl: rule('harmless', 'mock-harmless') });
  for (const where of ['/policies', '/policies/' + p.id, `/policies/${p.id}/versions`, `/policies/${p.id}/shadow`]) {
    await page.goto(where);
    await unharmed(page);
  }
  await page.goto('/policies/' + p.id);
  await page.getByLabel('Text', { exact: true }).fill(`version: 1\nname: x\nrules:\n  - id: a\n    conditions: {model.denylist: [x]}\n    action: ${JSON.stringify(xss)}\n`);
  await page.locator('.issues li').first().waitFor();
  await unharmed(page);
  await api('DELETE', '/policies/' + p.id);
  await close(page);
});

test('each role sees what it may', async () => {
  const own = await api('POST', '/policies', { name: 'of-default', tenant_id: 'default', dsl: rule('own', 'mock-own') });
  const tenant = await api('POST', '/tenants', { name: 'Others' });
  const other = await api('POST', '/policies', { name: 'of-others', tenant_id: tenant.id, dsl: rule('others', 'mock-other') });
  const developer = await signIn(await person('developer', 'default'));
  await developer.goto('/policies');
  assert.equal(await developer.getByRole('link', { name: 'of-others' }).count(), 0);
  await developer.getByRole('link', { name: 'of-default' }).click();
  assert.equal(await developer.getByRole('button', { name: /Save/ }).count(), 0);
  await developer.getByLabel('Model').fill('mock-own');
  await developer.getByRole('button', { name: 'Dry run' }).click();
  await developer.getByText('DENIED').waitFor();
  assert.equal((await developer.goto('/policies/' + other.id)).status(), 403);
  await close(developer);
  const viewer = await signIn(await person('viewer', 'default'));
  await viewer.goto('/policies/' + own.id);
  assert.equal(await viewer.getByRole('button', { name: 'Dry run' }).count(), 0);
  await viewer.getByText('Not mock-own.').waitFor();
  assert.equal((await viewer.goto('/policies/new')).status(), 403);
  await close(viewer);
});

test('it looks as it should', async () => {
  const all = (await api('GET', '/policies')).data;
  const at = '/policies/' + all.find(p => p.name === 'stale').id;
  await looks(owner, '/policies', 'policies', { ready: 'no-big' });
  await looks(owner, '/policies/new', 'policy-new');
  await looks(owner, at, 'policy');
  await looks(owner, at + '/versions', 'policy-versions');
  const page = await signIn(owner, { width: 1440 });
  await page.goto(at);
  await page.getByLabel('Model').fill('mock-mine');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('DENIED').waitFor();
  const { axe, picture } = await import('./lib/console.mjs');
  await axe(page);
  await page.evaluate(() => scrollTo(0, 0));
  await picture(page, 'policy-dry-run-light');
  await close(page);
});
