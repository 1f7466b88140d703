// invisible-text cuts characters that nobody sees out of what a model will read:
// zero-width ones, marks of writing direction, and the tag characters that can
// carry a whole hidden sentence. U+200C and U+200D are left: scripts and pictures
// need them.

import { annotate, deny, DONE, edit, Phase, segCount, segLen, segText } from "../../assemblyscript/headgate";
export { hg_abi_1, hg_alloc } from "../../assemblyscript/headgate";

// Says how many bytes the invisible character takes that begins here; 0: another.
function invisible(text: usize, len: u32, at: u32): u32 {
  const a = load<u8>(text + at);
  if (a < 0xe2) return 0;
  if (a == 0xe2 && at + 3 <= len) {
    const b = load<u8>(text + at + 1), c = load<u8>(text + at + 2);
    if (b == 0x80 && (c == 0x8b || c == 0x8e || c == 0x8f || (c >= 0xaa && c <= 0xae))) return 3; // U+200B, E, F; U+202A to E
    return b == 0x81 && ((c >= 0xa0 && c <= 0xa4) || (c >= 0xa6 && c <= 0xa9)) ? 3 : 0; // U+2060 to 4, U+2066 to 9
  }
  if (a == 0xef && at + 3 <= len) return load<u8>(text + at + 1) == 0xbb && load<u8>(text + at + 2) == 0xbf ? 3 : 0; // U+FEFF
  if (a == 0xf3 && at + 4 <= len) { // U+E0000 to U+E007F
    return load<u8>(text + at + 1) == 0xa0 && (load<u8>(text + at + 2) | 1) == 0x81 ? 4 : 0;
  }
  return 0;
}

// The most edits of one call, in docs/plugin-abi.md. A text with more places than that hides something.
const MOST: u32 = 4096;

export function hg_stage(phase: u32): i32 {
  if (phase != Phase.Request) return DONE;
  let edits: u32 = 0;
  for (let seg: u32 = 0, count = segCount(); seg < count; seg++) {
    const text = segText(seg), len = segLen(seg);
    for (let at: u32 = 0; at < len; at++) {
      const start = at;
      for (let n = invisible(text, len, at); n > 0; n = at < len ? invisible(text, len, at) : 0) at += n;
      if (at == start) continue;
      if (edits++ == MOST) {
        annotate("invisible_text", "");
        deny("", "the request holds invisible characters in more than 4096 places");
        return DONE;
      }
      edit(seg, start, at, "");
    }
  }
  if (edits > 0) annotate("invisible_text", "");
  return DONE;
}
