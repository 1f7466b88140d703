// The gateway's own playground: a conversation with a model, with a key that is kept in the page alone.
'use strict';
(() => {
  const $ = id => document.getElementById(id);
  const said = []; // what was said before, as the next request tells the model

  function cells(...texts) {
    const row = document.createElement('tr');
    for (const t of texts) row.append(Object.assign(document.createElement('td'), { textContent: t }));
    $('stages').append(row);
  }

  function showStages(header) {
    $('stages').replaceChildren();
    for (const entry of (header || '').split(', ').filter(Boolean)) {
      const [name, ...rest] = entry.split(';');
      const get = key => (rest.find(p => p.startsWith(key + '=')) || '').slice(key.length + 1).replaceAll('"', '');
      const [phase, ...verdict] = get('desc').split(' ');
      cells(name, phase, verdict.join(' '), get('dur'));
    }
    if (!$('stages').children.length) cells('No stage looked at it.', '', '', '');
  }

  function say(kind, text) {
    const li = Object.assign(document.createElement('li'), { className: kind, textContent: text });
    $('talk').append(li);
    return li;
  }

  async function readStream(body, show) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
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

  async function ask(messages, li) {
    const res = await fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + $('key').value.trim(), 'X-Server-Timing': 'on' },
      body: JSON.stringify({ model: $('model').value, stream: $('stream').checked, messages }),
    });
    showStages(res.headers.get('Server-Timing'));
    $('meta').textContent = 'HTTP ' + res.status + ' · trace ' + res.headers.get('X-Trace-ID');
    if ((res.headers.get('Content-Type') || '').startsWith('text/event-stream')) {
      await readStream(res.body, text => { li.textContent += text; });
      return;
    }
    const body = await res.json();
    if (body.error) throw new Error(body.error.message);
    const message = body.choices[0].message;
    li.textContent = message.content ?? JSON.stringify(message.tool_calls, null, 2);
  }

  $('form').addEventListener('submit', async e => {
    e.preventDefault();
    const text = $('text').value;
    for (const old of $('talk').querySelectorAll('.bad')) old.remove();
    $('send').disabled = true;
    $('meta').textContent = '';
    const mine = say('user', text), answer = say('assistant', '');
    const began = performance.now();
    try {
      await ask([...said, { role: 'user', content: text }], answer);
      said.push({ role: 'user', content: text }, { role: 'assistant', content: answer.textContent });
      $('text').value = '';
    } catch (err) {
      answer.className = 'bad';
      answer.textContent += err.message;
      mine.classList.add('bad');
    }
    $('meta').textContent += ' · ' + Math.round(performance.now() - began) + ' ms';
    $('send').disabled = false;
  });

  $('again').addEventListener('click', () => {
    said.length = 0;
    $('talk').replaceChildren();
    $('text').focus();
  });

  $('key').addEventListener('change', async () => {
    const res = await fetch('/v1/models', { headers: { Authorization: 'Bearer ' + $('key').value.trim() } });
    if (!res.ok) return;
    $('models').replaceChildren(...(await res.json()).data.map(m => Object.assign(document.createElement('option'), { value: m.id })));
  });
})();
