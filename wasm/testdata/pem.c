// A detector for tests, whose matches are far longer than a stream may be held back
// for a detector without state: private keys, of up to 16 KiB. It shows marks that
// stand still while a key is being read.
//
//   clang --target=wasm32 -O2 -ffreestanding -nostdlib -c pem.c -o pem.o
//   wasm-ld --no-entry --strip-all -z stack-size=16384 pem.o -o pem.wasm

#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))

__asm__(".section .custom_section.headgate.manifest,\"\",@\n"
        ".ascii \"{\\\"name\\\":\\\"pem\\\",\\\"kind\\\":\\\"detector\\\",\\\"labels\\\":[\\\"private_key\\\"],\\\"max_match\\\":16384}\"\n");

typedef struct {
  uint32_t start, end;
  uint16_t label, flags;
  float score;
} span;

typedef struct {
  uint32_t handle, inside, matched, held;
} part;

static const char *const borders[2] = {"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"};
static uint8_t back[2][32];
static uint32_t lengths[2];
static span spans[4097];
static part parts[8];
static uint8_t input[64 << 10];

EXPORT("hg_abi_1") int32_t hg_abi_1(void) { return 0; }
EXPORT("hg_alloc") uint8_t *hg_alloc(uint32_t len) { return len <= sizeof input ? input : 0; }

// _initialize prepares the search: how much of a border still fits when the next
// byte does not.
EXPORT("_initialize") void initialize(void) {
  for (int b = 0; b < 2; b++) {
    uint32_t k = 0, n = 1;
    for (; borders[b][n]; n++) {
      while (k && borders[b][n] != borders[b][k]) k = back[b][k];
      if (borders[b][n] == borders[b][k]) k++;
      back[b][n + 1] = (uint8_t)k;
    }
    lengths[b] = n;
  }
}

// next gives how much of a border the text ends with after one more byte.
static uint32_t next(uint32_t b, uint32_t k, uint8_t c) {
  while (k && (uint8_t)borders[b][k] != c) k = back[b][k];
  return (uint8_t)borders[b][k] == c ? k + 1 : 0;
}

EXPORT("hg_stream") uint64_t hg_stream(uint32_t handle, const uint8_t *text, uint32_t len, uint32_t flags) {
  uint32_t op = flags & 15, found = 0, from = 0;
  part *p = 0;
  for (int i = 0; i < 8 && !p; i++) {
    if (parts[i].handle == (op == 1 ? 0 : handle)) p = &parts[i];
  }
  if (!p) return op == 1 ? 1 : 0xFFFFFFFF;
  if (op == 1) {
    *p = (part){.handle = handle};
    return 0;
  }
  if (op == 3) {
    p->handle = 0;
    return 0;
  }
  uint32_t at = p->held;
  for (uint32_t i = 0; i < len; i++) {
    at++;
    p->matched = next(p->inside, p->matched, text[i]);
    if (p->matched == lengths[p->inside]) {
      if (p->inside && found < 4095) spans[found++] = (span){from, at, 0, 0, 1.0f};
      from = p->inside ? at : at - p->matched;
      p->inside = !p->inside;
      p->matched = 0;
    } else if (p->inside && at - from >= 16384) {
      from = at;
      p->inside = p->matched = 0;
    } else if (!p->inside) {
      from = at - p->matched;
    }
  }
  p->held = at - from;
  spans[found++] = (span){from, from, 0xFFFE, 0, 0};
  return (uint64_t)(uintptr_t)spans << 32 | found * sizeof(span);
}
