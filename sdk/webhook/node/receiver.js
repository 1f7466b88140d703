// A sample receiver: it redacts some words and refuses what holds others.
//
//   GUARD_SECRET=… node receiver.js --redact PROJECT-APOLLO --block FORBIDDEN
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { Verifier, handler } from './webhook.js';

const { values } = parseArgs({
  options: {
    listen: { type: 'string', default: '127.0.0.1:8090' },
    redact: { type: 'string', multiple: true, default: [] },
    block: { type: 'string', multiple: true, default: [] },
  },
});

function judge(call) {
  const findings = [];
  for (const [segment, { text }] of call.segments.entries()) {
    for (const word of values.block.filter(Boolean)) {
      const start = text.indexOf(word);
      if (start >= 0) {
        return {
          action: 'block',
          message: 'This topic is not allowed.',
          unit: 'utf16',
          findings: [{ segment, start, end: start + word.length, label: 'forbidden' }],
        };
      }
    }
    for (const word of values.redact.filter(Boolean)) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        findings.push({ segment, start: at, end: at + word.length, label: 'word' });
      }
    }
  }
  return findings.length > 0 ? { action: 'redact', unit: 'utf16', findings } : { action: 'pass' };
}

const secrets = [process.env.GUARD_SECRET, process.env.GUARD_SECRET_PREVIOUS];
if (!secrets[0]) {
  console.error('receiver: GUARD_SECRET is not set');
  process.exit(1);
}
const colon = values.listen.lastIndexOf(':');
const server = createServer(handler(new Verifier(secrets), judge));
server.requestTimeout = 30_000;
server.listen(Number(values.listen.slice(colon + 1)), values.listen.slice(0, colon), () => {
  const { address, port } = server.address();
  console.log(`listening on ${address}:${port}`);
});
