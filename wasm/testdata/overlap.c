// A detector for tests, whose matches overlap and differ in length: numbers of
// 3 to 20 digits (label 0) and words of 5 to 20 letters, digits and dashes that
// hold a dash (label 1). Longer runs are no match.
//
//   clang --target=wasm32 -O2 -ffreestanding -nostdlib -c overlap.c -o overlap.o
//   wasm-ld --no-entry --strip-all -z stack-size=16384 overlap.o -o overlap.wasm

#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))

__asm__(".section .custom_section.headgate.manifest,\"\",@\n"
        ".ascii \"{\\\"name\\\":\\\"overlap\\\",\\\"kind\\\":\\\"detector\\\",\\\"labels\\\":[\\\"number\\\",\\\"word\\\"],\\\"max_match\\\":20}\"\n");

typedef struct {
  uint32_t start, end;
  uint16_t label, flags;
  float score;
} span;

static span spans[4096];
static uint8_t input[200 << 10];

EXPORT("hg_abi_1") int32_t hg_abi_1(void) { return 0; }

EXPORT("hg_alloc") uint8_t *hg_alloc(uint32_t len) { return len <= sizeof input ? input : 0; }

static int digit(uint8_t c) { return c >= '0' && c <= '9'; }
static int part(uint8_t c) { return digit(c) || (c >= 'a' && c <= 'z') || c == '-'; }

// run gives the end of the run at i, or 0: it may go on behind the text.
static uint32_t run(const uint8_t *t, uint32_t n, uint32_t i, int (*in)(uint8_t), uint32_t flags) {
  while (i < n && in(t[i])) i++;
  return i == n && (flags & 2) ? 0 : i;
}

EXPORT("hg_detect") uint64_t hg_detect(const uint8_t *t, uint32_t n, uint32_t flags) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t label = 0; label < 2; label++) {
      int (*in)(uint8_t) = label ? part : digit;
      if (!in(t[i]) || (i > 0 ? in(t[i - 1]) : flags & 1)) continue;
      uint32_t end = run(t, n, i, in, flags), dashes = 0;
      if (end < i + (label ? 5 : 3) || end > i + 20) continue;
      for (uint32_t k = i; k < end; k++) dashes += t[k] == '-';
      if (label && !dashes) continue;
      if (found == 4096) {
        spans[found - 1].label = 0xFFFF;
        return (uint64_t)(uintptr_t)spans << 32 | found * sizeof(span);
      }
      spans[found++] = (span){i, end, (uint16_t)label, 0, label ? 0.5f : 0.9f};
    }
  }
  return (uint64_t)(uintptr_t)spans << 32 | found * sizeof(span);
}
