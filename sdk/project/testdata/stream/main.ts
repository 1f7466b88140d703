import { AFTER, begin, CLOSE, decided, emit, OPEN, OPERATION, spans } from "./headgate";
export { hg_abi_1, hg_alloc } from "./headgate";

const WORD = String.UTF8.encode("secret");
const parts = memory.data(64); // u32 part, seen

export function hg_detect(text: usize, len: u32, flags: u32): u64 {
  begin();
  for (let i: u32 = 0; i + 6 <= len; i++) {
    if (memory.compare(text + i, changetype<usize>(WORD), 6) == 0 && (i + 6 < len || !(flags & AFTER))) emit(i, i + 6, 0, 1.0);
  }
  return spans();
}

export function hg_stream(part: u32, text: usize, len: u32, flags: u32): u64 {
  const operation = flags & OPERATION;
  let p = parts;
  while (p < parts + 64 && load<u32>(p) != (operation == OPEN ? 0 : part)) p += 8;
  if (p == parts + 64) return 1;
  begin();
  const held = load<u32>(p, 4);
  store<u32>(p, operation == CLOSE ? 0 : part);
  if (operation == OPEN || operation == CLOSE) {
    store<u32>(p, 0, 4);
    return operation == OPEN ? 0 : spans();
  }
  let seen = held;
  for (let k: u32 = 0; k < len; k++) {
    const c: u32 = load<u8>(text + k);
    seen = c == load<u8>(changetype<usize>(WORD) + seen) ? seen + 1 : c == 0x73 ? 1 : 0;
    if (seen < 6) continue;
    emit(held + k + 1 - 6, held + k + 1, 0, 1.0);
    seen = 0;
  }
  store<u32>(p, seen, 4);
  if (held + len > seen) decided(held + len - seen);
  return spans();
}
