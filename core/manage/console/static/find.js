// Ctrl+K or ⌘K opens a dialog that goes to a page, a workspace, a key or a request. Without it there is the page /find.
'use strict';
(() => {
  const link = document.querySelector('a[data-find]');
  if (!link) return;
  const make = (tag, set) => Object.assign(document.createElement(tag), set);
  link.append(make('kbd', { textContent: /Mac|iP(hone|ad)/.test(navigator.platform) ? '⌘K' : 'Ctrl K' }));

  async function find(text) {
    const res = await fetch('/find?q=' + encodeURIComponent(text), { headers: { 'X-Fragment': 'live-places' }, redirect: 'manual' });
    if (res.status === 401) location.reload();
    return res.ok ? res.text() : '';
  }

  function open() {
    if (document.querySelector('dialog[open]')) return;
    const box = make('dialog', { className: 'ask find' }), list = make('div', { role: 'status' });
    const input = make('input', { type: 'search', maxLength: 200, autocomplete: 'off', spellcheck: false });
    input.setAttribute('aria-label', 'Go to');
    input.placeholder = 'Page, workspace, or id of a key or request';
    box.setAttribute('aria-label', 'Go to');
    box.append(input, list);
    let last = 0, timer;
    const links = () => [...list.querySelectorAll('a')];
    async function show() {
      const mine = ++last;
      try {
        const html = await find(input.value);
        if (mine === last) list.innerHTML = html; // escaped by the server
      } catch { /* the next letter asks again */ }
    }
    input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(show, 120); });
    box.addEventListener('keydown', async e => {
      const all = links(), at = all.indexOf(document.activeElement);
      if (e.key === 'ArrowDown') (all[at + 1] ?? all[at])?.focus();
      else if (e.key === 'ArrowUp') (all[at - 1] ?? input).focus();
      else if (e.key === 'Escape') box.close(); // the browser would first empty the field
      else if (e.key === 'Enter' && e.target === input) {
        clearTimeout(timer);
        await show();
        links()[0]?.click();
      } else return;
      e.preventDefault();
    });
    box.addEventListener('click', e => { if (e.target === box) box.close(); });
    box.addEventListener('close', () => { clearTimeout(timer); box.remove(); link.focus(); });
    document.body.append(box);
    box.showModal();
    show();
  }

  link.addEventListener('click', e => {
    if (e.metaKey || e.ctrlKey || e.shiftKey) return;
    e.preventDefault();
    open();
  });
  document.addEventListener('keydown', e => {
    if (e.key.toLowerCase() !== 'k' || !(e.metaKey || e.ctrlKey) || e.altKey || e.shiftKey) return;
    e.preventDefault();
    open();
  });
})();
