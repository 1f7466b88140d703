// settings.h reads the settings: {"types": ["EMAIL"], "action": "redact", "response": "restore"}.

#include <stdint.h>

static const char *const names[TYPES] = {"EMAIL", "CREDIT_CARD", "EMPLOYEE_ID"};

enum { REDACT, FLAG, BLOCK };

static int wanted[TYPES] = {1, 1, 1};
static int action = REDACT;
static int redacts_answers;

static uint32_t length(const char *s) {
  uint32_t n = 0;
  while (s[n]) n++;
  return n;
}

typedef struct {
  const uint8_t *at, *end;
} reader;

static void blanks(reader *r) {
  while (r->at < r->end && *r->at <= ' ') r->at++;
}

static int take(reader *r, uint8_t c) {
  blanks(r);
  if (r->at == r->end || *r->at != c) return 0;
  r->at++;
  return 1;
}

typedef struct {
  const uint8_t *text;
  uint32_t len;
} word;

// string reads a string without escapes.
static int string(reader *r, word *w) {
  if (!take(r, '"')) return 0;
  w->text = r->at;
  while (r->at < r->end && *r->at != '"' && *r->at != '\\') r->at++;
  w->len = (uint32_t)(r->at - w->text);
  return take(r, '"');
}

static int is(word w, const char *s) {
  if (w.len != length(s)) return 0;
  for (uint32_t i = 0; i < w.len; i++) {
    if (w.text[i] != (uint8_t)s[i]) return 0;
  }
  return 1;
}

// refuse says in the log what cannot be used, and what can be written in its place.
static int refuse(const char *about, word w, const char *instead) {
  static uint8_t line[400];
  uint32_t n = 0;
  for (const char *s = about; *s; s++) line[n++] = (uint8_t)*s;
  line[n++] = '"';
  for (uint32_t i = 0; i < w.len && i < 64; i++) line[n++] = w.text[i];
  line[n++] = '"';
  for (const char *s = instead; *s; s++) line[n++] = (uint8_t)*s;
  hg_log(HG_LOG_ERROR, line, n);
  return 1;
}

static int types(reader *r) {
  word w;
  for (int k = 0; k < TYPES; k++) wanted[k] = 0;
  if (!take(r, '[')) return 0;
  while (!take(r, ']')) {
    int known = 0;
    if (!string(r, &w)) return 0;
    for (int k = 0; k < TYPES; k++) {
      if (is(w, names[k])) wanted[k] = known = 1;
    }
    if (!known) return !refuse("types: ", w, " is not known: write EMAIL, CREDIT_CARD or EMPLOYEE_ID");
    take(r, ',');
  }
  return 1;
}

static int configure(const uint8_t *json, uint32_t len) {
  reader r = {json, json + len};
  word key = {json, 0}, value = {json, 0};
  if (!take(&r, '{')) return refuse("settings: ", key, " is no object");
  while (!take(&r, '}')) {
    if (!string(&r, &key) || !take(&r, ':')) return refuse("settings: ", key, " has no value");
    if (is(key, "types")) {
      if (!types(&r)) return refuse("types: ", value, ": write a list of types");
    } else if (is(key, "action") && string(&r, &value)) {
      if (is(value, "redact")) action = REDACT;
      else if (is(value, "flag")) action = FLAG;
      else if (is(value, "block")) action = BLOCK;
      else return refuse("action: ", value, ": write redact, flag or block");
    } else if (is(key, "response") && string(&r, &value)) {
      if (is(value, "redact")) redacts_answers = 1;
      else if (!is(value, "restore")) return refuse("response: ", value, ": write restore or redact");
    } else {
      return refuse("", key, " is not a setting: write types, action or response");
    }
    take(&r, ',');
  }
  return 0;
}
