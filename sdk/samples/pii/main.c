// pii is the compiled-in stage `pii` as a plugin, with types of its own: it replaces e-mail addresses, payment cards and employee numbers in
// requests with placeholders, and restores them in answers, whole or streamed. The host keeps the values in the tenant's vault. See README.md.

#include "../../c/headgate.h"
#include "types.h"
#include "settings.h"

HG_CONFIGURE(configure)

static int noted[TYPES];  // in this call

// note records a type once, whatever the number of its values.
static void note(int type) {
  if (noted[type]) return;
  noted[type] = 1;
  hg_annotate((const uint8_t *)names[type], length(names[type]), 0, 0);
}

static int denied;
static uint32_t edits;  // of this call
enum { MOST_EDITS = 4096 };

static void deny(const char *about, const char *type) {
  static uint8_t message[200];
  uint32_t n = 0;
  if (denied) return;
  denied = 1;
  for (const char *s = about; *s; s++) message[n++] = (uint8_t)*s;
  for (const char *s = type; *s; s++) message[n++] = (uint8_t)*s;
  hg_deny((const uint8_t *)"content_filter", 14, message, n, 0);
}

// editing reports whether the host takes one more edit. A text with more values is refused, because some of them would stay in it.
static int editing(void) {
  if (edits == MOST_EDITS) deny("the text contains more values than can be replaced at once: ", "send it in parts");
  return !denied && edits++ < MOST_EDITS;
}

// act carries the action out on a value.
static void act(uint32_t seg, uint32_t start, uint32_t end, int type) {
  note(type);
  if (action == BLOCK) deny("the text contains personal data that this gateway does not pass: ", names[type]);
  if (action == REDACT && editing()) hg_redact(seg, start, end, (const uint8_t *)names[type], length(names[type]));
}

// restore puts the value of a placeholder of the caller in its place. It gives 0 if the vault did not answer.
static int restore(uint32_t start, uint32_t end, const uint8_t *text) {
  static uint8_t value[4096];
  uint32_t n = hg_restore(text + start, end - start, value, sizeof value);
  if (n == HG_UNAVAILABLE) return 0;
  if (n <= sizeof value && editing()) hg_edit(0, start, end, value, n);
  return 1;
}

// match gives the type of a value that begins at a place and sets its ends, or NONE and where to look on. *open says that more text may
// make another value of it. *cards is the end of a run of digits that is no card.
static int match(const uint8_t *t, uint32_t len, uint32_t *start, uint32_t *end, uint32_t *cards, int *open) {
  uint32_t at = *start;
  *end = word_end(t, at, len);
  *open = *end == len;
  if (is_digit(t[at]) && at >= *cards) {
    int more;
    uint32_t e = card_end(t, at, len, &more);
    *open |= more;
    if (e > *end || !is_word(e < len ? t[e] : ' ')) {
      if (is_card(t, at, e)) {
        if (wanted[CREDIT_CARD]) {
          *end = e;
          return CREDIT_CARD;
        }
      }
    }
    *cards = e;
  }
  if (wanted[EMPLOYEE_ID] && employee(t, at, *end)) return EMPLOYEE_ID;
  uint32_t s = at, e = *end;
  if (wanted[EMAIL] && email(t, &s, &e)) {
    *start = s;
    *end = e;
    return EMAIL;
  }
  return NONE;
}

// look acts on a text: a segment of a request, or what is held of an answer and has come behind that. It gives how many bytes at the end must
// wait for more, or HG_FAILED.
static uint32_t look(uint32_t seg, const uint8_t *t, uint32_t len, int answer, int last) {
  int values = !answer || redacts_answers, open;
  uint32_t cards = 0;
  for (uint32_t at = 0; at < len;) {
    if (t[at] == '{') {
      uint32_t end = token(t, at, len, &open);
      if (open && !last) return len - at;
      if (end && answer && !restore(at, end, t)) return HG_FAILED;
      at = end ? end : at + 1;
      continue;
    }
    if (!values || !is_word(t[at])) {
      at++;
      continue;
    }
    uint32_t start = at, end;
    int type = match(t, len, &start, &end, &cards, &open);
    if (open && !last) {  // a longer run holds no value, and its last 300 bytes show that
      return len - at > 300 ? 300 : len - at;
    }
    if (type != NONE) act(seg, start, end, type);
    at = end;
  }
  return 0;
}

static void begin(void) {
  denied = 0;
  edits = 0;
  for (int k = 0; k < TYPES; k++) noted[k] = 0;
}

static int judge(uint32_t phase) {
  if (phase != HG_REQUEST) return 0;
  begin();
  for (uint32_t n = hg_seg_count(), i = 0; i < n; i++) {
    hg_seg s = hg_seg_info(i);
    if (s.len == 0) continue;
    const uint8_t *text = hg_seg_text(i, s.len);
    if (!text || look(i, text, s.len, 0, 1) == HG_FAILED) return 1;
  }
  return 0;
}

static uint32_t follow(uint32_t part, const uint8_t *text, uint32_t len, int last) {
  (void)part;
  begin();
  return look(0, text, len, 1, last);
}

HG_STAGE(judge)
HG_FILTER(follow)
