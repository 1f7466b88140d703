// estonian-id finds personal identification codes of Estonia (isikukood): eleven
// digits that say the century and sex, the day of birth, a number, and a check
// digit. Those of Lithuania have the same form and check digit.
//
// Source: the standard EVS 585:2007, Personal identification code.

import { AFTER, BEFORE, begin, emit, past, spans, until } from "../../assemblyscript/headgate";
export { hg_abi_1, hg_alloc } from "../../assemblyscript/headgate";

const LENGTH: u32 = 11;
const EE_PERSONAL_CODE: u16 = 0;

function digit(c: u32): bool { return c - 0x30 < 10; }

function word(c: u32): bool { return digit(c) || (c | 0x20) - 0x61 < 26 || c == 0x5f; }

function number(at: usize, digits: u32): u32 {
  let n: u32 = 0;
  for (let i: u32 = 0; i < digits; i++) n = n * 10 + load<u8>(at + i) - 0x30;
  return n;
}

// The first digit is odd for men and even for women, in pairs from 1800 on.
function date(code: usize): bool {
  const first = number(code, 1);
  if (first < 1 || first > 8) return false;
  const year = 1800 + (first - 1) / 2 * 100 + number(code + 1, 2);
  const month = number(code + 3, 2), day = number(code + 5, 2);
  if (month < 1 || month > 12 || day < 1) return false;
  if (month == 2) return day <= (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28);
  return day <= (month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31);
}

// The digits with weights 1 to 9 and 1, modulo 11; when that is 10, again with
// weights 3 to 9 and 1 to 3; when that is 10 too, 0.
function checkDigit(code: usize): u32 {
  for (let from: u32 = 0; from <= 2; from += 2) {
    let sum: u32 = 0;
    for (let i: u32 = 0; i < LENGTH - 1; i++) sum += number(code + i, 1) * ((i + from) % 9 + 1);
    if (sum % 11 < 10) return sum % 11;
  }
  return 0;
}

export function hg_detect(text: usize, len: u32, flags: u32): u64 {
  begin();
  for (let at: u32 = 0, start: u32 = 0; (start = until(text, len, at, 0x30, 0x39)) < len; ) {
    at = past(text, len, start, 0x30, 0x39);
    if (at - start != LENGTH) continue;
    if (start > 0 ? word(load<u8>(text + start - 1)) : (flags & BEFORE) != 0) continue;
    if (at < len ? word(load<u8>(text + at)) : (flags & AFTER) != 0) continue;
    const code = text + start;
    if (date(code) && checkDigit(code) == number(code + LENGTH - 1, 1)) emit(start, at, EE_PERSONAL_CODE, 0.9);
  }
  return spans();
}
