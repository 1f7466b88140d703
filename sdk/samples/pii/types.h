// types.h finds values of personal data. Each finder looks at a run of characters that could belong to a value of its type, from the first
// to the last: so what it finds does not depend on how a streamed answer was cut, as long as whole runs are shown.

#include <stdint.h>

enum { EMAIL, CREDIT_CARD, EMPLOYEE_ID, TYPES, NONE = TYPES };

// Runs that are longer than this hold no value.
enum { LONGEST_WORD = 254, LONGEST_CARD = 37, LONGEST_TOKEN = 56 };

static int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static int is_letter(uint8_t c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static int is_word(uint8_t c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-' || c == '@';
}

static uint32_t word_end(const uint8_t *t, uint32_t at, uint32_t len) {
  while (at < len && is_word(t[at])) at++;
  return at;
}

// card_end gives the end of a run of digits with single blanks or hyphens between them. *open says that the text ends where it could go on.
static uint32_t card_end(const uint8_t *t, uint32_t at, uint32_t len, int *open) {
  uint32_t end = at;
  for (; at < len; at++) {
    if (is_digit(t[at])) {
      end = at + 1;
    } else if ((t[at] != ' ' && t[at] != '-') || at != end) {
      break;
    }
  }
  *open = at == len;
  return end;
}

// is_card reports whether a run has 13 to 19 digits that pass the Luhn check.
static int is_card(const uint8_t *t, uint32_t start, uint32_t end) {
  uint32_t digits = 0, sum = 0;
  if (end - start > LONGEST_CARD) return 0;
  for (uint32_t i = end; i > start; i--) {
    if (!is_digit(t[i - 1])) continue;
    uint32_t d = t[i - 1] - '0';
    if (digits++ % 2) d = d > 4 ? 2 * d - 9 : 2 * d;
    sum += d;
  }
  return digits >= 13 && digits <= 19 && sum % 10 == 0;
}

// email trims a run to an e-mail address, and reports whether it is one.
static int email(const uint8_t *t, uint32_t *start, uint32_t *end) {
  uint32_t s = *start, e = *end, at = 0, dot = 0;
  if (e - s > LONGEST_WORD) return 0;
  while (s < e && !is_letter(t[s]) && !is_digit(t[s])) s++;
  while (e > s && !is_letter(t[e - 1])) e--;
  for (uint32_t i = s; i < e; i++) {
    if (t[i] == '@') {
      if (at) return 0;
      at = i;
    } else if (at && t[i] == '.') {
      if (t[i - 1] == '.' || t[i - 1] == '@') return 0;
      dot = i;
    } else if (at && !is_letter(t[i]) && !is_digit(t[i]) && t[i] != '-') {
      return 0;
    }
  }
  if (!at || at - s > 64 || !dot || e - dot < 3) return 0;
  *start = s;
  *end = e;
  return 1;
}

// employee reports whether a run is an employee number, EMP-123456.
static int employee(const uint8_t *t, uint32_t start, uint32_t end) {
  static const uint8_t form[] = "EMP-";
  if (end - start != 10) return 0;
  for (uint32_t i = 0; i < 10; i++) {
    if (i < 4 ? t[start + i] != form[i] : !is_digit(t[start + i])) return 0;
  }
  return 1;
}

// token gives the end of a placeholder that begins at a place, {{PII_TYPE_16 hex digits}}, and 0 if none does. *open says that the text ends
// where it could be one.
static uint32_t token(const uint8_t *t, uint32_t at, uint32_t len, int *open) {
  static const uint8_t head[] = "{{PII_";
  uint32_t i = at, under = 0;
  *open = 1;
  for (uint32_t k = 0; k < 6; k++, i++) {
    if (i == len) return 0;
    if (t[i] != head[k]) return *open = 0;
  }
  for (; i < len && i - at < LONGEST_TOKEN && t[i] != '}'; i++) {
    int upper = t[i] >= 'A' && t[i] <= 'Z', hex = is_digit(t[i]) || (t[i] >= 'a' && t[i] <= 'f');
    if (t[i] == '_') {
      under = i;
    } else if (!(upper || hex) || (hex && !is_digit(t[i]) && (!under || i - under > 16))) {
      return *open = 0;
    }
  }
  if (i == len) return 0;
  if (t[i] != '}' || under <= at + 6 || i - under != 17) return *open = 0;
  for (uint32_t k = under + 1; k < i; k++) {
    if (!is_digit(t[k]) && !(t[k] >= 'a' && t[k] <= 'f')) return *open = 0;
  }
  if (i + 1 == len) return 0;
  *open = 0;
  return t[i + 1] == '}' ? i + 2 : 0;
}
