// Keeps pages current and adds conveniences. Every page works without it.
'use strict';
(() => {
  const $$ = (css, root = document) => [...root.querySelectorAll(css)];

  // Times are shown in the reader's zone, with its name.
  const full = new Intl.DateTimeFormat(undefined, {
    year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short',
  });
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
  const ticks = {
    clock: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }),
    seconds: new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }),
    day: new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }),
  };
  function localizeTimes(root) {
    for (const t of $$('time[datetime]', root)) {
      const at = new Date(t.dateTime);
      if (isNaN(at)) continue;
      if (t.dataset.format === 'time') t.textContent = full.format(at);
      if (t.dataset.format === 'date') t.textContent = day.format(at);
      if (t.dataset.format !== 'date') t.title = t.dataset.format === 'ago' ? full.format(at) : at.toISOString();
    }
    for (const t of $$('text[data-time]', root)) t.textContent = ticks[t.dataset.format].format(new Date(t.dataset.time));
  }

  // Buttons that copy.
  document.addEventListener('click', async e => {
    const b = e.target.closest('[data-copy], [data-copy-text]');
    if (!b) return;
    const from = b.dataset.copy ? document.getElementById(b.dataset.copy) : b.previousElementSibling, label = b.firstChild;
    const name = b.dataset.name ??= label.textContent; // the second click must not take Copied for it
    try {
      await navigator.clipboard.writeText(b.dataset.copyText ?? from.value ?? from.textContent);
      label.textContent = 'Copied';
    } catch {
      if (from.select) from.select(); else getSelection().selectAllChildren(from);
      label.textContent = 'Press Ctrl+C';
    }
    setTimeout(() => { label.textContent = name; }, 2000);
  });
  document.addEventListener('focusin', e => { if (e.target.matches('[data-select]')) e.target.select(); });

  // Open menus close with Escape, and when something else is clicked.
  const openMenus = () => $$('details.drop[open], details.menu-small[open]');
  document.addEventListener('keydown', e => {
    if (e.key !== 'Escape') return;
    for (const d of openMenus()) { d.open = false; d.querySelector('summary').focus(); }
  });
  document.addEventListener('click', e => { for (const d of openMenus()) if (!d.contains(e.target)) d.open = false; });

  // Confirmations open as modal dialogs: inside a table they would be cut off by its edge, or lie below the fold. Without
  // this script they unfold where they are.
  function askIn(details) {
    const sheet = details.querySelector('.sheet'), title = details.querySelector('summary').textContent.replace(/…$/, '');
    if (!sheet) return; // it is open already
    const box = Object.assign(document.createElement('dialog'), { className: 'ask' });
    const heading = Object.assign(document.createElement('h2'), { textContent: title, id: 'ask-title' });
    const cancel = Object.assign(document.createElement('button'), { type: 'button', className: 'button', textContent: 'Cancel' });
    cancel.addEventListener('click', () => box.close());
    box.setAttribute('aria-labelledby', heading.id);
    box.append(heading, sheet, cancel);
    box.addEventListener('click', e => { if (e.target === box) box.close(); }); // beside the box, on its backdrop
    box.addEventListener('close', () => {
      details.append(sheet);
      details.open = false;
      box.remove();
      details.querySelector('summary').focus();
    });
    document.body.append(box);
    box.showModal();
  }
  document.addEventListener('toggle', e => { if (e.target.matches?.('details.confirm[open]')) askIn(e.target); }, true);
  for (const d of $$('details.confirm[open]')) askIn(d); // a refused form is shown again where it was sent from

  // Times of filters are picked in the reader's zone, and sent in UTC. Without this script they are written as text.
  // The zone has its place's name, which holds in summer and winter.
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const text of $$('[data-moments] input')) {
    const at = new Date(text.value);
    if (text.value && (isNaN(at) || text.ariaInvalid)) continue; // it stays as it was written, beside its error
    const pick = Object.assign(document.createElement('input'), { type: 'datetime-local', id: text.id, step: 1 });
    const label = text.labels[0], sent = Object.assign(document.createElement('input'), { type: 'hidden', name: text.name, value: text.value });
    if (text.value) pick.value = new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
    pick.addEventListener('change', () => { sent.value = pick.value && new Date(pick.value).toISOString(); });
    text.replaceWith(pick, sent);
    label.append(` (${zone})`);
  }

  // A form is sent once. Fields marked data-submit send their form when they change.
  document.addEventListener('submit', e => {
    const f = e.target;
    if (f.method !== 'post' || e.defaultPrevented) return;
    if (f.dataset.sent) { e.preventDefault(); return; }
    f.dataset.sent = 'yes';
    setTimeout(() => { delete f.dataset.sent; }, 5000);
  });
  document.addEventListener('change', e => { if (e.target.matches('[data-submit]')) e.target.form.requestSubmit(); });
  window.addEventListener('pageshow', () => { for (const f of $$('form[data-sent]')) delete f.dataset.sent; });

  // Parts of a page that are kept current: <section id="live-…" data-live="seconds">. Rows with data-key are matched, so
  // that what is read stays where it is; rows that are new while the reader is further down wait behind a button.
  const isReading = part => document.hidden || part.querySelector('[data-reading]') !== null || part.contains(document.activeElement) && document.activeElement !== document.body ||
    $$('details[open]', part).length > 0 || document.querySelector('dialog[open]') !== null || String(getSelection()) !== '' && part.contains(getSelection().anchorNode);

  function merge(part, next) {
    const table = part.querySelector('tbody[data-keyed]'), fresh = next.querySelector('tbody[data-keyed]');
    if (!table || !fresh) { part.replaceChildren(...next.childNodes); return; }
    const known = new Set($$('tr[data-key]', table).map(r => r.dataset.key));
    const added = $$('tr[data-key]', fresh).filter(r => !known.has(r.dataset.key));
    for (const r of added) r.classList.add('fresh');
    if (added.length && part.getBoundingClientRect().top < 0) { announce(part, next, added.length); return; }
    const { scrollX, scrollY } = window;
    part.replaceChildren(...next.childNodes);
    window.scrollTo(scrollX, scrollY);
  }

  function announce(part, next, n) {
    let b = part.querySelector('.news');
    if (!b) {
      b = Object.assign(document.createElement('button'), { type: 'button', className: 'button primary news' });
      b.addEventListener('click', () => { part.replaceChildren(...b.next.childNodes); localizeTimes(part); part.scrollIntoView(); });
      part.prepend(b);
    }
    b.next = next;
    b.textContent = n === 1 ? 'Show 1 new row' : `Show ${n} new rows`;
  }

  const isHeld = part => part.hasAttribute('data-paused') || isReading(part);

  async function refresh(part) {
    if (isHeld(part)) return;
    const res = await fetch(location.href, { headers: { 'X-Fragment': part.id }, redirect: 'manual' });
    if (res.status === 401) { location.reload(); return; }
    if (!res.ok) return;
    const box = document.createElement('template');
    box.innerHTML = await res.text();
    const next = box.content.getElementById(part.id) || box.content;
    if (isHeld(part)) return;
    localizeTimes(next);
    merge(part, next);
    part.dispatchEvent(new CustomEvent('fresh', { bubbles: true }));
  }

  for (const part of $$('[data-live]')) {
    let busy = false;
    setInterval(async () => {
      if (busy) return;
      busy = true;
      try { await refresh(part); } catch { /* try again at the next interval */ } finally { busy = false; }
    }, part.dataset.live * 1000);
  }

  // A button pauses a part that is kept current. Without this script nothing is kept current, and the button stays hidden.
  for (const b of $$('button[data-pause]')) {
    const part = document.getElementById(b.dataset.pause);
    b.hidden = false;
    b.addEventListener('click', () => {
      const paused = part.toggleAttribute('data-paused');
      b.textContent = paused ? 'Resume live tail' : 'Pause live tail';
      if (!paused) refresh(part).catch(() => { /* try again at the next interval */ });
    });
  }

  // The link to the set-up page carries its code in the fragment, which no server sees and which the history forgets.
  const setupCode = document.querySelector('form:is([action="/setup"], [action="/invitation"]) input[name="code"]');
  if (setupCode && location.hash.length > 1) {
    setupCode.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, '', location.pathname);
  }

  localizeTimes(document);
  (document.querySelector('[data-focus]') ?? document.querySelector('.filters [aria-invalid]'))?.focus();
})();
