// Finds "secret" in whole texts, and in streams by what it has seen of it in each
// part. What is decided is let go.

#include "headgate.h"

static const char word[] = "secret";
static struct { uint32_t part, seen; } parts[8];

static void find(const uint8_t *text, uint32_t len, uint32_t flags) {
  for (uint32_t i = 0; i + 6 <= len; i++) {
    if (hg_equal(text + i, word, 6) && (i + 6 < len || !(flags & HG_AFTER))) hg_emit(i, i + 6, 0, 1.0f);
  }
}

static int follow(uint32_t part, uint32_t operation, const uint8_t *text, uint32_t len, uint32_t flags) {
  (void)flags;
  uint32_t want = operation == HG_OPEN ? 0 : part, i = 0;
  while (i < 8 && parts[i].part != want) i++;
  if (i == 8) return 1;
  uint32_t *seen = &parts[i].seen, held = *seen;
  parts[i].part = operation == HG_CLOSE ? 0 : part;
  if (operation != HG_PUSH) {
    *seen = 0;
    return 0;
  }
  for (uint32_t k = 0; k < len; k++) {
    *seen = text[k] == (uint8_t)word[*seen] ? *seen + 1 : text[k] == 's';
    if (*seen < 6) continue;
    hg_emit(held + k + 1 - 6, held + k + 1, 0, 1.0f);
    *seen = 0;
  }
  if (held + len > *seen) hg_decided(held + len - *seen);
  return 0;
}

HG_DETECTOR(find)
HG_STREAM(follow)
