#!/usr/bin/env node
// The word guard of ../samples/wordguard, in JavaScript.
import { serve } from './headgate.js';

let redact = [];
let block = [];

// find gives the words that begin in [from, to), the longest where two begin at one place.
function find(text, from, to) {
  const out = [];
  for (let at = from; at < to;) {
    let best = '', forbidden = false;
    for (const w of redact) if (w.length > best.length && text.startsWith(w, at)) best = w;
    for (const w of block) if (w.length > best.length && text.startsWith(w, at)) [best, forbidden] = [w, true];
    if (best) out.push({ start: at, end: at + best.length, forbidden });
    at += best.length || 1;
  }
  return out;
}

// judge puts what was found in one segment into a verdict.
function judge(verdict, segment, found) {
  for (const { start, end, forbidden } of found) {
    verdict.findings.push({ segment, start, end, label: forbidden ? 'forbidden' : 'word', kind: 'FINDING_DETECTOR', score: 1 });
    if (forbidden) {
      Object.assign(verdict, { action: 'ACTION_BLOCK', edits: [], refusal: { reason: 'REASON_CONTENT', message: 'this is not talked about here' } });
    } else if (verdict.action !== 'ACTION_BLOCK') {
      verdict.action = 'ACTION_REWRITE';
      verdict.edits.push({ segment, start, end, type: 'WORD' });
    }
  }
  return verdict;
}

const pass = () => ({ action: 'ACTION_PASS', findings: [], edits: [] });

// settled is where the first word begins that more text could complete.
function settled(text, from, found) {
  for (let at = from; at < text.length; at++) {
    for (const w of [...redact, ...block]) {
      if (w.length > text.length - at && w.startsWith(text.slice(at))) return at;
    }
    const m = found.find((f) => f.start === at && f.end < text.length);
    if (m) at = m.end - 1; // it is decided
  }
  return text.length;
}

serve({
  hello: { name: 'wordguard', version: '1.0.0', phases: ['PHASE_REQUEST', 'PHASE_RESPONSE'], texts: ['user', 'assistant'], stream_bytes: 64 },

  configure(config) {
    ({ redact = [], block = [] } = config ?? {});
    if (![...redact, ...block].length) throw new Error('config: write words under redact or block');
  },

  check({ segments }) {
    const verdict = pass();
    segments.forEach((s, i) => judge(verdict, i, find(s.text, 0, s.text.length)));
    return verdict;
  },

  open() {
    return {
      // A window's own places count bytes of UTF-8.
      window({ text, sent, last }) {
        const from = Buffer.from(text).subarray(0, sent).toString().length;
        let found = find(text, from, text.length);
        const known = last ? text.length : settled(text, from, found);
        found = found.filter((f) => f.end <= known);
        return { ...judge(pass(), 0, found), hold: Buffer.byteLength(text.slice(known)) };
      },
    };
  },
});
