// @NAME@ finds card numbers: 16 digits in a row, not inside a longer word or
// number, whose checksum (Luhn) is right.

import { AFTER, BEFORE, begin, emit, past, spans, until } from "./headgate";
export { hg_abi_1, hg_alloc } from "./headgate";

const LENGTH: u32 = 16;
const CARD_NUMBER: u16 = 0;

function digit(c: u32): bool { return c - 0x30 < 10; }

function word(c: u32): bool { return digit(c) || (c | 0x20) - 0x61 < 26 || c == 0x5f; }

// Adds every digit, every second one from the left doubled.
function checksum(digits: usize): bool {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < LENGTH; i++) {
    const d: u32 = load<u8>(digits + i) - 0x30;
    sum += i % 2 == 1 ? d : d > 4 ? 2 * d - 9 : 2 * d;
  }
  return sum % 10 == 0;
}

export function hg_detect(text: usize, len: u32, flags: u32): u64 {
  begin();
  for (let at: u32 = 0, start: u32 = 0; (start = until(text, len, at, 0x30, 0x39)) < len; ) {
    at = past(text, len, start, 0x30, 0x39);
    if (at - start != LENGTH) continue;
    if (start > 0 ? word(load<u8>(text + start - 1)) : (flags & BEFORE) != 0) continue; // it may have begun earlier
    if (at < len ? word(load<u8>(text + at)) : (flags & AFTER) != 0) continue; // it may go on
    if (checksum(text + start)) emit(start, at, CARD_NUMBER, 1.0);
  }
  return spans();
}
