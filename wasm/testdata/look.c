// A stage for benchmarks and tests. Without settings it looks at the model's name
// alone, and denies one that begins with "forbidden". With settings {"texts":true} it
// reads all texts too, and denies one that holds "SECRET".
//
//   clang --target=wasm32 -O2 -ffreestanding -nostdlib -c look.c -o look.o
//   wasm-ld --no-entry --strip-all -z stack-size=16384 look.o -o look.wasm

#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(name) __attribute__((import_module("headgate"), import_name(name)))

__asm__(".section .custom_section.headgate.manifest,\"\",@\n"
        ".ascii \"{\\\"name\\\":\\\"look\\\",\\\"kind\\\":\\\"stage\\\",\\\"reads\\\":{\\\"fields\\\":[\\\"model\\\"],\\\"text\\\":[\\\"system\\\",\\\"user\\\",\\\"assistant\\\",\\\"tool_args\\\",\\\"tool_result\\\"]}}\"\n");

IMPORT("field") uint32_t field(uint32_t id, uint8_t *p, uint32_t cap);
IMPORT("seg_count") uint32_t seg_count(void);
IMPORT("seg_read") uint32_t seg_read(uint32_t i, uint32_t off, uint8_t *p, uint32_t cap);
IMPORT("deny") void deny(const char *c, uint32_t cn, const char *m, uint32_t mn, uint32_t retry);

static uint8_t input[4096], text[64 << 10];
static int texts;

EXPORT("hg_abi_1") int32_t hg_abi_1(void) { return 0; }
EXPORT("hg_alloc") uint8_t *hg_alloc(uint32_t n) { return n <= sizeof input ? input : 0; }
EXPORT("hg_configure") int32_t hg_configure(const uint8_t *p, uint32_t n) { texts = n > 2; (void)p; return 0; }

static int begins(const uint8_t *p, const char *with, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) if (p[i] != with[i]) return 0;
  return 1;
}

EXPORT("hg_stage") int32_t hg_stage(uint32_t phase) {
  (void)phase;
  uint32_t n = field(1, text, sizeof text);
  if (n >= 9 && n <= sizeof text && begins(text, "forbidden", 9)) { deny("POLICY_DENIED", 13, "this model may not be used", 26, 0); return 0; }
  if (!texts) return 0;
  for (uint32_t i = 0, count = seg_count(); i < count; i++) {
    for (uint32_t off = 0, got = sizeof text; got == sizeof text; off += got - 5) {
      got = seg_read(i, off, text, sizeof text);
      for (uint32_t k = 0; k + 6 <= got; k++) if (text[k] == 'S' && begins(text + k, "SECRET", 6)) { deny(0, 0, 0, 0, 0); return 0; }
    }
  }
  return 0;
}

// call makes n calls of an import, for a benchmark.
EXPORT("calls") uint32_t calls(uint32_t n) {
  uint32_t sum = 0;
  while (n--) sum += seg_count();
  return sum;
}
