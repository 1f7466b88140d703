// repetition finds what a model writes over and over: lines that the same part of an
// answer has held twice before, from their third time on: three choices may say the same. It is a Headgate detector, ABI
// 1, with hg_stream: it sees each streamed answer once, in order, on an instance of
// its own, and remembers the lines of the whole answer. Text is let go as soon as it
// cannot become part of a match.

#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))

// The manifest travels in the module, as a custom section.
__asm__(".section .custom_section.headgate.manifest,\"\",@\n"
        ".incbin \"manifest.json\"\n");

enum {
  OPEN = 1, PUSH = 2, CLOSE = 3, OPERATION = 0xF,  // hg_stream flags
  MAX_SPANS = 4096,
  OVERFLOW = 0xFFFF,  // label of a last record: there was more
  DECIDED = 0xFFFE,   // label of a mark
  LONGEST = 1024,     // max_match: longer lines are not looked at
  SHORTEST = 24,      // bytes; shorter lines come again in any text
  LETTERS = 12,       // a line of dashes is a rule and no repetition
  ALLOWED = 2,        // times that a line may stand in an answer
  LINES = 8192,       // remembered; a power of two
  PARTS = 64,         // open at one time
};

typedef struct {
  uint32_t start, end;
  uint16_t label, flags;
  float score;
} span;

// A part of the answer: a choice's text, or the arguments of a tool call. Its
// line begins where the host's offsets count from.
typedef struct {
  uint32_t handle;   // 0: free
  uint32_t held;     // bytes of the line that were shown
  uint32_t letters;
  uint32_t tooLong;  // nothing is held of a line that is too long
  uint64_t hash;
} part;

static span spans[MAX_SPANS + 1];
static uint32_t found;
static part parts[PARTS];
static struct { uint64_t hash; uint32_t times; } lines[LINES];
static uint32_t known;
static uint8_t input[64 << 10];

static const uint64_t HASH = 0xcbf29ce484222325;

EXPORT("hg_abi_1") int32_t hg_abi_1(void) { return 0; }

EXPORT("hg_alloc") uint8_t *hg_alloc(uint32_t len) { return len <= sizeof input ? input : 0; }

static part *find(uint32_t handle) {
  for (uint32_t i = 0; i < PARTS; i++) {
    if (parts[i].handle == handle) return &parts[i];
  }
  return 0;
}

static void newLine(part *p) {
  p->held = p->letters = p->tooLong = 0;
  p->hash = HASH ^ p->handle * 0x9e3779b97f4a7c15;  // each part has lines of its own
}

// seen counts a line, and tells how often the answer has held it before.
static uint32_t seen(uint64_t hash) {
  for (uint32_t i = (uint32_t)(hash ^ hash >> 32) & (LINES - 1);; i = (i + 1) & (LINES - 1)) {
    if (lines[i].times == 0) {
      if (known == LINES / 2) return 0;  // enough is remembered
      known++;
      lines[i].hash = hash;
      lines[i].times = 1;
      return 0;
    }
    if (lines[i].hash == hash) return lines[i].times++;
  }
}

// endLine judges the line that ends at end, and begins at start.
static void endLine(part *p, uint32_t start, uint32_t end) {
  if (!p->tooLong && end - start >= SHORTEST && p->letters >= LETTERS && seen(p->hash) >= ALLOWED) {
    if (found < MAX_SPANS) spans[found] = (span){.start = start, .end = end, .score = 1.0f};
    found++;
  }
  newLine(p);
}

// push reads on. It gives the place where the line begins that has not ended.
static uint32_t push(part *p, const uint8_t *text, uint32_t len) {
  uint32_t line = 0, at = p->held;
  for (uint32_t i = 0; i < len; i++, at++) {
    uint8_t c = text[i];
    if (c == '\n') {
      endLine(p, line, at);
      line = at + 1;
      continue;
    }
    p->hash = (p->hash ^ c) * 0x100000001b3;
    p->letters += (uint8_t)((c | 0x20) - 'a') < 26 || c >= 0x80;
    if (at - line >= LONGEST) p->tooLong = 1;
  }
  if (p->tooLong) line = at;
  p->held = at - line;
  return line;
}

EXPORT("hg_stream") uint64_t hg_stream(uint32_t handle, const uint8_t *text, uint32_t len, uint32_t flags) {
  part *p = find((flags & OPERATION) == OPEN ? 0 : handle);
  found = 0;
  switch (flags & OPERATION) {
    case OPEN:
      if (!p) return 1;  // too many parts at once: this one is not looked at
      p->handle = handle;
      newLine(p);
      return 0;
    case PUSH: {
      if (!p) return 0xFFFFFFFF;
      uint32_t line = push(p, text, len);
      if (found > MAX_SPANS - 1) break;
      if (line > 0) spans[found++] = (span){.start = line, .end = line, .label = DECIDED};
      return (uint64_t)(uintptr_t)spans << 32 | found * sizeof(span);
    }
    case CLOSE:
      if (!p) return 0xFFFFFFFF;
      endLine(p, 0, p->held);
      p->handle = 0;
      return (uint64_t)(uintptr_t)spans << 32 | found * sizeof(span);
    default:
      return 0xFFFFFFFF;
  }
  spans[MAX_SPANS - 1].label = OVERFLOW;
  return (uint64_t)(uintptr_t)spans << 32 | MAX_SPANS * sizeof(span);
}
