// @NAME@ keeps marked text inside the house. A request that holds
// "[confidential]" is refused; "[internal]" is cut out. Models whose names begin
// with "local" may read everything.

#include "headgate.h"

#define CONFIDENTIAL HG_TEXT("[confidential]")
#define INTERNAL HG_TEXT("[internal]")

// find gives where the word stands in the text from a place on; len: nowhere.
static uint32_t find(const uint8_t *text, uint32_t len, uint32_t from, const uint8_t *word, uint32_t n) {
  for (; from + n <= len; from++) {
    if (hg_equal(text + from, word, n)) return from;
  }
  return len;
}

static int local(void) {
  uint8_t model[8];
  uint32_t n = hg_field(HG_FIELD_MODEL, model, sizeof(model));
  return n >= 5 && n < HG_UNAVAILABLE && hg_equal(model, "local", 5);
}

static int judge(uint32_t phase) {
  if (phase != HG_REQUEST || local()) return 0;
  for (uint32_t seg = 0, count = hg_seg_count(); seg < count; seg++) {
    uint32_t len = hg_seg_info(seg).len;
    const uint8_t *text = hg_seg_text(seg, len);
    if (!text) return 1;
    if (find(text, len, 0, CONFIDENTIAL) < len) {
      hg_deny(HG_TEXT("confidential_text"), HG_TEXT("The request holds text that is marked as confidential."), 0);
      return 0;
    }
    for (uint32_t at = 0; (at = find(text, len, at, INTERNAL)) < len; at += 10) {
      hg_edit(seg, at, at + 10, HG_TEXT(""));
      hg_annotate(HG_TEXT("internal_mark"), HG_TEXT(""));
    }
  }
  return 0;
}

HG_STAGE(judge)
