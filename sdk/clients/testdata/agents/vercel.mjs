// One streamed turn with a tool in each shape that the SDK speaks: node vercel.mjs BASE KEY SHAPE
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

const [base, apiKey, shape] = process.argv.slice(2);
const openai = createOpenAI({ baseURL: base + '/v1', apiKey });
const model = {
  responses: () => openai('mock-tools'),
  chat: () => openai.chat('mock-tools'),
  messages: () => createAnthropic({ baseURL: base + '/v1', apiKey })('mock-tools'),
  generate: () => createGoogleGenerativeAI({ baseURL: base + '/v1beta', apiKey })('mock-tools'),
}[shape]();
const weather = tool({
  description: 'Tells the weather', inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `Sunny in ${city}`,
});
const answer = streamText({ model, tools: { weather }, stopWhen: stepCountIs(3), prompt: 'weather {"city": "Ulm, ask anna@example.org"}' });
let text = '', deltas = 0;
for await (const part of answer.fullStream) {
  if (part.type === 'error') throw part.error;
  if (part.type === 'text-delta') { text += part.text; deltas++; }
  if (part.type === 'tool-result') console.log('result: ' + part.output);
}
if (deltas < 2) throw new Error('the answer is not streamed');
if (!text.includes('Sunny in Ulm, ask anna@example.org')) throw new Error('the answer is ' + text);
console.log('answer: ' + text);
