// Plugins for Headgate in Node.js: serve() makes one of an object with these members.
//
//   hello      what the plugin is and wants to see: the fields of Hello in process.proto
//   configure  (config) => …           takes the link's settings; throw to refuse them
//   check      (call) => verdict       a whole request or answer
//   open       (call) => stream        a streamed answer; undefined to let it pass unseen
//     stream.window (call) => verdict, stream.end (call) => verdict, stream.close ();
//     stream.follows: text is sent at once, and each window shows what was sent
//   finish     (call) => …             how the exchange has ended
//
// All may be async. A call has the fields of its message, and state: take, settle, get,
// put. A verdict has the fields of Verdict; offsets count UTF-16 units, as strings do here.
import { join } from 'node:path';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';
import { certificate } from './certificate.js';

const VERSION = 1;
const limit = { 'grpc.max_receive_message_length': 16 << 20, 'grpc.max_send_message_length': 16 << 20 };

export function serve(plugin) {
  if (process.env.HEADGATE_PLUGIN !== 'process') {
    console.error('This is a plugin of Headgate, which starts it: see process: in its configuration.');
    process.exit(1);
  }
  const path = new URL('./process.proto', import.meta.url).pathname;
  const types = grpc.loadPackageDefinition(loader.loadSync(path, { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true }));
  const server = new grpc.Server(limit);
  server.addService(types.headgate.process.v1.Stage.service, { Run: (stream) => new Runner(plugin, stream) });
  server.addService(controller, { Shutdown: (_, done) => { done(null, {}); leave(); } });
  const socket = join(process.env.PLUGIN_UNIX_SOCKET_DIR, 'plugin.sock');
  const own = process.env.PLUGIN_CLIENT_CERT && certificate();
  const secured = own && grpc.ServerCredentials.createSsl(Buffer.from(process.env.PLUGIN_CLIENT_CERT), [{ private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.pem) }], true);
  if (!secured) process.umask(0o177); // the socket is all that keeps others out
  server.bindAsync('unix:' + socket, secured || grpc.ServerCredentials.createInsecure(), (err) => {
    if (err) throw err;
    console.log([1, VERSION, 'unix', socket, 'grpc', own ? own.der.toString('base64').replace(/=+$/, '') : ''].join('|'));
  });
}

const empty = { serialize: () => Buffer.alloc(0), deserialize: () => ({}) };

// controller is how go-plugin asks a plugin to end.
const controller = {
  Shutdown: {
    path: '/plugin.GRPCController/Shutdown', requestStream: false, responseStream: false,
    requestSerialize: empty.serialize, requestDeserialize: empty.deserialize, responseSerialize: empty.serialize, responseDeserialize: empty.deserialize,
  },
};

const leave = () => setTimeout(() => process.exit(0), 20);

// Runner answers what comes over the one stream.
class Runner {
  constructor(plugin, stream) {
    Object.assign(this, { plugin, stream, streams: new Map(), asked: new Map(), number: 0 });
    stream.on('data', (m) => this.take(m));
    stream.on('end', leave); // the gateway has left
    stream.on('error', leave);
    stream.write({ id: 0, hello: { streams: !!plugin.open, finish: !!plugin.finish, unit: 'UNIT_UTF16', ...plugin.hello } });
  }

  async take(m) {
    if (m.body === 'cancel') return; // the answer comes as soon as it can
    if (m.body === 'state') {
      const key = m.id + '/' + m.state.number;
      this.asked.get(key)?.(m.state);
      this.asked.delete(key);
      return;
    }
    let answer;
    try {
      answer = await this.answer(m);
    } catch (err) {
      answer = { failed: { reason: String(err?.message ?? err) } };
    }
    this.stream.write({ id: m.id, ...answer });
  }

  async answer(m) {
    const { plugin } = this;
    const call = m[m.body] ?? {};
    call.state = this.state(m.id);
    switch (m.body) {
      case 'configure':
        await plugin.configure?.(call.config.length ? JSON.parse(call.config) : undefined, call);
        return { ready: {} };
      case 'check':
        return { verdict: await plugin.check(call) };
      case 'finish':
        await plugin.finish(call);
        return { done: {} };
      case 'open': {
        const s = await plugin.open(call);
        if (!s) return { opened: { skip: true } };
        this.streams.set(m.id, s);
        return { opened: { withholds: !!s.withholds, ends: !!s.end, follows: !!s.follows } };
      }
      case 'window':
        return { verdict: await this.streams.get(call.stream).window(call) };
      case 'end':
        return { verdict: await this.streams.get(call.stream).end(call) };
      case 'close':
        await this.streams.get(call.stream)?.close?.();
        this.streams.delete(call.stream);
        return { done: {} };
    }
    throw new Error('unknown call');
  }

  // state is the capability of that name, during one call.
  state(id) {
    const ask = (question) => new Promise((resolve, reject) => {
      const number = ++this.number;
      this.asked.set(id + '/' + number, (r) => (r.error ? reject(new Error(r.error)) : resolve(r)));
      this.stream.write({ id, state: { number, ...question } });
    });
    return {
      take: (limits) => ask({ take: { limits } }), // {ok, hold, limits}
      settle: (hold, ...used) => ask({ settle: { hold, used } }),
      get: async (key) => { const r = await ask({ get: { key } }); return r.ok ? r.value : undefined; },
      put: (key, value, ttl_ms) => ask({ put: { key, value: Buffer.from(value), ttl_ms } }),
    };
  }
}
