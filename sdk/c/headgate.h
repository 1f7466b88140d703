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
#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

#define HG_EXPORT(name) __attribute__((export_name(name)))
#define HG_IMPORT(name) extern __attribute__((import_module("headgate"), import_name(name)))

// HG_TEXT gives a string literal as the two arguments, address and length, that
// the functions below take.
#define HG_TEXT(literal) (const uint8_t *)(literal), (uint32_t)(sizeof(literal) - 1)

// hg_equal compares bytes: there is no C library.
static inline int hg_equal(const void *a, const void *b, uint32_t len) {
  const uint8_t *p = a, *q = b;
  for (uint32_t i = 0; i < len; i++) {
    if (p[i] != q[i]) return 0;
  }
  return 1;
}

// Of a text that has some before it, some of that is given, as context: HG_BEFORE. Where more will
// follow, a match that touches the end must not be reported: it will be asked for again (HG_AFTER).
// abi:begin all: from wasm/abi/description/abi.json by go generate

// Flags of a text.
enum {
  HG_BEFORE = 1,  // other text precedes this one; some of it may be given as context
  HG_AFTER = 2,  // more text follows: a match that touches the end must not be reported
  HG_CODE = 4,  // a block of code
};

// Sources of text: hg_source(flags).
enum {
  HG_UNKNOWN, HG_SYSTEM, HG_USER, HG_ASSISTANT, HG_TOOL_ARGS, HG_TOOL_RESULT, HG_REASONING, HG_DEFINITION, HG_OTHER,
};

// Levels of hg_log.
enum {
  HG_LOG_DEBUG = 1, HG_LOG_INFO, HG_LOG_WARN, HG_LOG_ERROR,
};

// Phases of a stage.
enum {
  HG_REQUEST = 1, HG_TARGET, HG_RESPONSE, HG_STREAM_END, HG_FINISH,
};

// Operations of hg_stream.
enum {
  HG_OPEN = 1, HG_PUSH, HG_CLOSE,
};

// Roles of segments.
enum {
  HG_ROLE_NONE, HG_ROLE_SYSTEM, HG_ROLE_USER, HG_ROLE_ASSISTANT, HG_ROLE_TOOL,
};

// Kinds of segments.
enum {
  HG_SEG_TEXT = 1, HG_SEG_TOOL_ARGS, HG_SEG_TOOL_RESULT, HG_SEG_REASONING, HG_SEG_REFUSAL, HG_SEG_DEFINITION,
  HG_SEG_OTHER,
};

// Kinds of limits.
enum {
  HG_LIMIT_RATE = 1, HG_LIMIT_CONCURRENT, HG_LIMIT_SPEND,
};

// Fields of the exchange. The manifest lists those that are asked for.
enum {
  HG_FIELD_MODEL = 1, HG_FIELD_TENANT, HG_FIELD_KEY_ID, HG_FIELD_KEY_NAME, HG_FIELD_USER, HG_FIELD_DIALECT,
  HG_FIELD_ROUTE, HG_FIELD_PROVIDER, HG_FIELD_TARGET, HG_FIELD_REGION, HG_FIELD_STREAM, HG_FIELD_MAX_TOKENS,
  HG_FIELD_EFFORT, HG_FIELD_EXCHANGE, HG_FIELD_TRACE, HG_FIELD_PARAMS, HG_FIELD_TOOLS, HG_FIELD_METADATA,
  HG_FIELD_SCOPES, HG_FIELD_STATUS, HG_FIELD_USAGE, HG_FIELD_FINISH, HG_FIELD_DIGEST, HG_FIELD_COST, HG_FIELD_OUTCOME,
  HG_FIELD_ESTIMATE, HG_FIELD_MESSAGES, HG_FIELD_IMAGES, HG_FIELD_TASK, HG_FIELD_COMPLETE, HG_FIELD_TIER,
  HG_FIELD_FINDINGS, HG_FIELD_KEY_TAGS, HG_FIELD_TENANT_TAGS, HG_FIELD_KEY_METADATA, HG_FIELD_TENANT_METADATA,
  HG_FIELD_KEY_EXPIRES, HG_FIELD_ADDRESS, HG_FIELD_PRICE, HG_FIELD_WINDOW, HG_FIELD_TOOL_TYPES, HG_FIELD_BUDGETS,
  HG_FIELD_LINEAGE, HG_FIELD_BARE_MODEL, HG_FIELD_RESERVE, HG_FIELD_INPUT_COUNT, HG_FIELD_PROMPT_TOKENS,
  HG_FIELD_ATTEMPTS, HG_FIELD_HEADERS, HG_FIELD_TOKEN_CAP, HG_FIELD_PLACES, HG_FIELD_FORMAT,
};

// Results in place of a length.
#define HG_NO_VALUE 0xFFFFFFFFu  // the field, key or hold does not exist
#define HG_NOT_GRANTED 0xFFFFFFFEu  // the link does not grant the field
#define HG_UNAVAILABLE 0xFFFFFFFDu  // the store did not answer

// Added to retry_ms of hg_deny: the same request can never pass: the client must not send it again.
#define HG_NO_RETRY 0x80000000u

enum { HG_MAX_SPANS = 4096 };

// Functions of the host.

typedef struct hg_limit hg_limit;

// hg_log: writes a line to the gateway's log: 1 KiB a line, 10 lines a second. It must not contain
// hg_log: text of the exchange. The host ignores a text outside the memory.
HG_IMPORT("log")
void hg_log(uint32_t level, const uint8_t *text, uint32_t text_len);

// hg_now_ms: milliseconds since 1970. Needs the capability now.
HG_IMPORT("now_ms")
int64_t hg_now_ms(void);

// hg_random: fills a buffer with random bytes. The host ignores a buffer outside the memory. Needs
// hg_random: the capability random.
HG_IMPORT("random")
void hg_random(uint8_t *to, uint32_t to_cap);

// hg_field: a value of the exchange; NoValue for an id that the host does not know, NotGranted for
// hg_field: one that the guest must not see.
HG_IMPORT("field")
uint32_t hg_field(uint32_t id, uint8_t *to, uint32_t to_cap);

// hg_seg_count: the number of segments that the guest may see in this call.
HG_IMPORT("seg_count")
uint32_t hg_seg_count(void);

// hg_seg_packed: role<<56 | kind<<48 | source<<40 | flags<<32 | length; flag bit 0: continues the
// hg_seg_packed: segment before it.
HG_IMPORT("seg_info")
uint64_t hg_seg_packed(uint32_t seg);

// hg_seg_read: writes the text of a segment from off on; returns the number of bytes written.
HG_IMPORT("seg_read")
uint32_t hg_seg_read(uint32_t seg, uint32_t off, uint8_t *to, uint32_t to_cap);

// hg_deny: refuses the exchange; see below.
HG_IMPORT("deny")
void hg_deny(const uint8_t *code, uint32_t code_len, const uint8_t *message, uint32_t message_len, uint32_t retry_ms);

// hg_respond: answers with this text, in the client's dialect; the provider is not called.
HG_IMPORT("respond")
void hg_respond(const uint8_t *text, uint32_t text_len);

// hg_respond_body: answers with a body in the client's dialect, JSON or events; the provider is not
// hg_respond_body: called.
HG_IMPORT("respond_body")
void hg_respond_body(const uint8_t *body, uint32_t body_len);

// hg_retry: asks the model again, with a message behind the request's; several calls add several
// hg_retry: messages.
HG_IMPORT("retry")
void hg_retry(uint32_t role, const uint8_t *text, uint32_t text_len);

// hg_rule: records that a rule of the stage applies; the reason explains a denial without a
// hg_rule: message.
HG_IMPORT("rule")
void hg_rule(const uint8_t *id, uint32_t id_len, const uint8_t *reason, uint32_t reason_len);

// hg_edit: replaces [start, end) of a segment with a text.
HG_IMPORT("edit")
void hg_edit(uint32_t seg, uint32_t start, uint32_t end, const uint8_t *insert, uint32_t insert_len);

// hg_redact: replaces [start, end) with a placeholder of a type, such as EMAIL. Needs the
// hg_redact: capability redact.
HG_IMPORT("redact")
void hg_redact(uint32_t seg, uint32_t start, uint32_t end, const uint8_t *kind, uint32_t kind_len);

// hg_redact_found: replaces a value of the field places, by its index, with a placeholder of its
// hg_redact_found: type; 0, NoValue or NotGranted. Needs the capability redact.
HG_IMPORT("redact_found")
uint32_t hg_redact_found(uint32_t place);

// hg_withhold: has a streamed answer wait for its end, so that stream_end can still refuse it with
// hg_withhold: a status.
HG_IMPORT("withhold")
void hg_withhold(void);

// hg_set_model: requests another model. Needs the capability patch.
HG_IMPORT("set_model")
void hg_set_model(const uint8_t *model, uint32_t model_len);

// hg_cap_tokens: limits the answer to n tokens. Needs the capability patch.
HG_IMPORT("cap_tokens")
void hg_cap_tokens(int64_t n);

// hg_route: adds an alternative: another model, a region or both; the host picks one by weight.
// hg_route: Needs the capability patch.
HG_IMPORT("route")
void hg_route(const uint8_t *model, uint32_t model_len, const uint8_t *region, uint32_t region_len, uint32_t weight);

// hg_annotate: adds a header of the answer, or a label; see below.
HG_IMPORT("annotate")
void hg_annotate(const uint8_t *key, uint32_t key_len, const uint8_t *value, uint32_t value_len);

// hg_keep_set: keeps up to 4096 bytes for later calls of this exchange; replaces earlier ones.
HG_IMPORT("keep_set")
void hg_keep_set(const uint8_t *from, uint32_t from_len);

// hg_keep_get: returns the kept bytes; 0: none.
HG_IMPORT("keep_get")
uint32_t hg_keep_get(uint8_t *to, uint32_t to_cap);

// hg_state_take: takes from all limits or from none: a hold, greater than 0; 0, -1 or -2 if nothing
// hg_state_take: was taken. Needs the capability state.
HG_IMPORT("state_take")
int64_t hg_state_take(hg_limit *limits, uint32_t n);

// hg_state_settle: replaces the units taken with the units used; 0, NoValue or Unavailable. Needs
// hg_state_settle: the capability state.
HG_IMPORT("state_settle")
uint32_t hg_state_settle(int64_t hold, const int64_t *used, uint32_t n);

// hg_state_get: a value's full length, NoValue or Unavailable. Needs the capability state.
HG_IMPORT("state_get")
uint32_t hg_state_get(const uint8_t *key, uint32_t key_len, uint8_t *to, uint32_t to_cap);

// hg_state_put: keeps a value for that long, 0 ms deletes it; 0 or Unavailable. Needs the
// hg_state_put: capability state.
HG_IMPORT("state_put")
uint32_t hg_state_put(const uint8_t *key, uint32_t key_len, const uint8_t *from, uint32_t from_len, int64_t ttl_ms);

// hg_state_scope: chooses the keys of the calls that follow: a scope that the link grants, or its
// hg_state_scope: own keys if empty; 0 or NotGranted. Needs the capability state.
HG_IMPORT("state_scope")
uint32_t hg_state_scope(const uint8_t *scope, uint32_t scope_len);

// hg_threshold: emits the event that a limit of the stage has reached a share of itself; 0 or
// hg_threshold: Unavailable. Needs the capability notify.
HG_IMPORT("threshold")
uint32_t hg_threshold(const uint8_t *name, uint32_t name_len, uint32_t percent);

// hg_host_call: calls an upstream that the link grants: status<<32 | length, or a negative result.
// hg_host_call: Needs the capability call.
HG_IMPORT("host_call")
int64_t hg_host_call(const uint8_t *upstream, uint32_t upstream_len, const uint8_t *path, uint32_t path_len, const uint8_t *body, uint32_t body_len);

// hg_host_call_read: writes the answer of the last host_call from off on; returns the number of
// hg_host_call_read: bytes written. Needs the capability call.
HG_IMPORT("host_call_read")
uint32_t hg_host_call_read(uint32_t off, uint8_t *to, uint32_t to_cap);

// hg_restore: the value of a placeholder of this caller, in answers only: its full length, NoValue
// hg_restore: or Unavailable. Needs the capability restore.
HG_IMPORT("restore")
uint32_t hg_restore(const uint8_t *token, uint32_t token_len, uint8_t *to, uint32_t to_cap);

// hg_answer_keep: has the host keep the answer for body_read in the phase finish, if it has at most
// hg_answer_keep: max bytes. Needs the capability body.
HG_IMPORT("answer_keep")
void hg_answer_keep(uint32_t max);

// hg_body_read: the body of the request or of the answer, in the client's shape: its full length,
// hg_body_read: NoValue or NotGranted. Needs the capability body.
HG_IMPORT("body_read")
uint32_t hg_body_read(uint8_t *to, uint32_t to_cap);

// abi:end

static inline uint32_t hg_source(uint32_t flags) { return flags >> 8 & 0xFF; }

// --- What every guest exports ---

HG_EXPORT("hg_abi_1") int32_t hg_abi_1(void) { return 0; }

// HG_SLACK is how many bytes behind a text may be read, so that a loop over
// vectors needs no special end. What stands there means nothing.
enum { HG_SLACK = 128 };

// hg_until gives the first place from at on whose byte lies in [low, high], hg_while the
// first whose byte does not; len: there is none. They look at sixteen bytes at a time, of
// a text that the host has written: into HG_SLACK, too.
static inline uint32_t hg_skip(const uint8_t *text, uint32_t len, uint32_t at, uint8_t low, uint8_t high, uint32_t but) {
#ifdef __wasm_simd128__
  for (; at < len; at += 16) {
    v128_t from = wasm_i8x16_sub(wasm_v128_load(text + at), wasm_i8x16_splat((int8_t)low));
    uint32_t found = wasm_i8x16_bitmask(wasm_u8x16_le(from, wasm_u8x16_splat((uint8_t)(high - low)))) ^ but;
    if (!found) continue;
    at += (uint32_t)__builtin_ctz(found);
    break;
  }
  return at < len ? at : len;
#else
  while (at < len && ((uint8_t)(text[at] - low) <= (uint8_t)(high - low)) == (but != 0)) at++;
  return at;
#endif
}

static inline uint32_t hg_until(const uint8_t *text, uint32_t len, uint32_t at, uint8_t low, uint8_t high) {
  return hg_skip(text, len, at, low, high, 0);
}

static inline uint32_t hg_while(const uint8_t *text, uint32_t len, uint32_t at, uint8_t low, uint8_t high) {
  return hg_skip(text, len, at, low, high, 0xFFFF);
}

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

enum { HG_OVERFLOW = 0xFFFF };

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

static inline void hg_begin(void) {
  hg_count = 0;
  hg_failed = 0;
}

static inline uint64_t hg_result(void) {
  uint32_t bytes = hg_failed ? 0xFFFFFFFF : hg_count * (uint32_t)sizeof(hg_span);
  return (uint64_t)(uintptr_t)hg_spans << 32 | bytes;
}

// HG_DETECTOR names the function that finds.
#define HG_DETECTOR(fn)                                                                          \
  HG_EXPORT("hg_detect") uint64_t hg_detect(const uint8_t *text, uint32_t len, uint32_t flags) { \
    hg_begin();                                                                                  \
    fn(text, len, flags);                                                                        \
    return hg_result();                                                                          \
  }

// HG_STREAM names a function that follows streamed answers, on an instance of its
// own for each. It gets the handle of a part, HG_OPEN, HG_PUSH or HG_CLOSE, the text
// that follows, and flags that hold the source. It reports each match once, with
// hg_emit, and gives 0; 1 for HG_OPEN: it does not want to see this part. A detector
// needs HG_DETECTOR besides, for whole texts.
#define HG_STREAM(fn)                                                                                             \
  HG_EXPORT("hg_stream") uint64_t hg_stream(uint32_t part, const uint8_t *text, uint32_t len, uint32_t flags) {   \
    hg_begin();                                                                                                   \
    int declined = fn(part, flags & 0xF, text, len, flags);                                                       \
    return (flags & 0xF) == HG_OPEN ? (hg_failed ? 0xFFFFFFFF : declined != 0) : hg_result();                     \
  }

// hg_decided is the last word of a call of HG_STREAM: no match that begins before
// that place will be reported any more. Offsets count from there from then on; without
// it they count from where the part begins.
static inline void hg_decided(uint32_t at) {
  if (hg_count == HG_MAX_SPANS) {
    hg_spans[HG_MAX_SPANS - 1].label = HG_OVERFLOW;
    return;
  }
  hg_spans[hg_count++] = (hg_span){.start = at, .end = at, .label = 0xFFFE};
}

// --- Stages ---

// HG_STAGE names the function that judges. It gets the phase, says its verdict
// through the functions below, and gives 0; 1 says that it failed, and nothing
// of what it said is carried out.
#define HG_STAGE(fn) \
  HG_EXPORT("hg_stage") int32_t hg_stage(uint32_t phase) { return fn(phase); }

// HG_FILTER names the function with which a stage follows answers: uint32_t
// fn(part, text, len, last). It has an instance to itself for each streamed answer.
// text is what is held of a part and what has come behind it, which is also segment 0,
// for hg_edit. It gives how many bytes at the end must wait for more; when last is
// set, 0. HG_FAILED says that it failed. HG_STAGE is needed for other phases alone.
#define HG_FAILED 0xFFFFFFFFu
#define HG_FILTER(fn)                                                                                           \
  HG_EXPORT("hg_stream") uint64_t hg_stream(uint32_t part, const uint8_t *text, uint32_t len, uint32_t flags) { \
    if ((flags & 0xF) == HG_OPEN) return 0;                                                                     \
    uint32_t n = hg_seg_info(0).len;                                                                            \
    const uint8_t *held = n == len ? text : hg_seg_text(0, n);                                                  \
    return held || n == 0 ? (uint32_t)fn(part, held, n, (flags & 0xF) == HG_CLOSE) : HG_FAILED;                 \
  }


typedef struct {
  uint8_t role, kind, source;
  uint8_t joined;  // 1: its text goes on where the segment before it ends
  uint32_t len;    // bytes
} hg_seg;

static inline hg_seg hg_seg_info(uint32_t seg) {
  uint64_t p = hg_seg_packed(seg);
  return (hg_seg){
      .role = (uint8_t)(p >> 56), .kind = (uint8_t)(p >> 48), .source = (uint8_t)(p >> 40), .joined = p >> 32 & 1, .len = (uint32_t)p};
}

// hg_seg_text reads a whole segment into the input buffer, where it stays until
// the next call of hg_seg_text; 0: there is no memory for it.
static inline const uint8_t *hg_seg_text(uint32_t seg, uint32_t len) {
  uint8_t *to = hg_alloc(len);
  if (to) hg_seg_read(seg, 0, to, len);
  return to;
}

// One of hg_deny and hg_respond, once; edits are then dropped. Offsets of hg_edit and hg_redact are
// those of the text as it was read: edits do not move each other.

// --- Capability state ---

enum { HG_LIMIT_SHORT = 1 };  // a limit's result flag: there was no room

// hg_limit is one limit and what the exchange wants of it; see
// docs/plugin-abi.md for what each member means. Times are milliseconds.
struct hg_limit {
  uint32_t kind, flags;
  const uint8_t *key;
  uint32_t key_len;
  int64_t cost, max, period, burst, ends;
  int64_t left, spent, wait, reset, reserved;  // results
};

_Static_assert(sizeof(hg_limit) == 96 && offsetof(hg_limit, cost) == 16, "the layout of ABI 1");

#endif
