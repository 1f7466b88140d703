// One streamed turn of a LangChain agent with a tool: node langchain.mjs BASE KEY
import { createAgent, tool } from 'langchain';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const [base, apiKey] = process.argv.slice(2);
const model = new ChatOpenAI({ model: 'mock-tools', apiKey, configuration: { baseURL: base + '/v1' } });
const weather = tool(({ city }) => `Sunny in ${city}`, { name: 'weather', description: 'Tells the weather', schema: z.object({ city: z.string() }) });
const agent = createAgent({ model, tools: [weather] });
let text = '', deltas = 0;
const ask = { messages: [{ role: 'user', content: 'weather {"city": "Ulm, ask anna@example.org"}' }] };
for await (const [token, meta] of await agent.stream(ask, { streamMode: 'messages' })) {
  if (meta.langgraph_node === 'tools') console.log('result: ' + token.content);
  else if (token.content) { text += token.content; deltas++; }
}
if (deltas < 2) throw new Error('the answer is not streamed');
if (!text.includes('Sunny in Ulm, ask anna@example.org')) throw new Error('the answer is ' + text);
console.log('answer: ' + text);
