// Checks that a call comes from the gateway, hands it over, and signs the reply.
// README.md in the folder above tells the wire format.
import { createHmac, timingSafeEqual } from 'node:crypto';

// How far the clock of a call may be from this one, in seconds.
export const DEFAULT_WINDOW = 300;

// The gateway sends about 2 MiB at most, and cuts what is longer.
export const MAX_BODY = 8 << 20;

// Nonces that are remembered at most.
const MAX_NONCES = 1 << 20;

// sign gives the signature of a body, a Buffer or string. direction is 'call' or
// 'reply'; a reply is signed with the timestamp and nonce of its call.
export function sign(secret, direction, timestamp, nonce, body) {
  const mac = createHmac('sha256', secret);
  mac.update(`headgate-webhook-v1\n${direction}\n${timestamp}\n${nonce}\n`);
  mac.update(body);
  return 'v1=' + mac.digest('hex');
}

function matches(secret, direction, timestamp, nonce, body, signature) {
  const right = Buffer.from(sign(secret, direction, timestamp, nonce, body));
  const given = Buffer.from(String(signature).toLowerCase());
  return right.length === given.length && timingSafeEqual(right, given);
}

// Refused is thrown for a call that is not to be answered with a verdict.
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// Verifier checks calls. secrets are those shared with the gateway: one, or
// while it is replaced the new one and the old.
export class Verifier {
  #recent = new Set();
  #older = new Set();
  #turned = 0;

  constructor(secrets, { window = DEFAULT_WINDOW, now = () => Date.now() / 1000 } = {}) {
    this.secrets = secrets.filter(Boolean);
    if (this.secrets.length === 0) throw new Error('a verifier needs a secret');
    this.window = window;
    this.now = now;
  }

  // verify takes the headers as node:http gives them and the body as it came, and
  // gives a function that signs the reply.
  verify(headers, body) {
    const stamp = headers['headgate-timestamp'] ?? '';
    const nonce = headers['headgate-nonce'] ?? '';
    if (!/^[0-9]{1,15}$/.test(stamp) || !/^[0-9a-fA-F]{32}$/.test(nonce)) {
      throw new Refused(401, 'the headers of a signed call are missing or malformed');
    }
    const timestamp = Number(stamp);
    const now = this.now();
    if (Math.abs(now - timestamp) > this.window) {
      throw new Refused(401, 'the call is too old, or from the future');
    }
    const secret = this.#match(headers, timestamp, nonce, body);
    if (secret === undefined) throw new Refused(401, 'the signature is wrong');
    this.#remember(nonce, now);
    return (reply) => sign(secret, 'reply', timestamp, nonce, reply);
  }

  #match(headers, timestamp, nonce, body) {
    for (const name of ['headgate-signature', 'headgate-signature-previous']) {
      if (headers[name] === undefined) continue;
      for (const secret of this.secrets) {
        if (matches(secret, 'call', timestamp, nonce, body, headers[name])) return secret;
      }
    }
    return undefined;
  }

  // A call is acceptable from one window before its time to one after, so nonces
  // are kept for two.
  #remember(nonce, now) {
    const age = now - this.#turned;
    if (age >= 2 * this.window) {
      this.#older = age >= 4 * this.window ? new Set() : this.#recent;
      this.#recent = new Set();
      this.#turned = now;
    }
    if (this.#recent.has(nonce) || this.#older.has(nonce)) {
      throw new Refused(401, 'the call was received before');
    }
    if (this.#recent.size + this.#older.size >= MAX_NONCES) {
      throw new Refused(503, `the replay window is full: it holds at most ${MAX_NONCES} calls`);
    }
    this.#recent.add(nonce);
  }
}

async function read(req) {
  const chunks = [];
  let size = 0;
  for await (const chunk of req) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Refused(413, 'the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// handler makes a listener for node:http. judge gets the call and gives the
// verdict, or a promise of it; its offsets may count what strings count here
// (unit: 'utf16').
export function handler(verifier, judge) {
  return async (req, res) => {
    try {
      if (req.method !== 'POST') throw new Refused(405, 'only POST is served');
      const body = await read(req);
      const signReply = verifier.verify(req.headers, body);
      const call = JSON.parse(body.toString('utf8'));
      if (call.version !== 1) throw new Refused(400, 'the body is not a call of version 1');
      const reply = Buffer.from(JSON.stringify({ version: 1, ...(await judge(call)) }));
      res.writeHead(200, {
        'content-type': 'application/json',
        'content-length': reply.length,
        'headgate-signature': signReply(reply),
      });
      res.end(reply);
    } catch (err) {
      // What went wrong may hold a text, and is not told.
      const known = err instanceof Refused;
      res.writeHead(known ? err.status : 500, { 'content-type': 'text/plain' });
      res.end(known ? err.message + '\n' : 'the receiver failed\n');
    }
  };
}
