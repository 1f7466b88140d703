// The gateway's own playground: a conversation with a model. The key stays in the page.
'use strict';
(() => {
  const $ = id => document.getElementById(id);
  const history = []; // the messages so far, which the next request repeats

  function addRow(...texts) {
    const row = document.createElement('tr');
    for (const t of texts) row.append(Object.assign(document.createElement('td'), { textContent: t }));
    $('stages').append(row);
  }

  function showTrace(header) {
    $('stages').replaceChildren();
    for (const s of readTrace(header)) {
      const [phase, ...verdict] = s.verdict.split(' ');
      addRow(s.name, phase, verdict.join(' '), s.ms);
    }
    if (!$('stages').children.length) addRow('No stage ran.', '', '', '');
  }

  function addMessage(kind, text) {
    const li = Object.assign(document.createElement('li'), { className: kind, textContent: text });
    $('talk').append(li);
    return li;
  }

  async function ask(messages, li) {
    const res = await fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + $('key').value.trim(), 'X-Server-Timing': 'on' },
      body: JSON.stringify({ model: $('model').value, stream: $('stream').checked, messages }),
    });
    showTrace(res.headers.get('Server-Timing'));
    $('meta').textContent = 'HTTP ' + res.status + ' · trace ' + res.headers.get('X-Trace-ID');
    await readAnswer(res, text => { li.textContent += text; });
  }

  $('form').addEventListener('submit', async e => {
    e.preventDefault();
    const text = $('text').value;
    for (const old of $('talk').querySelectorAll('.bad')) old.remove();
    $('send').disabled = true;
    $('meta').textContent = '';
    const mine = addMessage('user', text), answer = addMessage('assistant', '');
    const began = performance.now();
    try {
      await ask([...history, { role: 'user', content: text }], answer);
      history.push({ role: 'user', content: text }, { role: 'assistant', content: answer.textContent });
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
    history.length = 0;
    $('talk').replaceChildren();
    $('text').focus();
  });

  $('key').addEventListener('change', async () => {
    const res = await fetch('/v1/models', { headers: { Authorization: 'Bearer ' + $('key').value.trim() } });
    if (!res.ok) return;
    $('models').replaceChildren(...(await res.json()).data.map(m => Object.assign(document.createElement('option'), { value: m.id })));
  });
})();
