// The playground shows answers as they stream. Without scripts the form sends one message at a time.
'use strict';
(() => {
  const form = document.getElementById('play'), talk = document.getElementById('talk'), stages = document.getElementById('live-stages');
  const box = form.elements.message, send = document.getElementById('send');

  function hidden(name, value) {
    return Object.assign(document.createElement('input'), { type: 'hidden', name, value });
  }

  function addMessage(kind, who) {
    const li = document.createElement('li'), name = document.createElement('strong'), text = document.createElement('span');
    li.className = kind;
    name.textContent = who;
    li.append(name, text);
    talk.append(li);
    return { li, text, keep: role => li.append(hidden('role', role), hidden('content', text.textContent)) };
  }

  // The header of the answer has the verdicts on the request before the answer itself arrives.
  function showVerdicts(header) {
    const list = document.createElement('ul');
    list.className = 'stages';
    for (const s of readTrace(header)) list.append(Object.assign(document.createElement('li'), { textContent: `${s.name}: ${s.verdict}, ${s.ms} ms` }));
    stages.replaceChildren(Object.assign(document.createElement('h2'), { textContent: 'Trace' }), list);
  }

  async function showTrace(trace) {
    const res = await fetch('/try?trace=' + encodeURIComponent(trace), { headers: { 'X-Fragment': 'live-stages' } });
    if (!res.ok) return;
    const t = document.createElement('template');
    t.innerHTML = await res.text();
    stages.replaceChildren(...t.content.childNodes);
  }

  form.addEventListener('submit', async e => {
    if (e.submitter?.hasAttribute('formaction')) return; // a comparison is a page of its own
    e.preventDefault();
    const text = box.value.trim();
    if (!text) return;
    const body = new URLSearchParams(new FormData(form));
    for (const old of talk.querySelectorAll('.error, .unsent')) old.remove();
    const mine = addMessage('user', 'You');
    mine.text.textContent = text;
    const answer = addMessage('assistant', 'Model');
    send.disabled = true;
    box.value = '';
    let trace = '';
    try {
      const res = await fetch(form.dataset.stream, { method: 'POST', body });
      if (res.status === 401 || res.redirected) { location.reload(); return; }
      trace = res.headers.get('X-Trace-Id') || '';
      showVerdicts(res.headers.get('Server-Timing'));
      await readAnswer(res, part => { answer.text.textContent += part; });
      mine.keep('user');
      answer.keep('assistant');
    } catch (err) {
      mine.li.classList.add('unsent');
      answer.li.className = 'error';
      answer.li.querySelector('strong').textContent = 'No answer';
      answer.text.textContent = err.message;
      box.value = text;
    }
    send.disabled = false;
    box.focus();
    if (trace) await showTrace(trace).catch(() => {});
  });

  box.addEventListener('keydown', e => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); form.requestSubmit(); }
  });
})();
