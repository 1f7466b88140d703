// employee-id finds employee numbers: EMP- and exactly six digits, not inside a
// longer word or number. It is a Headgate detector, ABI 1, without a library:
// everything that a guest needs is in this file.
//
// Text is looked at 64 bytes at a time with Wasm SIMD for an E that has a '-'
// three bytes later; what stands there is then read byte by byte.

#include <stdint.h>
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(name)))

// The manifest travels in the module, as a custom section.
__asm__(".section .custom_section.headgate.manifest,\"\",@\n"
        ".incbin \"manifest.json\"\n");

enum {
  CONTINUES_BEFORE = 1,  // hg_detect flags
  CONTINUES_AFTER = 2,
  MAX_SPANS = 4096,
  OVERFLOW = 0xFFFF,     // label of a last record: there was more
  LENGTH = 10,           // of EMP-123456
  PAGE = 65536,
  SLACK = 128,           // vectors are read up to here behind the text
};

typedef struct {
  uint32_t start, end;
  uint16_t label, flags;
  float score;
} span;

static span spans[MAX_SPANS];

extern uint8_t __heap_base;

// hg_abi_1 names the version; no optional features are used.
EXPORT("hg_abi_1") int32_t hg_abi_1(void) { return 0; }

// hg_alloc gives the one input buffer. It lies behind everything else, so that
// growing the memory is all there is to it.
EXPORT("hg_alloc") uint8_t *hg_alloc(uint32_t len) {
  uintptr_t from = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  uint64_t need = (uint64_t)from + len + SLACK;
  uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
  if (need > have) {
    uint64_t pages = (need - have + PAGE - 1) / PAGE;
    if (pages > 65536 || __builtin_wasm_memory_grow(0, (uintptr_t)pages) == (uintptr_t)-1) {
      return 0;
    }
  }
  return (uint8_t *)from;
}

static inline int digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

static inline int word(uint8_t c) {
  return digit(c) || (uint8_t)((c | 0x20) - 'a') < 26 || c == '_';
}

// match reports whether an employee number begins at text[i].
static inline int match(const uint8_t *text, uint32_t len, uint32_t i, uint32_t flags) {
  if (len - i < LENGTH || text[i + 1] != 'M' || text[i + 2] != 'P') return 0;
  for (uint32_t k = 4; k < LENGTH; k++) {
    if (!digit(text[i + k])) return 0;
  }
  if (i > 0 ? word(text[i - 1]) : (flags & CONTINUES_BEFORE)) return 0;
  if (i + LENGTH < len) return !word(text[i + LENGTH]);
  return !(flags & CONTINUES_AFTER);
}

// candidates marks the bytes of a vector that are an E with a '-' behind "MP".
static inline v128_t candidates(const uint8_t *p) {
  return wasm_v128_and(wasm_i8x16_eq(wasm_v128_load(p), wasm_i8x16_splat('E')),
                       wasm_i8x16_eq(wasm_v128_load(p + 3), wasm_i8x16_splat('-')));
}

// hg_detect gives ptr << 32 | bytes of the span records.
EXPORT("hg_detect") uint64_t hg_detect(const uint8_t *text, uint32_t len, uint32_t flags) {
  uint32_t n = 0;
  for (uint32_t at = 0; at < len; at += 64) {
    const uint8_t *p = text + at;
    v128_t a = candidates(p), b = candidates(p + 16), c = candidates(p + 32), d = candidates(p + 48);
    if (!wasm_v128_any_true(wasm_v128_or(wasm_v128_or(a, b), wasm_v128_or(c, d)))) continue;
    uint64_t bits = (uint64_t)wasm_i8x16_bitmask(a) | (uint64_t)wasm_i8x16_bitmask(b) << 16 |
                    (uint64_t)wasm_i8x16_bitmask(c) << 32 | (uint64_t)wasm_i8x16_bitmask(d) << 48;
    for (; bits; bits &= bits - 1) {
      uint32_t i = at + (uint32_t)__builtin_ctzll(bits);
      if (i >= len || !match(text, len, i, flags)) continue;
      if (n == MAX_SPANS) {
        spans[n - 1].label = OVERFLOW;
        return (uint64_t)(uintptr_t)spans << 32 | n * sizeof(span);
      }
      spans[n++] = (span){.start = i, .end = i + LENGTH, .score = 1.0f};
    }
  }
  return (uint64_t)(uintptr_t)spans << 32 | n * sizeof(span);
}
