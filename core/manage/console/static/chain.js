// Reorders the chain without reloading the page: by dragging, with the arrow keys, and with buttons. The draft is part of the
// address, so that a reload or a live refresh shows it again.
'use strict';
(() => {
  const part = document.getElementById('live-chain'), announcer = document.getElementById('chain-said');
  const form = () => document.getElementById('chain');
  const rows = () => [...part.querySelectorAll('tr[data-link]')];
  if (!form()) return;

  let asked = 0;
  async function show(asks, focus) {
    const mine = ++asked;
    const res = await fetch('/chain?' + asks, { headers: { 'X-Fragment': part.id }, redirect: 'manual' });
    if (!res.ok) { location.href = '/chain?' + asks; return; }
    const text = await res.text();
    if (mine !== asked) return;
    const box = document.createElement('template');
    box.innerHTML = text;
    part.replaceChildren(...box.content.childNodes);
    ready();
    history.replaceState(null, '', '/chain?' + query());
    const row = rows().find(r => r.dataset.link === focus?.link);
    if (!row) { document.getElementById(focus?.id)?.focus(); return; }
    const control = row.querySelector(focus.css);
    (control?.disabled ? row.querySelector('.handle') : control)?.focus();
    announcer.textContent = `${focus.link} is stage ${rows().indexOf(row) + 1} of ${rows().length}. ${row.querySelector('[data-issue]')?.textContent ?? ''}`;
  }

  const query = (...more) => { const q = new URLSearchParams(new FormData(form())); for (const [k, v] of more) q.set(k, v); return q; };

  function place(row, before) {
    if (before === row) return;
    row.parentNode.insertBefore(row, before);
    show(query(), { link: row.dataset.link, css: '.handle' });
  }

  part.addEventListener('submit', e => {
    if (e.submitter?.formMethod !== 'get') return;
    e.preventDefault();
    const { name, value, id } = e.submitter;
    const at = value.lastIndexOf(':');
    if (name === 'move') show(query(['move', value]), { link: value.slice(0, at), css: `[name=move][value$=":${value.slice(at + 1)}"]` });
    else show(query(), { id });
  });
  part.addEventListener('change', e => {
    if (e.target.name === 'mode') show(query(), { link: e.target.closest('tr').dataset.link, css: 'select' });
  });
  part.addEventListener('keydown', e => {
    if (!e.target.matches('.handle') || !['ArrowUp', 'ArrowDown'].includes(e.key)) return;
    e.preventDefault();
    const row = e.target.closest('tr');
    if (e.key === 'ArrowUp' && row.previousElementSibling) place(row, row.previousElementSibling);
    if (e.key === 'ArrowDown' && row.nextElementSibling) place(row, row.nextElementSibling.nextElementSibling);
  });

  let dragged;
  part.addEventListener('dragstart', e => {
    dragged = e.target.closest?.('tr[data-link]');
    if (!dragged) return;
    e.dataTransfer.effectAllowed = 'move';
    e.dataTransfer.setData('text/plain', dragged.dataset.link);
    dragged.querySelector('.handle').focus(); // a focused part is not refreshed
  });
  part.addEventListener('dragover', e => {
    const over = e.target.closest?.('tr[data-link]');
    if (!dragged || !over) return;
    e.preventDefault();
    for (const r of rows()) r.classList.toggle('target', r === over && r !== dragged);
  });
  part.addEventListener('drop', e => {
    const over = e.target.closest?.('tr[data-link]');
    if (!dragged || !over) return;
    e.preventDefault();
    const down = rows().indexOf(dragged) < rows().indexOf(over);
    place(dragged, down ? over.nextElementSibling : over);
  });
  part.addEventListener('dragend', () => { dragged = undefined; for (const r of rows()) r.classList.remove('target'); });

  function ready() {
    for (const r of rows()) {
      r.draggable = true;
      r.querySelector('.handle').hidden = false;
    }
  }
  part.addEventListener('fresh', ready);
  ready();
})();
