// injection scores texts for attempts to give a model other orders than its
// operator's. Phrases have weights; where enough different ones stand close
// together, beginning at one that seldom stands in plain text, the stretch is
// reported with the sum as its score.
//
// Where a phrase may begin is found with Wasm SIMD, 16 places at a time: three
// bytes of text are looked up by their halves in tables that hold a bit for
// each of eight sets of beginnings. What passes is compared byte by byte.

#include "../../c/headgate.h"
#include "phrases.h"
#include <wasm_simd128.h>

enum {
  THRESHOLD = 60,  // hundredths
  REACH = 200,     // bytes from the anchor on that are looked at: max_match of the manifest
  INJECTION = 0,
  SETS = 8,
};

typedef struct {
  const char *text;
  uint8_t len, group, weight, anchor;
} phrase;

#define P(text, group, weight, anchor) {text, sizeof(text) - 1, group, weight, anchor},
static const phrase phrases[] = {PHRASES};
#undef P

enum { COUNT = sizeof(phrases) / sizeof(phrases[0]) };

// Phrases by their first byte, as lists: heads[byte] is a number from 1 on.
static uint8_t heads[256], next[COUNT + 1];

// For each of the first three bytes, by its lower and its upper half: the sets
// in which an anchor has such a byte there.
static uint8_t low[3][16], high[3][16];
static int ready;

_Static_assert(COUNT < 255, "a phrase's number fits into a byte");

static inline uint8_t lower(uint8_t c) { return (uint8_t)(c - 'A') < 26 ? c | 0x20 : c; }

static void mark(uint32_t at, uint8_t c, uint8_t set) {
  low[at][c & 15] |= set;
  high[at][c >> 4] |= set;
}

static void prepare(void) {
  ready = 1;
  for (uint32_t i = COUNT; i > 0; i--) {
    const phrase *p = &phrases[i - 1];
    uint8_t first = (uint8_t)p->text[0];
    next[i] = heads[first];
    heads[first] = (uint8_t)i;
    if (!p->anchor) continue;
    uint8_t set = (uint8_t)(1 << first % SETS);
    for (uint32_t k = 0; k < 3; k++) {
      uint8_t c = (uint8_t)p->text[k];
      mark(k, c, set);
      if ((uint8_t)(c - 'a') < 26) mark(k, c & ~0x20, set);
    }
  }
}

static inline int word(uint8_t c) { return (uint8_t)(c - '0') < 10 || (uint8_t)((c | 0x20) - 'a') < 26 || c == '_'; }

static inline int blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// matches gives how long the phrase is that stands here, 0: another. A phrase
// that touches the end of a text that goes on is none yet.
static uint32_t matches(const phrase *p, const uint8_t *text, uint32_t len, uint32_t start, uint32_t flags) {
  uint32_t at = start;
  for (uint32_t k = 0; k < p->len; k++) {
    if (p->text[k] == ' ') {
      uint32_t from = at;
      while (at < len && at - from < 4 && blank(text[at])) at++;
      if (at == from) return 0;
      continue;
    }
    if (at >= len || lower(text[at]) != (uint8_t)p->text[k]) return 0;
    at++;
  }
  if (at >= len) return flags & HG_AFTER ? 0 : at - start;
  return word((uint8_t)p->text[p->len - 1]) && word(text[at]) ? 0 : at - start;
}

// judge adds up what stands from an anchor on, until it is enough.
static void judge(const uint8_t *text, uint32_t len, uint32_t start, uint32_t flags) {
  uint8_t heaviest[TARGET + 1] = {0};
  uint32_t sum = 0, limit = len - start < REACH ? len : start + REACH;
  for (uint32_t at = start; at < limit; at++) {
    if (at > start && word(text[at]) && word(text[at - 1])) continue;
    for (uint32_t i = heads[lower(text[at])]; i; i = next[i]) {
      const phrase *p = &phrases[i - 1];
      if (p->anchor == (at == start ? 0 : 2)) continue;
      if (p->weight <= heaviest[p->group]) continue;
      uint32_t n = matches(p, text, len, at, flags);
      if (!n || at + n - start > REACH) continue;
      sum += p->weight - heaviest[p->group];
      heaviest[p->group] = p->weight;
      if (sum >= THRESHOLD) {
        hg_emit(start, at + n, INJECTION, sum < 100 ? (float)sum / 100 : 1.0f);
        return;
      }
    }
    if (at == start && !sum) return;  // no anchor after all
  }
}

// sets gives, for each of 16 places, in which sets an anchor may begin there.
static inline v128_t sets(const uint8_t *p, const v128_t *lows, const v128_t *highs) {
  const v128_t half = wasm_i8x16_splat(15);
  v128_t all = wasm_i8x16_splat(-1);
  for (uint32_t k = 0; k < 3; k++) {
    v128_t c = wasm_v128_load(p + k);
    v128_t l = wasm_i8x16_swizzle(lows[k], wasm_v128_and(c, half));
    v128_t h = wasm_i8x16_swizzle(highs[k], wasm_u8x16_shr(c, 4));
    all = wasm_v128_and(all, wasm_v128_and(l, h));
  }
  return all;
}

static void find(const uint8_t *text, uint32_t len, uint32_t flags) {
  if (!ready) prepare();
  v128_t lows[3], highs[3];
  for (uint32_t k = 0; k < 3; k++) {
    lows[k] = wasm_v128_load(low[k]);
    highs[k] = wasm_v128_load(high[k]);
  }
  const v128_t none = wasm_i8x16_splat(0);
  for (uint32_t at = 0; at < len; at += 32) {
    v128_t a = sets(text + at, lows, highs), b = sets(text + at + 16, lows, highs);
    if (!wasm_v128_any_true(wasm_v128_or(a, b))) continue;
    uint32_t bits = ~(wasm_i8x16_bitmask(wasm_i8x16_eq(a, none)) | (uint32_t)wasm_i8x16_bitmask(wasm_i8x16_eq(b, none)) << 16);
    for (; bits; bits &= bits - 1) {
      uint32_t start = at + (uint32_t)__builtin_ctz(bits);
      if (start >= len) return;
      if (start > 0 ? word(text[start]) && word(text[start - 1]) : flags & HG_BEFORE) continue;
      judge(text, len, start, flags);
    }
  }
}

HG_DETECTOR(find)
