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

// Flags of a text. Of a text that has some before it, some of that is given, as
// context. Where more will follow, a match that touches the end must not be
// reported: it will be asked for again.
export const BEFORE: u32 = 1;
export const AFTER: u32 = 2;
export const CODE: u32 = 4;

/** Where a text comes from: source(flags). */
export const enum Source {
  Unknown, System, User, Assistant, ToolArgs, ToolResult, Reasoning, Definition, Other,
}

export function source(flags: u32): Source { return (flags >> 8 & 0xff) as Source; }

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

const MAX_SPANS: u32 = 4096;
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

/** Ends the report: what hg_detect returns. */
export function spans(): u64 {
  return (list as u64) << 32 | (failed ? 0xffffffff : (count * SIZE) as u64);
}

// --- Functions of the host ---

/** How important a line of the log is. */
export const enum Level { Debug = 1, Info, Warn, Error }

// @ts-ignore: decorator
@external("headgate", "log")
declare function hostLog(level: u32, text: usize, len: u32): void;

/**
 * Writes a line to the gateway's log; the host limits their rate. What a prompt
 * holds does not belong there.
 */
export function log(level: Level, text: string): void {
  const bytes = String.UTF8.encode(text);
  hostLog(level, changetype<usize>(bytes), bytes.byteLength);
}

/**
 * The time in milliseconds since 1970. The manifest must ask for the capability
 * now.
 */
// @ts-ignore: decorator
@external("headgate", "now_ms")
export declare function nowMs(): i64;

/** Fills a buffer with random bytes. The manifest must ask for the capability random. */
// @ts-ignore: decorator
@external("headgate", "random")
export declare function random(to: usize, len: u32): void;
