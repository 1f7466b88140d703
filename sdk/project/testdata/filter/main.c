// Puts stars in the place of "secret", and holds what may become one.

#include "headgate.h"

static const char word[] = "secret";

static uint32_t follow(uint32_t part, const uint8_t *text, uint32_t len, int last) {
  (void)part;
  uint32_t at = 0, seen = 0;
  for (; at < len; at++) {
    seen = text[at] == (uint8_t)word[seen] ? seen + 1 : text[at] == 's';
    if (seen < 6) continue;
    hg_edit(0, at + 1 - 6, at + 1, HG_TEXT("******"));
    seen = 0;
  }
  return last ? 0 : seen;
}

HG_FILTER(follow)
