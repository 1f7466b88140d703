// Sessions of OpenAI's Node client, which speaks to TLS alone, in the current and the beta's form:
// node realtime.mjs BASE KEY current | beta
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { OpenAIRealtimeWS as BetaRealtimeWS } from 'openai/beta/realtime/ws';

const [base, apiKey, form] = process.argv.slice(2);
const client = new OpenAI({ baseURL: base + '/v1', apiKey });
const isBeta = form === 'beta';
const session = isBeta ? new BetaRealtimeWS({ model: 'mock-tools' }, client) : new OpenAIRealtimeWS({ model: 'mock-tools' }, client);
const heard = [];
let wake = () => {};
session.on('event', (event) => { heard.push(event); wake(); });
session.on('error', (err) => { throw err; });

async function until(type) {
  const events = [];
  for (;;) {
    while (heard.length) {
      const event = heard.shift();
      events.push(event);
      if (event.type === type) return events;
    }
    await new Promise((resolve) => { wake = resolve; });
  }
}

await until('session.created');
const settings = isBeta ? { modalities: ['text'] } : { type: 'realtime', output_modalities: ['text'] };
const tool = { type: 'function', name: 'weather', description: 'Tells the weather', parameters: { type: 'object' } };
session.send({ type: 'session.update', session: { ...settings, tools: [tool] } });
await until('session.updated');
session.send({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Ulm, ask anna@example.org' }] },
});
session.send({ type: 'response.create' });
const call = (await until('response.done')).at(-1).response.output[0];
if (call.type !== 'function_call' || !call.arguments.includes('anna@example.org')) throw new Error(JSON.stringify(call));
session.send({
  type: 'conversation.item.create',
  item: { type: 'function_call_output', call_id: call.call_id, output: 'Sunny in Ulm, ask anna@example.org' },
});
session.send({ type: 'response.create' });
const events = await until('response.done');
const deltas = events.filter((e) => e.type === (isBeta ? 'response.text.delta' : 'response.output_text.delta'));
if (deltas.length < 2) throw new Error('the answer is not streamed');
console.log('result: ' + deltas.map((e) => e.delta).join(''));
session.close();
