import {
  annotate, call, DONE, field, Field, hostCallRead, Phase, respondBody, restore, retry, Role, route, rule, scope, threshold,
} from "./headgate";
export { hg_abi_1, hg_alloc } from "./headgate";

const buffer = memory.data(64);

export function hg_stage(phase: u32): i32 {
  if (phase == Phase.Response) {
    const n = restore("{{PII_NAME_0123456789abcdef}}", buffer, 64);
    if (n == 3 && String.UTF8.decodeUnsafe(buffer, 3) == "Ann") retry(Role.User, "ask Ann");
    return DONE;
  }
  const n = field(Field.Address, buffer, 64);
  if (n > 0 && n <= 64) {
    respondBody(buffer, n);
    return DONE;
  }
  rule("team.limit", "the limit of the team");
  route("other-model", "", 1);
  if (call("absent", "/", 0, 0) != -1 || scope("shared:other")) return DONE;
  const body = String.UTF8.encode("hi");
  const got = call("guard", "/v1/x?a=b", changetype<usize>(body), body.byteLength);
  if (got >> 32 != 207 || !scope("shared:team") || !threshold("team", 80)) return DONE;
  annotate("x-out", String.UTF8.decodeUnsafe(buffer, hostCallRead(0, buffer, 64)));
  return DONE;
}
