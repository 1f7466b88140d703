// One streamed turn of an agent of the OpenAI Agents SDK with a tool: node agents.mjs
import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';

const weather = tool({
  name: 'weather', description: 'Tells the weather', parameters: z.object({ city: z.string() }), execute: async ({ city }) => `Sunny in ${city}`,
});
const agent = new Agent({ name: 'Assistant', model: 'mock-tools', tools: [weather] });
const answer = await run(agent, 'weather {"city": "Ulm, ask anna@example.org"}', { stream: true });
let deltas = 0;
for await (const event of answer) {
  if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') deltas++;
  if (event.type === 'run_item_stream_event' && event.name === 'tool_output') console.log('result: ' + event.item.output);
}
await answer.completed;
if (deltas < 2) throw new Error('the answer is not streamed');
if (!answer.finalOutput.includes('Sunny in Ulm, ask anna@example.org')) throw new Error('the answer is ' + answer.finalOutput);
console.log('answer: ' + answer.finalOutput);
