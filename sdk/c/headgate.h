// headgate.h is Headgate ABI 1 for plugins in C, without a library. Include it
// in the one file that is the plugin:
//
//   #include "headgate.h"
//
//   static void find(const uint8_t *text, uint32_t len, uint32_t flags) {
//     …
//     hg_emit(start, end, 0, 1.0f);
//   }
//   HG_DETECTOR(find)
//
// There is no malloc and no free: a text is valid while the function that got
// it runs, and everything else is static.

#ifndef HEADGATE_H
#define HEADGATE_H

#include <stddef.h>
#include <stdint.h>

#define HG_EXPORT(name) __attribute__((export_name(name)))
#define HG_IMPORT(name) extern __attribute__((import_module("headgate"), import_name(name)))

// HG_TEXT gives a string literal as the two arguments, address and length, that
// the functions below take.
#define HG_TEXT(literal) (const uint8_t *)(literal), (uint32_t)(sizeof(literal) - 1)

// Flags of a text. Of a text that has some before it, some of that is given, as
// context. Where more will follow, a match that touches the end must not be
// reported: it will be asked for again.
enum { HG_BEFORE = 1, HG_AFTER = 2, HG_CODE = 4 };

// Where a text comes from: hg_source(flags).
enum {
  HG_UNKNOWN, HG_SYSTEM, HG_USER, HG_ASSISTANT, HG_TOOL_ARGS, HG_TOOL_RESULT, HG_REASONING, HG_DEFINITION, HG_OTHER,
};

static inline uint32_t hg_source(uint32_t flags) { return flags >> 8 & 0xFF; }

// hg_log writes a line to the gateway's log; the host limits their rate. What a
// prompt holds does not belong there. Levels:
enum { HG_LOG_DEBUG = 1, HG_LOG_INFO = 2, HG_LOG_WARN = 3, HG_LOG_ERROR = 4 };
HG_IMPORT("log") void hg_log(uint32_t level, const uint8_t *text, uint32_t len);

// hg_now_ms is the time in milliseconds since 1970; the manifest must ask for
// the capability now. hg_random needs the capability random.
HG_IMPORT("now_ms") int64_t hg_now_ms(void);
HG_IMPORT("random") void hg_random(uint8_t *to, uint32_t len);

// --- What every guest exports ---

HG_EXPORT("hg_abi_1") int32_t hg_abi_1(void) { return 0; }

// HG_SLACK is how many bytes behind a text may be read, so that a loop over
// vectors needs no special end. What stands there means nothing.
enum { HG_SLACK = 128 };

extern uint8_t __heap_base;

// hg_alloc gives the one input buffer. It lies behind everything else, so that
// growing the memory is all there is to it.
HG_EXPORT("hg_alloc") uint8_t *hg_alloc(uint32_t len) {
  const uint64_t page = 65536;
  uintptr_t from = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  uint64_t need = (uint64_t)from + len + HG_SLACK;
  uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) * page;
  if (need > have) {
    uint64_t more = (need - have + page - 1) / page;
    if (more > 65536 || __builtin_wasm_memory_grow(0, (uintptr_t)more) == (uintptr_t)-1) return 0;
  }
  return (uint8_t *)from;
}

// HG_CONFIGURE names the function that takes the settings of the link, as JSON.
// It gives 0 to accept them; anything else refuses the module, and a line
// through hg_log says why.
#define HG_CONFIGURE(fn) \
  HG_EXPORT("hg_configure") int32_t hg_configure(const uint8_t *json, uint32_t len) { return fn(json, len); }

// --- Detectors ---

typedef struct {
  uint32_t start, end;
  uint16_t label, flags;
  float score;
} hg_span;

enum { HG_MAX_SPANS = 4096, HG_OVERFLOW = 0xFFFF };

static hg_span hg_spans[HG_MAX_SPANS];
static uint32_t hg_count;
static int hg_failed;

// hg_emit reports the bytes [start, end) of the text, which must lie on the
// boundaries of characters; label counts the manifest's labels from 0, and the
// score lies between 0 and 1. Spans may come in any order. More than 4096 are
// an error, which the host is told of.
static inline void hg_emit(uint32_t start, uint32_t end, uint16_t label, float score) {
  if (hg_count == HG_MAX_SPANS) {
    hg_spans[HG_MAX_SPANS - 1].label = HG_OVERFLOW;
    return;
  }
  uint32_t i = hg_count++;
  for (; i > 0 && hg_spans[i - 1].start > start; i--) hg_spans[i] = hg_spans[i - 1];
  hg_spans[i] = (hg_span){.start = start, .end = end, .label = label, .score = score};
}

// hg_fail says that the text could not be judged. The host takes it as a fault.
static inline void hg_fail(void) { hg_failed = 1; }

// HG_DETECTOR names the function that finds.
#define HG_DETECTOR(fn)                                                                                \
  HG_EXPORT("hg_detect") uint64_t hg_detect(const uint8_t *text, uint32_t len, uint32_t flags) {       \
    hg_count = 0;                                                                                      \
    hg_failed = 0;                                                                                     \
    fn(text, len, flags);                                                                              \
    uint32_t bytes = hg_failed ? 0xFFFFFFFF : hg_count * (uint32_t)sizeof(hg_span);                    \
    return (uint64_t)(uintptr_t)hg_spans << 32 | bytes;                                                \
  }

#endif
