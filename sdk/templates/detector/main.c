// @NAME@ finds card numbers: 16 digits in a row, not inside a longer word or
// number, whose checksum (Luhn) is right.

#include "headgate.h"

enum { LENGTH = 16, CARD_NUMBER = 0 };

static int digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

static int word(uint8_t c) { return digit(c) || (uint8_t)((c | 0x20) - 'a') < 26 || c == '_'; }

// checksum adds every digit, every second one from the left doubled.
static int checksum(const uint8_t *digits) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < LENGTH; i++) {
    uint32_t d = digits[i] - '0';
    if (i % 2 == 0) d = d > 4 ? 2 * d - 9 : 2 * d;
    sum += d;
  }
  return sum % 10 == 0;
}

static void find(const uint8_t *text, uint32_t len, uint32_t flags) {
  for (uint32_t start, at = 0; (start = hg_until(text, len, at, '0', '9')) < len;) {
    at = hg_while(text, len, start, '0', '9');
    if (at - start != LENGTH) continue;
    if (start > 0 ? word(text[start - 1]) : flags & HG_BEFORE) continue; // it may have begun earlier
    if (at < len ? word(text[at]) : flags & HG_AFTER) continue;          // it may go on
    if (checksum(text + start)) hg_emit(start, at, CARD_NUMBER, 1.0f);
  }
}

HG_DETECTOR(find)
