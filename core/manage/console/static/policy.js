// The policy editor: line numbers, and findings while the user types.
'use strict';
(() => {
  const form = document.getElementById('policy'), text = document.getElementById('f-dsl'), found = document.getElementById('live-check');
  if (!form || !text) return;

  const gutter = Object.assign(document.createElement('div'), { className: 'gutter' });
  gutter.setAttribute('aria-hidden', 'true');
  const box = Object.assign(document.createElement('div'), { className: 'lines' });
  text.replaceWith(box);
  box.append(gutter, text);
  text.wrap = 'off';

  function numbers() {
    const bad = new Set([...found.querySelectorAll('[data-level=error]')].map(i => lineOf(i)));
    const n = text.value.split('\n').length;
    gutter.replaceChildren(...Array.from({ length: n }, (_, i) => {
      const line = document.createElement('span');
      line.textContent = i + 1;
      if (bad.has(i + 1)) line.className = 'bad';
      return line;
    }));
    gutter.scrollTop = text.scrollTop;
  }
  const lineOf = issue => Number(/\d+/.exec(issue.querySelector('[data-place]')?.textContent ?? '')?.[0]);
  text.addEventListener('scroll', () => { gutter.scrollTop = text.scrollTop; });

  let asked = 0, waiting;
  async function check() {
    const mine = ++asked;
    const res = await fetch(form.dataset.check, {
      method: 'POST', body: new URLSearchParams(new FormData(form)), headers: { 'X-Fragment': found.id }, redirect: 'manual',
    }).catch(() => undefined);
    if (!res?.ok || mine !== asked) return;
    const fresh = document.createElement('template');
    fresh.innerHTML = await res.text();
    if (mine !== asked) return;
    found.replaceChildren(...fresh.content.childNodes);
    links();
    numbers();
  }
  text.addEventListener('input', () => {
    numbers();
    clearTimeout(waiting);
    waiting = setTimeout(check, 400);
  });

  // A position links to its line. Conflicts are not linked, since they can name lines of other texts.
  function links() {
    for (const p of found.querySelectorAll('ul.issues:first-of-type [data-place]')) {
      const b = Object.assign(document.createElement('button'), { type: 'button', className: 'link', textContent: p.textContent });
      b.setAttribute('data-place', '');
      b.addEventListener('click', () => {
        const [line, column = 1] = p.textContent.match(/\d+/g).map(Number);
        const at = text.value.split('\n').slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + column - 1;
        text.focus();
        text.setSelectionRange(at, at);
      });
      p.replaceWith(b);
    }
  }

  // Refusals lead to the rule that refused: #rule=ID.
  const wanted = decodeURIComponent(/^#rule=(.*)/.exec(location.hash)?.[1]?.replaceAll('+', ' ') ?? '');
  const lines = text.value.split('\n');
  const at = wanted ? lines.findIndex(l => l.replace(/^[\s-]*id:\s*/, '\0').replace(/["']|\s+$/g, '') === '\0' + wanted) : -1;
  if (at >= 0) {
    const start = lines.slice(0, at).join('\n').length + (at > 0 ? 1 : 0);
    text.focus();
    text.setSelectionRange(start, start + lines[at].length);
    text.scrollTop = Math.max(0, at - 3) * (text.scrollHeight / lines.length);
  }

  links();
  numbers();
  if (form.dataset.atOnce !== undefined) check(); // conflicts take too long to find while the page loads
})();
