// Headgate ABI 1 for plugins in AssemblyScript. The hooks that every guest has
// are exported again by the file that is the plugin:
//
//   import { begin, emit, spans, AFTER, BEFORE } from "./headgate";
//   export { hg_abi_1, hg_alloc } from "./headgate";
//
//   export function hg_detect(text: usize, len: u32, flags: u32): u64 {
//     begin();
//     …
//     emit(start, end, 0, 1.0);
//     return spans();
//   }
//
// A text lies at an address and is valid while the hook runs: load<u8>(text + i)
// reads it. The buffers are the guest's own and are used again.

// Of a text that has some before it, some of that is given, as context: BEFORE. Where more will follow,
// a match that touches the end must not be reported: it will be asked for again (AFTER).
// abi:begin all: from wasm/abi/description/abi.json by go generate

// Flags of a text.
export const BEFORE: u32 = 1; // other text precedes this one; some of it may be given as context
export const AFTER: u32 = 2; // more text follows: a match that touches the end must not be reported
export const CODE: u32 = 4; // a block of code

// Operations of hg_stream: flags & OPERATION.
export const OPEN: u32 = 1;
export const PUSH: u32 = 2;
export const CLOSE: u32 = 3;

// Results in place of a length.
export const NO_VALUE: u32 = 0xffffffff; // the field, key or hold does not exist
export const NOT_GRANTED: u32 = 0xfffffffe; // the link does not grant the field
export const UNAVAILABLE: u32 = 0xfffffffd; // the store did not answer

// Added to the milliseconds of deny: the same request can never pass: the client must not send it again.
export const NO_RETRY: u32 = 0x80000000;

const MAX_SPANS: u32 = 4096;

/** Where a text comes from: source(flags). */
export const enum Source { Unknown, System, User, Assistant, ToolArgs, ToolResult, Reasoning, Definition, Other }

/** Roles of segments. */
export const enum Role { None, System, User, Assistant, Tool }

/** Kinds of segments. */
export const enum Kind { Text = 1, ToolArgs, ToolResult, Reasoning, Refusal, Definition, Other }

/** How important a line of the log is. */
export const enum Level { Debug = 1, Info, Warn, Error }

/** When a stage is called. */
export const enum Phase { Request = 1, Target, Response, StreamEnd, Finish }

/** Kinds of limits. */
export const enum LimitKind { Rate = 1, Concurrent, Spend }

/** Fields of the exchange. The manifest must list those that are asked for. */
export const enum Field {
  Model = 1, Tenant, KeyId, KeyName, User, Dialect, Route, Provider, Target, Region, Stream, MaxTokens, Effort,
  Exchange, Trace, Params, Tools, Metadata, Scopes, Status, Usage, Finish, Digest, Cost, Outcome, Estimate, Messages,
  Images, Task, Complete, Tier, Findings, KeyTags, TenantTags, KeyMetadata, TenantMetadata, KeyExpires, Address, Price,
  Window, ToolTypes, Budgets, Lineage, BareModel, Reserve, InputCount, PromptTokens, Attempts, Headers, TokenCap,
  Places, Format,
}

/**
 * writes a line to the gateway's log: 1 KiB a line, 10 lines a second. It must not contain text of
 * the exchange. The host ignores a text outside the memory.
 */
// @ts-ignore: decorator
@external("headgate", "log")
declare function hostLog(level: u32, text: usize, textLen: u32): void;

/**
 * milliseconds since 1970. Needs the capability now.
 */
// @ts-ignore: decorator
@external("headgate", "now_ms")
export declare function nowMs(): i64;

/**
 * fills a buffer with random bytes. The host ignores a buffer outside the memory. Needs the
 * capability random.
 */
// @ts-ignore: decorator
@external("headgate", "random")
export declare function random(to: usize, toCap: u32): void;

/**
 * a value of the exchange; NoValue for an id that the host does not know, NotGranted for one that
 * the guest must not see.
 */
// @ts-ignore: decorator
@external("headgate", "field")
export declare function field(id: Field, to: usize, toCap: u32): u32;

/**
 * the number of segments that the guest may see in this call.
 */
// @ts-ignore: decorator
@external("headgate", "seg_count")
export declare function segCount(): u32;

/**
 * role<<56 | kind<<48 | source<<40 | flags<<32 | length; flag bit 0: continues the segment before
 * it.
 */
// @ts-ignore: decorator
@external("headgate", "seg_info")
declare function segInfo(seg: u32): u64;

/**
 * writes the text of a segment from off on; returns the number of bytes written.
 */
// @ts-ignore: decorator
@external("headgate", "seg_read")
declare function segRead(seg: u32, off: u32, to: usize, toCap: u32): u32;

/**
 * refuses the exchange; see below.
 */
// @ts-ignore: decorator
@external("headgate", "deny")
declare function hostDeny(code: usize, codeLen: u32, message: usize, messageLen: u32, retryMs: u32): void;

/**
 * answers with this text, in the client's dialect; the provider is not called.
 */
// @ts-ignore: decorator
@external("headgate", "respond")
declare function hostRespond(text: usize, textLen: u32): void;

/**
 * answers with a body in the client's dialect, JSON or events; the provider is not called.
 */
// @ts-ignore: decorator
@external("headgate", "respond_body")
export declare function respondBody(body: usize, bodyLen: u32): void;

/**
 * asks the model again, with a message behind the request's; several calls add several messages.
 */
// @ts-ignore: decorator
@external("headgate", "retry")
declare function hostRetry(role: u32, text: usize, textLen: u32): void;

/**
 * records that a rule of the stage applies; the reason explains a denial without a message.
 */
// @ts-ignore: decorator
@external("headgate", "rule")
declare function hostRule(id: usize, idLen: u32, reason: usize, reasonLen: u32): void;

/**
 * replaces [start, end) of a segment with a text.
 */
// @ts-ignore: decorator
@external("headgate", "edit")
declare function hostEdit(seg: u32, start: u32, end: u32, insert: usize, insertLen: u32): void;

/**
 * replaces [start, end) with a placeholder of a type, such as EMAIL. Needs the capability redact.
 */
// @ts-ignore: decorator
@external("headgate", "redact")
declare function hostRedact(seg: u32, start: u32, end: u32, kind: usize, kindLen: u32): void;

/**
 * replaces a value of the field places, by its index, with a placeholder of its type; 0, NoValue or
 * NotGranted. Needs the capability redact.
 */
// @ts-ignore: decorator
@external("headgate", "redact_found")
export declare function redactFound(place: u32): u32;

/**
 * has a streamed answer wait for its end, so that stream_end can still refuse it with a status.
 */
// @ts-ignore: decorator
@external("headgate", "withhold")
export declare function withhold(): void;

/**
 * requests another model. Needs the capability patch.
 */
// @ts-ignore: decorator
@external("headgate", "set_model")
declare function hostSetModel(model: usize, modelLen: u32): void;

/**
 * limits the answer to n tokens. Needs the capability patch.
 */
// @ts-ignore: decorator
@external("headgate", "cap_tokens")
export declare function capTokens(n: i64): void;

/**
 * adds an alternative: another model, a region or both; the host picks one by weight. Needs the
 * capability patch.
 */
// @ts-ignore: decorator
@external("headgate", "route")
declare function hostRoute(model: usize, modelLen: u32, region: usize, regionLen: u32, weight: u32): void;

/**
 * adds a header of the answer, or a label; see below.
 */
// @ts-ignore: decorator
@external("headgate", "annotate")
declare function hostAnnotate(key: usize, keyLen: u32, value: usize, valueLen: u32): void;

/**
 * keeps up to 4096 bytes for later calls of this exchange; replaces earlier ones.
 */
// @ts-ignore: decorator
@external("headgate", "keep_set")
export declare function keepSet(from: usize, fromLen: u32): void;

/**
 * returns the kept bytes; 0: none.
 */
// @ts-ignore: decorator
@external("headgate", "keep_get")
export declare function keepGet(to: usize, toCap: u32): u32;

/**
 * takes from all limits or from none: a hold, greater than 0; 0, -1 or -2 if nothing was taken.
 * Needs the capability state.
 */
// @ts-ignore: decorator
@external("headgate", "state_take")
export declare function stateTake(limits: usize, n: u32): i64;

/**
 * replaces the units taken with the units used; 0, NoValue or Unavailable. Needs the capability
 * state.
 */
// @ts-ignore: decorator
@external("headgate", "state_settle")
export declare function stateSettle(hold: i64, used: usize, n: u32): u32;

/**
 * a value's full length, NoValue or Unavailable. Needs the capability state.
 */
// @ts-ignore: decorator
@external("headgate", "state_get")
export declare function stateGet(key: usize, keyLen: u32, to: usize, toCap: u32): u32;

/**
 * keeps a value for that long, 0 ms deletes it; 0 or Unavailable. Needs the capability state.
 */
// @ts-ignore: decorator
@external("headgate", "state_put")
export declare function statePut(key: usize, keyLen: u32, from: usize, fromLen: u32, ttlMs: i64): u32;

/**
 * chooses the keys of the calls that follow: a scope that the link grants, or its own keys if
 * empty; 0 or NotGranted. Needs the capability state.
 */
// @ts-ignore: decorator
@external("headgate", "state_scope")
declare function hostStateScope(scope: usize, scopeLen: u32): u32;

/**
 * emits the event that a limit of the stage has reached a share of itself; 0 or Unavailable. Needs
 * the capability notify.
 */
// @ts-ignore: decorator
@external("headgate", "threshold")
declare function hostThreshold(name: usize, nameLen: u32, percent: u32): u32;

/**
 * calls an upstream that the link grants: status<<32 | length, or a negative result. Needs the
 * capability call.
 */
// @ts-ignore: decorator
@external("headgate", "host_call")
declare function hostHostCall(upstream: usize, upstreamLen: u32, path: usize, pathLen: u32, body: usize, bodyLen: u32): i64;

/**
 * writes the answer of the last host_call from off on; returns the number of bytes written. Needs
 * the capability call.
 */
// @ts-ignore: decorator
@external("headgate", "host_call_read")
export declare function hostCallRead(off: u32, to: usize, toCap: u32): u32;

/**
 * the value of a placeholder of this caller, in answers only: its full length, NoValue or
 * Unavailable. Needs the capability restore.
 */
// @ts-ignore: decorator
@external("headgate", "restore")
declare function hostRestore(token: usize, tokenLen: u32, to: usize, toCap: u32): u32;

/**
 * has the host keep the answer for body_read in the phase finish, if it has at most max bytes.
 * Needs the capability body.
 */
// @ts-ignore: decorator
@external("headgate", "answer_keep")
export declare function answerKeep(max: u32): void;

/**
 * the body of the request or of the answer, in the client's shape: its full length, NoValue or
 * NotGranted. Needs the capability body.
 */
// @ts-ignore: decorator
@external("headgate", "body_read")
export declare function bodyRead(to: usize, toCap: u32): u32;

// abi:end

export function source(flags: u32): Source { return (flags >> 8 & 0xff) as Source; }

/**
 * The first place from at on whose byte lies in [low, high]; len when there is none. It
 * looks at sixteen bytes at a time.
 */
// @ts-ignore: decorator
@inline
export function until(text: usize, len: u32, at: u32, low: u8, high: u8): u32 { return skip(text, len, at, low, high, 0); }

/** The first place from at on whose byte does not lie in [low, high]. */
// @ts-ignore: decorator
@inline
export function past(text: usize, len: u32, at: u32, low: u8, high: u8): u32 { return skip(text, len, at, low, high, 0xffff); }

function skip(text: usize, len: u32, at: u32, low: u8, high: u8, but: u32): u32 {
  const begin = i8x16.splat(low), width = i8x16.splat(high - low);
  for (; at + 16 <= len; at += 16) {
    const found: u32 = i8x16.bitmask(i8x16.le_u(i8x16.sub(v128.load(text + at), begin), width)) ^ but;
    if (found) return at + ctz(found);
  }
  while (at < len && (<u8>(load<u8>(text + at) - low) <= <u8>(high - low)) == (but != 0)) at++;
  return at;
}

// --- What every guest exports ---

export function hg_abi_1(): i32 { return 0; }

let input: usize = 0;
let room: u32 = 0;

export function hg_alloc(len: u32): usize {
  if (room < len || room == 0) {
    if (input) heap.free(input);
    room = max<u32>(len, 64);
    input = heap.alloc(room);
  }
  return input;
}

// --- Detectors ---

const OVERFLOW: u16 = 0xffff;
const SIZE: u32 = 16; // u32 start, end; u16 label, flags; f32 score

const list = memory.data(65536, 16);
let count: u32 = 0;
let failed = false;

/** Begins the report on a text. */
export function begin(): void {
  count = 0;
  failed = false;
}

/**
 * Reports the bytes [start, end) of the text, which must lie on the boundaries
 * of characters. The label counts the manifest's labels from 0, the score lies
 * between 0 and 1. Spans may come in any order. More than 4096 are an error,
 * which the host is told of.
 */
export function emit(start: u32, end: u32, label: u16, score: f32): void {
  if (count == MAX_SPANS) {
    store<u16>(list + (MAX_SPANS - 1) * SIZE, OVERFLOW, 8);
    return;
  }
  let at = list + count++ * SIZE;
  for (; at > list && load<u32>(at - SIZE) > start; at -= SIZE) memory.copy(at, at - SIZE, SIZE);
  store<u32>(at, start);
  store<u32>(at, end, 4);
  store<u32>(at, label, 8); // the flags behind it are 0
  store<f32>(at, score, 12);
}

/** Says that the text could not be judged. The host takes it as a fault. */
export function fail(): void { failed = true; }

// What hg_stream(part: u32, text: usize, len: u32, flags: u32): u64 is told, in flags
// & OPERATION. It follows streamed answers, on an instance of its own for each; export it
// beside hg_detect. For OPEN it returns 0, or 1 when it does not want to see this
// part; for PUSH and CLOSE it reports each match once, with begin, emit and spans.
export const OPERATION: u32 = 0xf;

/**
 * The last word before spans in hg_stream: no match that begins before that place will
 * be reported any more. Offsets count from there from then on; without it they count
 * from where the part begins.
 */
export function decided(at: u32): void {
  if (count == MAX_SPANS) {
    store<u16>(list + (MAX_SPANS - 1) * SIZE, OVERFLOW, 8);
    return;
  }
  const to = list + count++ * SIZE;
  store<u32>(to, at);
  store<u32>(to, at, 4);
  store<u32>(to, 0xfffe, 8);
  store<f32>(to, 0, 12);
}

/** Ends the report: what hg_detect returns. */
export function spans(): u64 {
  return (list as u64) << 32 | (failed ? 0xffffffff : (count * SIZE) as u64);
}

// --- Functions of the host ---

/**
 * Writes a line to the gateway's log; the host limits their rate. What a prompt
 * holds does not belong there.
 */
export function log(level: Level, text: string): void {
  const bytes = String.UTF8.encode(text);
  hostLog(level, changetype<usize>(bytes), bytes.byteLength);
}

// --- Stages ---
//
//   export function hg_stage(phase: u32): i32 {
//     …
//     return DONE;
//   }
//
// A stage says its verdict through deny, respond, edit and annotate; none of them
// called, the exchange passes. FAILED says that it failed, and nothing of what it
// said is carried out.

export const DONE: i32 = 0;
export const FAILED: i32 = 1;

// A stage that follows answers exports hg_stream, which has an instance to itself for
// each that is streamed; hg_stage is needed for other phases alone.
//
//   export function hg_stream(part: u32, text: usize, len: u32, flags: u32): u64 {
//     if ((flags & OPERATION) == OPEN) return 0;
//     const held = segText(0), n = segLen(0); // what is held of a part, and what is new
//     …
//     return hold;
//   }
//
// It gives how many bytes at the end must wait for more; at CLOSE, 0. NOT_JUDGED says
// that it failed.
export const NOT_JUDGED: u64 = 0xffffffff;

export function segLen(seg: u32): u32 { return segInfo(seg) as u32; }
/** 1 system, 2 user, 3 assistant, 4 tool. */
export function segRole(seg: u32): u32 { return (segInfo(seg) >> 56) as u32; }
/** 1 text, 2 tool arguments, 3 tool result, 4 reasoning, 5 refusal, 6 definition, 7 other. */
export function segKind(seg: u32): u32 { return (segInfo(seg) >> 48 & 0xff) as u32; }
export function segSource(seg: u32): Source { return (segInfo(seg) >> 40 & 0xff) as Source; }
/** Its text goes on where the segment before it ends. */
export function segJoined(seg: u32): bool { return (segInfo(seg) >> 32 & 1) != 0; }

let texts: usize = 0;
let textsRoom: u32 = 0;

/** Reads a text of segLen bytes. It is valid until the next text is read. */
export function segText(seg: u32): usize {
  const len = segLen(seg);
  if (textsRoom < len || textsRoom == 0) {
    if (texts) heap.free(texts);
    textsRoom = max<u32>(len, 64);
    texts = heap.alloc(textsRoom);
  }
  segRead(seg, 0, texts, len);
  return texts;
}

/**
 * Refuses the exchange. The code is stable (empty: content_filter), the message is
 * what the client reads, retryMs says when it may come again (0: not said). Of deny
 * and respond one, once; edits are then dropped.
 */
export function deny(code: string, message: string, retryMs: u32 = 0): void {
  const c = String.UTF8.encode(code), m = String.UTF8.encode(message);
  hostDeny(changetype<usize>(c), c.byteLength, changetype<usize>(m), m.byteLength, retryMs);
}

/** Answers the exchange with a text; the provider is not asked. */
export function respond(text: string): void {
  const t = String.UTF8.encode(text);
  hostRespond(changetype<usize>(t), t.byteLength);
}

/**
 * Puts a text in the place of the bytes [start, end) of a segment. Offsets are those
 * of the text as it was read: edits do not move each other.
 */
export function edit(seg: u32, start: u32, end: u32, text: string): void {
  const t = String.UTF8.encode(text);
  hostEdit(seg, start, end, changetype<usize>(t), t.byteLength);
}

/**
 * Puts a placeholder of a type, such as EMAIL, in the place of the bytes [start, end).
 * The manifest must ask for the capability redact.
 */
export function redact(seg: u32, start: u32, end: u32, type: string): void {
  const t = String.UTF8.encode(type);
  hostRedact(seg, start, end, changetype<usize>(t), t.byteLength);
}

/** Asks for another model, in Phase.Request; the capability patch. */
export function setModel(model: string): void {
  const m = String.UTF8.encode(model);
  hostSetModel(changetype<usize>(m), m.byteLength);
}

/**
 * Adds a header of the answer (a key that begins with x-), or notes one of the
 * manifest's labels, with a score such as 0.8 or nothing.
 */
export function annotate(key: string, value: string): void {
  const k = String.UTF8.encode(key), v = String.UTF8.encode(value);
  hostAnnotate(changetype<usize>(k), k.byteLength, changetype<usize>(v), v.byteLength);
}

// --- Capability state ---

/**
 * One limit and what the exchange wants of it, where memory.data(96, 8) or so has
 * room: changetype<Limit>(address). docs/plugin-abi.md tells what each member means;
 * times are milliseconds. Those from left on are results; flags is 1 when there was no
 * room.
 */
// @ts-ignore: decorator
@unmanaged
export class Limit {
  kind: u32; flags: u32; key: usize; keyLen: u32;
  cost: i64; max: i64; period: i64; burst: i64; ends: i64;
  left: i64; spent: i64; wait: i64; reset: i64; reserved: i64;
}

// --- Rules, other answers, scopes and calls ---

/**
 * Records that a rule of the stage applies. The reason of the last one explains a denial
 * without a message.
 */
export function rule(id: string, reason: string): void {
  const a = String.UTF8.encode(id), b = String.UTF8.encode(reason);
  hostRule(changetype<usize>(a), a.byteLength, changetype<usize>(b), b.byteLength);
}

/**
 * Asks the model again, with a message behind the request's; in Phase.Response, on a whole or
 * withheld answer. Several calls add several messages.
 */
export function retry(role: Role, text: string): void {
  const t = String.UTF8.encode(text);
  hostRetry(role, changetype<usize>(t), t.byteLength);
}

/**
 * Adds an alternative: another model, a region or both. The host picks one by weight; the
 * capability patch.
 */
export function route(model: string, region: string, weight: u32): void {
  const m = String.UTF8.encode(model), r = String.UTF8.encode(region);
  hostRoute(changetype<usize>(m), m.byteLength, changetype<usize>(r), r.byteLength, weight);
}

/**
 * Chooses the keys of the calls of the state that follow: a scope that the link grants, such as
 * "shared:team", or "" for the plugin's own. False: it is not granted.
 */
export function scope(word: string): bool {
  const w = String.UTF8.encode(word);
  return hostStateScope(changetype<usize>(w), w.byteLength) == 0;
}

/** Emits the event that a limit of the stage has reached a share of itself; the capability notify. */
export function threshold(name: string, percent: u32): bool {
  const n = String.UTF8.encode(name);
  return hostThreshold(changetype<usize>(n), n.byteLength, percent) == 0;
}

/**
 * Calls an upstream that the operator names and grants; the capability call. The status in the
 * upper half, the length of the answer in the lower, which hostCallRead reads; -1: not granted,
 * -2: a limit has no room, -3: no answer.
 */
export function call(upstream: string, path: string, body: usize, len: u32): i64 {
  const u = String.UTF8.encode(upstream), p = String.UTF8.encode(path);
  return hostHostCall(changetype<usize>(u), u.byteLength, changetype<usize>(p), p.byteLength, body, len);
}

/** Writes at most cap bytes of the value of a placeholder of the caller; the capability restore. */
export function restore(token: string, to: usize, cap: u32): u32 {
  const t = String.UTF8.encode(token);
  return hostRestore(changetype<usize>(t), t.byteLength, to, cap);
}
