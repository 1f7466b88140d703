// Gateways of a test's own, beside the one that each file of tests has.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** run starts a gateway with settings, name=value each, in a folder of its own or the one that is given, and waits until it serves. */
export async function run(settings, { role, dir, env = {}, ports = true } = {}) {
  const own = dir ?? fs.mkdtempSync(path.join(os.tmpdir(), 'headgate-browser-'));
  const all = [...(ports ? ['server.listen=127.0.0.1:0', 'server.metrics_listen=', 'console.listen=127.0.0.1:0'] : []), 'log.access=false', ...settings];
  const args = ['serve', ...(role ? ['--role', role] : []), ...all.flatMap(s => ['--set', s])];
  const clean = Object.fromEntries(Object.entries(process.env).filter(([k]) => !/^(HEADGATE|OPENAI)_/.test(k)));
  const child = spawn(process.env.GATEWAY_PROGRAM, args, {
    cwd: own, env: { ...clean, HEADGATE_ENCRYPTION_MASTER_PASSWORD: 'console-master-password-0123456789', ...env }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  const g = { child, dir: own, out: '' };
  const ended = new Promise(done => child.on('exit', done));
  g.stop = async () => {
    child.kill('SIGTERM');
    await ended;
    if (!dir) fs.rmSync(own, { recursive: true, force: true });
  };
  await new Promise((serves, fails) => {
    const more = b => {
      g.out += b;
      if (g.out.includes('"message":"serving"')) serves();
    };
    child.stdout.on('data', more);
    child.stderr.on('data', more);
    child.on('exit', code => fails(new Error(`the gateway ended with ${code}:\n${g.out}`)));
  });
  const line = message => g.out.split('\n').filter(l => l.startsWith('{')).map(l => JSON.parse(l)).find(l => l.message === message);
  g.console = 'http://' + line('the console is served').listen;
  g.api = line('serving').listen && 'http://' + line('serving').listen;
  return g;
}
