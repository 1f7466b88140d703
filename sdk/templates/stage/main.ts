// @NAME@ keeps marked text inside the house. A request that holds
// "[confidential]" is refused; "[internal]" is cut out. Models whose names begin
// with "local" may read everything.

import { annotate, deny, DONE, edit, field, Field, Phase, segCount, segLen, segText } from "./headgate";
export { hg_abi_1, hg_alloc } from "./headgate";

const CONFIDENTIAL = String.UTF8.encode("[confidential]");
const INTERNAL = String.UTF8.encode("[internal]");
const LOCAL = String.UTF8.encode("local");

// Gives where the word stands in the text from a place on; len: nowhere.
function find(text: usize, len: u32, from: u32, word: ArrayBuffer): u32 {
  const n = word.byteLength as u32;
  for (; from + n <= len; from++) {
    if (memory.compare(text + from, changetype<usize>(word), n) == 0) return from;
  }
  return len;
}

const model = memory.data(8);

function local(): bool {
  const n = field(Field.Model, model, 8);
  return n >= 5 && n < 0xfffffffd && find(model, 5, 0, LOCAL) == 0;
}

export function hg_stage(phase: u32): i32 {
  if (phase != Phase.Request || local()) return DONE;
  for (let seg: u32 = 0, count = segCount(); seg < count; seg++) {
    const text = segText(seg), len = segLen(seg);
    if (find(text, len, 0, CONFIDENTIAL) < len) {
      deny("confidential_text", "The request holds text that is marked as confidential.");
      return DONE;
    }
    for (let at: u32 = 0; (at = find(text, len, at, INTERNAL)) < len; at += 10) {
      edit(seg, at, at + 10, "");
      annotate("internal_mark", "");
    }
  }
  return DONE;
}
