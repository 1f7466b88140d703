// A stage for tests that does what its settings say. They are {"script":"…"}: steps
// with a semicolon behind each, words with one blank between them. The first word of a
// step is the digit of the phase in which it runs, or * for all, the second is one
// letter:
//
//   f ID  c  i N  r N OFF CAP    append to the output: a field, the count of segments,
//                                what a segment is, its text
//   K  g KEY                     append what is kept for the exchange, or in the state
//   k TEXT  u KEY TEXT TTL       keep it
//   t KIND KEY COST MAX PERIOD   take, and append the hold, what is left, and the wait
//   s HOLD ACTUAL                settle, and append the result
//   d CODE MESSAGE RETRY         deny; a dash is none
//   p TEXT  e N START END TEXT   respond, edit
//   P N START END TYPE           redact
//   F N  W                       redact what a link found, and append the result; withhold
//   M MODEL  C N                 another model; cap the tokens
//   a KEY TEXT  o  l             annotate; the output as x-out; log the output
//   q ID REASON  Q ROLE TEXT     rule, retry
//   b TEXT                       respond with a body
//   A MODEL REGION WEIGHT        route
//   S SCOPE  n NAME PERCENT      choose a scope of the state; report a threshold; append the result
//   h UPSTREAM PATH BODY         call an upstream, and append the status, or the negative result, and the answer
//   V TOKEN                      append the value of a placeholder
//   R FN A B C D E               call function FN with any numbers
//   x N  w  z                    return N, run for ever, trap
//
// With -DFOLLOW it has hg_stream: phases 6, 7 and 8 are there the opening of a part, text
// and the end of a part. There
//
//   T N  H N                     append the count of parts, if N is 1, else of pushes, since
//                                the instance was taken; hold N bytes, if there are so many
//   E A B                        put B in the place of each byte A that is not held
//
//   clang --target=wasm32 -O2 -ffreestanding -nostdlib -c stage.c -o stage.o
//   wasm-ld --no-entry --strip-all -z stack-size=16384 stage.o -o stage.wasm

#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(name) __attribute__((import_module("headgate"), import_name(name)))

typedef uint32_t u32;
typedef const uint8_t *str;

IMPORT("log") void hg_log(u32 level, str p, u32 n);
IMPORT("field") u32 field(u32 id, uint8_t *p, u32 cap);
IMPORT("seg_count") u32 seg_count(void);
IMPORT("seg_info") uint64_t seg_info(u32 i);
IMPORT("seg_read") u32 seg_read(u32 i, u32 off, uint8_t *p, u32 cap);
IMPORT("deny") void deny(str c, u32 cn, str m, u32 mn, u32 retry);
IMPORT("edit") void edit(u32 seg, u32 start, u32 end, str p, u32 n);
IMPORT("redact") void redact(u32 seg, u32 start, u32 end, str p, u32 n);
IMPORT("redact_found") u32 redact_found(u32 place);
IMPORT("withhold") void withhold(void);
IMPORT("set_model") void set_model(str p, u32 n);
IMPORT("cap_tokens") void cap_tokens(int64_t n);
IMPORT("annotate") void annotate(str k, u32 kn, str v, u32 vn);
IMPORT("respond") void respond(str p, u32 n);
IMPORT("keep_set") void keep_set(str p, u32 n);
IMPORT("keep_get") u32 keep_get(uint8_t *p, u32 cap);
IMPORT("rule") void rule(str id, u32 idn, str p, u32 n);
IMPORT("retry") void retry(u32 role, str p, u32 n);
IMPORT("respond_body") void respond_body(str p, u32 n);
IMPORT("route") void route(str m, u32 mn, str r, u32 rn, u32 weight);
IMPORT("state_scope") u32 state_scope(str p, u32 n);
IMPORT("threshold") u32 threshold(str p, u32 n, u32 percent);
IMPORT("host_call") int64_t host_call(str u, u32 un, str p, u32 pn, str b, u32 bn);
IMPORT("host_call_read") u32 host_call_read(u32 off, uint8_t *p, u32 cap);
IMPORT("restore") u32 restore(str t, u32 tn, uint8_t *p, u32 cap);
IMPORT("state_take") int64_t state_take(void *p, u32 n);
IMPORT("state_settle") u32 state_settle(int64_t hold, void *p, u32 n);
IMPORT("state_get") u32 state_get(str k, u32 kn, uint8_t *p, u32 cap);
IMPORT("state_put") u32 state_put(str k, u32 kn, str p, u32 n, int64_t ttl);

typedef struct {
  u32 kind, flags;
  str key;
  u32 len;
  int64_t cost, max, period, burst, ends, left, spent, wait, reset, reserved;
} limit;

static uint8_t input[128 << 10], script[16 << 10], out[200 << 10];
static u32 script_len, out_len;
#ifdef FOLLOW
static u32 parts, pushes, held;
#endif

static struct { str p; u32 n; } w[8];
static u32 words;

EXPORT("hg_abi_1") int32_t hg_abi_1(void) { return 0; }
EXPORT("hg_alloc") uint8_t *hg_alloc(u32 n) { return n <= sizeof input ? input : 0; }

EXPORT("hg_configure") int32_t hg_configure(str p, u32 n) {
  static const char head[] = "{\"script\":\"";
  script_len = 0;
  if (n == 2) return 0;
  for (u32 i = 0; i < sizeof head - 1; i++) if (i >= n || p[i] != head[i]) return 1;
  for (u32 i = sizeof head - 1; i + 2 < n; i++) script[script_len++] = p[i];
  return 0;
}

static int64_t number(u32 k) {
  int64_t v = 0;
  u32 i = 0;
  if (k >= words) return 0;
  if (w[k].n && w[k].p[0] == '-') i = 1;
  for (u32 j = i; j < w[k].n; j++) v = v * 10 + (w[k].p[j] - '0');
  return i ? -v : v;
}

static void put(uint8_t c) { if (out_len < sizeof out) out[out_len++] = c; }

static void put_number(int64_t v) {
  uint8_t b[24];
  u32 n = 0;
  if (v < 0) { put('-'); v = -v; }
  do { b[n++] = '0' + v % 10; v /= 10; } while (v);
  while (n) put(b[--n]);
}

static void space(void) { if (out_len) put(' '); }

// grown takes the length that an import has given.
static void grown(u32 n) {
  if (n >= 0xFFFFFFFD) { put('!'); put_number(0xFFFFFFFFu - n + 1); }
  else out_len += n < sizeof out - out_len ? n : sizeof out - out_len;
}

static str text(u32 k, u32 *n) {
  if (k >= words || (w[k].n == 1 && w[k].p[0] == '-')) { *n = 0; return 0; }
  *n = w[k].n;
  return w[k].p;
}

static void raw(void) {
  u32 a = number(3), b = number(4), c = number(5), d = number(6), e = number(7);
  switch (number(2)) {
    case 1: field(a, (uint8_t *)b, c); break;
    case 2: seg_info(a); break;
    case 3: seg_read(a, b, (uint8_t *)c, d); break;
    case 4: deny((str)a, b, (str)c, d, e); break;
    case 5: edit(a, b, c, (str)d, e); break;
    case 6: annotate((str)a, b, (str)c, d); break;
    case 7: respond((str)a, b); break;
    case 8: keep_set((str)a, b); break;
    case 9: keep_get((uint8_t *)a, b); break;
    case 10: state_take((void *)a, b); break;
    case 11: state_settle(a, (void *)b, c); break;
    case 12: state_get((str)a, b, (uint8_t *)c, d); break;
    case 13: state_put((str)a, b, (str)c, d, (int64_t)(int32_t)e); break;
    case 14: rule((str)a, b, (str)c, d); break;
    case 15: retry(a, (str)b, c); break;
    case 16: respond_body((str)a, b); break;
    case 17: route((str)a, b, (str)c, d, e); break;
    case 18: state_scope((str)a, b); break;
    case 19: threshold((str)a, b, c); break;
    case 20: host_call((str)a, b, (str)c, d, (str)e, 8); break;
    case 21: host_call_read(a, (uint8_t *)b, c); break;
    case 22: restore((str)a, b, (uint8_t *)c, d); break;
    case 23: host_call((str)"a", 1, (str)"/", 1, (str)a, b); break;
  }
}

// step runs one step; it gives what hg_stage is to return, or -1: go on.
static int32_t step(void) {
  u32 n, m;
  str p, q;
  static limit l;
  switch (w[1].p[0]) {
    case 'f': space(); grown(field(number(2), out + out_len, sizeof out - out_len)); break;
    case 'c': space(); put_number(seg_count()); break;
    case 'i': {
      uint64_t s = seg_info(number(2));
      space();
      for (int k = 56; k >= 32; k -= 8) { put_number(s >> k & 255); put('/'); }
      put_number(s & 0xFFFFFFFF);
      break;
    }
    case 'r': space(); out_len += seg_read(number(2), number(3), out + out_len, number(4)); break;
    case 'K': space(); grown(keep_get(out + out_len, sizeof out - out_len)); break;
    case 'k': p = text(2, &n); keep_set(p, n); break;
    case 'g': p = text(2, &n); space(); grown(state_get(p, n, out + out_len, sizeof out - out_len)); break;
    case 'u': p = text(2, &n); q = text(3, &m); space(); put_number(state_put(p, n, q, m, number(4))); break;
    case 't':
      l.kind = number(2), l.key = text(3, &l.len), l.cost = number(4), l.max = number(5), l.period = number(6);
      l.burst = 0, l.ends = l.kind == 3 ? 4102444800000 : 0;
      space();
      put_number(state_take(&l, 1));
      put('/'); put_number(l.left); put('/'); put_number(l.wait);
      break;
    case 's': { int64_t used = number(3); space(); put_number(state_settle(number(2), &used, 1)); break; }
    case 'd': p = text(2, &n); q = text(3, &m); deny(p, n, q, m, number(4)); break;
    case 'p': p = text(2, &n); respond(p, n); break;
    case 'e': p = text(5, &n); edit(number(2), number(3), number(4), p, n); break;
    case 'P': p = text(5, &n); redact(number(2), number(3), number(4), p, n); break;
    case 'F': space(); put_number((int32_t)redact_found(number(2))); break;
    case 'W': withhold(); break;
    case 'M': p = text(2, &n); set_model(p, n); break;
    case 'C': cap_tokens(number(2)); break;
    case 'a': p = text(2, &n); q = text(3, &m); annotate(p, n, q, m); break;
    case 'o': annotate((str)"x-out", 5, out, out_len); break;
    case 'l': hg_log(2, out, out_len); break;
    case 'q': p = text(2, &n); q = text(3, &m); rule(p, n, q, m); break;
    case 'Q': p = text(3, &n); retry(number(2), p, n); break;
    case 'b': // the script is JSON text, in which quotes are escaped
      p = text(2, &n);
      m = 0;
      for (u32 i = 0; i < n; i++) if (p[i] != '\\') input[m++] = p[i];
      respond_body(input, m);
      break;
    case 'A': p = text(2, &n); q = text(3, &m); route(p, n, q, m, number(4)); break;
    case 'S': p = text(2, &n); space(); put_number((int32_t)state_scope(p, n)); break;
    case 'n': p = text(2, &n); space(); put_number((int32_t)threshold(p, n, number(3))); break;
    case 'h': {
      p = text(2, &n); q = text(3, &m);
      u32 bn;
      str body = text(4, &bn);
      int64_t r = host_call(p, n, q, m, body, bn);
      space();
      if (r < 0) { put_number(r); break; }
      put_number(r >> 32); put('/');
      out_len += host_call_read(0, out + out_len, sizeof out - out_len);
      break;
    }
    case 'V': p = text(2, &n); space(); grown(restore(p, n, out + out_len, sizeof out - out_len)); break;
    case 'R': raw(); break;
#ifdef FOLLOW
    case 'T': space(); put_number(number(2) == 1 ? parts : pushes); break;
    case 'H': held = number(2); if (held > (u32)seg_info(0)) held = (u32)seg_info(0); break;
    case 'E': {
      n = seg_read(0, 0, input, sizeof input);
      for (u32 i = 0; i + held < n; i++) if (input[i] == w[2].p[0]) edit(0, i, i + 1, w[3].p, w[3].n);
      break;
    }
#endif
    case 'x': return number(2);
    case 'w': for (volatile int i = 0;; i++);
    case 'z': __builtin_trap();
  }
  return -1;
}

static int32_t run(u32 phase) {
  if (field(1, out, 9) == 9 && out[0] == 'r' && out[1] == 'e' && out[2] == 'h') return 0; // the host tries the module
  out_len = 0;
  for (u32 i = 0; i < script_len; i++) {
    for (words = 0; words < 8 && i < script_len && script[i] != ';'; words++) {
      w[words].p = script + i;
      for (w[words].n = 0; i < script_len && script[i] != ' ' && script[i] != ';'; i++) w[words].n++;
      if (i < script_len && script[i] == ' ') i++;
    }
    if (words < 2 || (w[0].p[0] != '*' && (u32)(w[0].p[0] - '0') != phase)) continue;
    int32_t r = step();
    if (r >= 0) return r;
  }
  return 0;
}

EXPORT("hg_stage") int32_t hg_stage(u32 phase) { return run(phase); }

#ifdef FOLLOW
EXPORT("hg_stream") uint64_t hg_stream(u32 part, str p, u32 n, u32 flags) {
  u32 op = flags & 15;
  if (op == 1) parts++;
  if (op == 2) pushes++;
  held = 0;
  int32_t r = run(5 + op);
  return r == 0 ? held : r == 9 ? 0xFFFFFFFFu : r == 8 ? 1ull << 32 : (u32)r;
}
#endif
