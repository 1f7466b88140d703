// key-rate lets each key make so many requests a minute, over all nodes of the
// gateway where they share their state.
//
//   settings: {per_minute: 60}      # without settings: 60

#include "../../c/headgate.h"

static int64_t per_minute = 60;

static int blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// expect steps over blanks and a word; 0: another stands there.
static int expect(const uint8_t *json, uint32_t len, uint32_t *at, const char *word) {
  while (*at < len && blank(json[*at])) ++*at;
  for (; *word; word++, ++*at) {
    if (*at >= len || json[*at] != (uint8_t)*word) return 0;
  }
  return 1;
}

// read takes {"per_minute":N} or {}, and nothing else.
static int read(const uint8_t *json, uint32_t len) {
  uint32_t at = 0;
  if (!expect(json, len, &at, "{")) return 0;
  uint32_t inside = at;
  if (expect(json, len, &at, "}")) return 1;
  at = inside;
  if (!expect(json, len, &at, "\"per_minute\"") || !expect(json, len, &at, ":") || !expect(json, len, &at, "")) return 0;
  int64_t n = 0;
  for (; at < len && (uint8_t)(json[at] - '0') < 10 && n < 1000000; at++) n = 10 * n + json[at] - '0';
  per_minute = n;
  return n > 0 && n <= 1000000 && expect(json, len, &at, "}");
}

static int configure(const uint8_t *json, uint32_t len) {
  if (read(json, len)) return 0;
  hg_log(HG_LOG_ERROR, HG_TEXT("write settings as {per_minute: 60}, a number from 1 to 1000000"));
  return 1;
}

static int judge(uint32_t phase) {
  if (phase != HG_REQUEST) return 0;
  static uint8_t key[256];
  uint32_t n = hg_field(HG_FIELD_KEY_ID, key, sizeof(key));
  if (n > sizeof(key)) return 1;  // not granted, or no key of ours
  if (n == 0) {
    key[0] = '-';  // a gateway without keys: all callers share the rate
    n = 1;
  }
  hg_limit limit = {.kind = HG_LIMIT_RATE, .key = key, .key_len = n, .cost = 1, .max = per_minute, .period = 60000};
  int64_t hold = hg_state_take(&limit, 1);
  if (hold < 0) return 1;
  if (hold == 0) {
    hg_deny(HG_TEXT("rate_limit_exceeded"), HG_TEXT("This key makes too many requests."), (uint32_t)(limit.wait > 0 ? limit.wait : 0));
  }
  return 0;
}

HG_CONFIGURE(configure)
HG_STAGE(judge)
