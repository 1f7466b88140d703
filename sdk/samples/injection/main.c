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
// Anchors again, by a hash of their first four bytes.
static uint8_t heads[256], next[COUNT + 1];
typedef struct {
  uint8_t anchor, beside;
} entry;
static uint8_t slots[256], used;
static entry entries[256];

// For each of the first bytes, by its lower and its upper half: the sets in
// which an anchor has such a byte there.
enum { LOOKED_UP = 3 };
static uint8_t low[LOOKED_UP][16], high[LOOKED_UP][16];
static int ready;

_Static_assert(COUNT < 255, "a phrase's number fits into a byte");

static inline uint8_t lower(uint8_t c) { return (uint8_t)(c - 'A') < 26 ? c | 0x20 : c; }

// slot takes four bytes at once, letters of either case being the same.
static inline uint8_t slot(const uint8_t *p) {
  uint32_t four;
  __builtin_memcpy(&four, p, 4);
  return (uint8_t)((four | 0x20202020) * 2654435761u >> 24);
}

static const char blanks[] = " \t\n\r";

// bits counts the halves of bytes that a set has at one place.
static uint32_t bits(const uint8_t *halves, uint8_t set) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < 16; i++) n += (halves[i] & set) != 0;
  return n;
}

// add puts a phrase into a set. What a set lets through grows with the product
// of its halves of bytes, which is the result.
static uint32_t add(const phrase *p, uint8_t set, uint8_t l[LOOKED_UP][16], uint8_t h[LOOKED_UP][16]) {
  uint32_t product = 1;
  for (uint32_t k = 0; k < LOOKED_UP; k++) {
    uint8_t c = (uint8_t)p->text[k];
    for (uint32_t i = 0; i < 4; i++) {
      uint8_t as = c == ' ' ? (uint8_t)blanks[i] : i % 2 && (uint8_t)(c - 'a') < 26 ? c & ~0x20 : c;
      l[k][as & 15] |= set;
      h[k][as >> 4] |= set;
    }
    product *= bits(l[k], set) * bits(h[k], set);
  }
  return product;
}

static uint32_t product(uint8_t set) {
  uint32_t n = 1;
  for (uint32_t k = 0; k < LOOKED_UP; k++) n *= bits(low[k], set) * bits(high[k], set);
  return n;
}

// place puts an anchor into the set that lets the least more through for it.
static void place(const phrase *p) {
  uint8_t best = 0, l[LOOKED_UP][16], h[LOOKED_UP][16];
  uint32_t least = ~0u;
  for (uint32_t set = 1; set <= 1 << (SETS - 1); set <<= 1) {
    __builtin_memcpy(l, low, sizeof(low));
    __builtin_memcpy(h, high, sizeof(high));
    uint32_t more = add(p, (uint8_t)set, l, h) - product((uint8_t)set);
    if (more < least) {
      least = more;
      best = (uint8_t)set;
    }
  }
  add(p, best, low, high);
}

// hash notes an anchor under its first four bytes, with every kind of blank.
static void hash(uint32_t i) {
  uint8_t four[4];
  for (uint32_t b = 0; b < 4; b++) {
    int any = 0;
    for (uint32_t k = 0; k < 4; k++) {
      uint8_t c = (uint8_t)phrases[i - 1].text[k];
      any |= c == ' ';
      four[k] = c == ' ' ? (uint8_t)blanks[b] : c;
    }
    if (b > 0 && !any) return;
    uint8_t at = slot(four);
    entries[++used] = (entry){.anchor = (uint8_t)i, .beside = slots[at]};
    slots[at] = used;
  }
}

static void prepare(void) {
  ready = 1;
  for (uint32_t i = COUNT; i > 0; i--) {
    const phrase *p = &phrases[i - 1];
    uint8_t first = (uint8_t)p->text[0];
    next[i] = heads[first];
    heads[first] = (uint8_t)i;
    if (!p->anchor) continue;
    place(p);
    hash(i);
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

// begin judges where an anchor stands.
static void begin(const uint8_t *text, uint32_t len, uint32_t start, uint32_t flags) {
  for (uint32_t i = slots[slot(text + start)]; i; i = entries[i].beside) {
    if (!matches(&phrases[entries[i].anchor - 1], text, len, start, flags)) continue;
    judge(text, len, start, flags);
    return;
  }
}

static inline v128_t letter(v128_t c) {
  return wasm_u8x16_lt(wasm_i8x16_sub(wasm_v128_or(c, wasm_i8x16_splat(0x20)), wasm_i8x16_splat('a')), wasm_i8x16_splat(26));
}

// beginnings gives, for each of 16 places, a byte that is not 0 where an anchor
// may begin: the sets that have its bytes, and no letter between two letters.
static inline v128_t beginnings(const uint8_t *p, const v128_t *lows, const v128_t *highs) {
  v128_t all = wasm_v128_not(wasm_v128_and(letter(wasm_v128_load(p - 1)), letter(wasm_v128_load(p))));
  for (uint32_t k = 0; k < LOOKED_UP; k++) {
    v128_t c = wasm_v128_load(p + k);
    v128_t l = wasm_i8x16_swizzle(lows[k], wasm_v128_and(c, wasm_i8x16_splat(15)));
    v128_t h = wasm_i8x16_swizzle(highs[k], wasm_u8x16_shr(c, 4));
    all = wasm_v128_and(all, wasm_v128_and(l, h));
  }
  return all;
}

static void find(const uint8_t *text, uint32_t len, uint32_t flags) {
  if (!ready) prepare();
  v128_t lows[LOOKED_UP], highs[LOOKED_UP];
  for (uint32_t k = 0; k < LOOKED_UP; k++) {
    lows[k] = wasm_v128_load(low[k]);
    highs[k] = wasm_v128_load(high[k]);
  }
  const v128_t none = wasm_i8x16_splat(0);
  if (len > 0 && !(flags & HG_BEFORE)) begin(text, len, 0, flags);  // what stands before it is not the text's
  for (uint32_t at = 1; at < len; at += 32) {
    v128_t a = beginnings(text + at, lows, highs), b = beginnings(text + at + 16, lows, highs);
    if (!wasm_v128_any_true(wasm_v128_or(a, b))) continue;
    uint32_t bits = ~(wasm_i8x16_bitmask(wasm_i8x16_eq(a, none)) | (uint32_t)wasm_i8x16_bitmask(wasm_i8x16_eq(b, none)) << 16);
    for (; bits; bits &= bits - 1) {
      uint32_t start = at + (uint32_t)__builtin_ctz(bits);
      if (start >= len) return;
      if (!slots[slot(text + start)] || (word(text[start]) && word(text[start - 1]))) continue;
      begin(text, len, start, flags);
    }
  }
}

HG_DETECTOR(find)
