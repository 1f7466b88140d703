// Reads the answer to a chat completion. The playgrounds of the console and of the gateway share it.
'use strict';

/** readAnswer calls show with each piece of text, of a whole answer or a stream. It throws the error that the gateway reports. */
async function readAnswer(res, show) {
  if (!(res.headers.get('Content-Type') || '').startsWith('text/event-stream')) {
    const body = await res.json();
    if (body.error) throw new Error(body.error.message);
    const message = body.choices[0].message;
    show(message.content ?? JSON.stringify(message.tool_calls, null, 2));
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

/** readTrace returns the stages that a Server-Timing header names: name, verdict and milliseconds of each. */
function readTrace(header) {
  return (header || '').split(', ').filter(Boolean).map(entry => {
    const [name, ...rest] = entry.split(';');
    const get = key => (rest.find(p => p.startsWith(key + '=')) || '').slice(key.length + 1).replaceAll('"', '');
    return { name, verdict: get('desc'), ms: get('dur') };
  });
}
