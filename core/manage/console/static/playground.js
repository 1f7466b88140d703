// The playground: answers are shown as they are written. Without scripts the form sends one message at a time.
'use strict';
(() => {
  const form = document.getElementById('play'), talk = document.getElementById('talk'), stages = document.getElementById('live-stages');
  const box = form.elements.message, send = document.getElementById('send');

  function hidden(name, value) {
    return Object.assign(document.createElement('input'), { type: 'hidden', name, value });
  }

  function say(kind, who) {
    const li = document.createElement('li'), name = document.createElement('strong'), text = document.createElement('span');
    li.className = kind;
    name.textContent = who;
    li.append(name, text);
    talk.append(li);
    return { li, text, keep: role => li.append(hidden('role', role), hidden('content', text.textContent)) };
  }

  // What stages have said of the request is in the header of the answer, before the answer itself.
  function early(header) {
    const list = document.createElement('ul');
    list.className = 'stages';
    for (const entry of (header || '').split(', ').filter(Boolean)) {
      const [name, ...rest] = entry.split(';');
      const get = key => (rest.find(p => p.startsWith(key + '=')) || '').slice(key.length + 1).replaceAll('"', '');
      const li = document.createElement('li');
      li.textContent = `${name}: ${get('desc')}, ${get('dur')} ms`;
      list.append(li);
    }
    const h = document.createElement('h2');
    h.textContent = 'What each stage did';
    stages.replaceChildren(h, list);
  }

  async function whole(trace) {
    const res = await fetch('/try?trace=' + encodeURIComponent(trace), { headers: { 'X-Fragment': 'live-stages' } });
    if (!res.ok) return;
    const t = document.createElement('template');
    t.innerHTML = await res.text();
    stages.replaceChildren(...t.content.childNodes);
  }

  async function read(res, show) {
    if (!(res.headers.get('Content-Type') || '').startsWith('text/event-stream')) {
      const body = await res.json();
      if (body.error) throw new Error(body.error.message);
      const m = body.choices[0].message;
      show(m.content ?? JSON.stringify(m.tool_calls));
      return;
    }
    const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r?\n/);
      rest = lines.pop();
      for (const line of lines) {
        const data = line.startsWith('data:') ? line.slice(5).trim() : '';
        if (!data || data === '[DONE]') continue;
        const event = JSON.parse(data);
        if (event.error) throw new Error(event.error.message);
        const delta = event.choices?.[0]?.delta || {};
        show(delta.content || '');
        for (const call of delta.tool_calls || []) show((call.function?.name || '') + (call.function?.arguments || ''));
      }
    }
  }

  form.addEventListener('submit', async e => {
    e.preventDefault();
    const text = box.value.trim();
    if (!text) return;
    const body = new URLSearchParams(new FormData(form));
    for (const old of talk.querySelectorAll('.error, .unsent')) old.remove();
    const mine = say('user', 'You');
    mine.text.textContent = text;
    const answer = say('assistant', 'Model');
    send.disabled = true;
    box.value = '';
    let trace = '';
    try {
      const res = await fetch(form.dataset.stream, { method: 'POST', body });
      if (res.status === 401 || res.redirected) { location.reload(); return; }
      trace = res.headers.get('X-Trace-Id') || '';
      early(res.headers.get('Server-Timing'));
      await read(res, part => { answer.text.textContent += part; });
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
    if (trace) await whole(trace).catch(() => {});
  });

  box.addEventListener('keydown', e => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); form.requestSubmit(); }
  });
})();
