// One streamed turn of a LlamaIndex agent with a tool: node llamaindex.mjs BASE KEY
import { agent, agentStreamEvent, agentToolCallResultEvent } from '@llamaindex/workflow';
import { openai } from '@llamaindex/openai';
import { tool } from 'llamaindex';
import { z } from 'zod';

const [base, apiKey] = process.argv.slice(2);
const weather = tool({
  name: 'weather', description: 'Tells the weather', parameters: z.object({ city: z.string() }), execute: ({ city }) => `Sunny in ${city}`,
});
const llm = openai({ model: 'mock-tools', apiKey, baseURL: base + '/v1' });
const events = agent({ llm, tools: [weather] }).runStream('weather {"city": "Ulm, ask anna@example.org"}');
let text = '', deltas = 0;
for await (const event of events) {
  if (agentToolCallResultEvent.include(event)) console.log('result: ' + event.data.toolOutput.result);
  if (agentStreamEvent.include(event) && event.data.delta) { text += event.data.delta; deltas++; }
}
if (deltas < 2) throw new Error('the answer is not streamed');
if (!text.includes('Sunny in Ulm, ask anna@example.org')) throw new Error('the answer is ' + text);
console.log('answer: ' + text);
