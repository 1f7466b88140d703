import { CLOSE, edit, OPEN, OPERATION, segLen, segText } from "./headgate";
export { hg_abi_1, hg_alloc } from "./headgate";

const WORD = String.UTF8.encode("secret");

export function hg_stream(part: u32, text: usize, len: u32, flags: u32): u64 {
  if ((flags & OPERATION) == OPEN) return 0;
  const held = segText(0), n = segLen(0);
  let seen: u32 = 0;
  for (let at: u32 = 0; at < n; at++) {
    const c: u32 = load<u8>(held + at);
    seen = c == load<u8>(changetype<usize>(WORD) + seen) ? seen + 1 : c == 0x73 ? 1 : 0;
    if (seen < 6) continue;
    edit(0, at + 1 - 6, at + 1, "******");
    seen = 0;
  }
  return (flags & OPERATION) == CLOSE ? 0 : seen;
}
