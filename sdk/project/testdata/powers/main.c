// Uses what only some stages need: rules, routes, calls, scopes, thresholds, placeholders and other answers.

#include "headgate.h"

static uint8_t buffer[64];

static int judge(uint32_t phase) {
  if (phase == HG_RESPONSE) {
    uint32_t n = hg_restore(HG_TEXT("{{PII_NAME_0123456789abcdef}}"), buffer, sizeof(buffer));
    if (n == 3 && hg_equal(buffer, "Ann", 3)) hg_retry(HG_ROLE_USER, HG_TEXT("ask Ann"));
    return 0;
  }
  uint32_t n = hg_field(HG_FIELD_ADDRESS, buffer, sizeof(buffer));
  if (n > 0 && n <= sizeof(buffer)) {
    hg_respond_body(buffer, n);
    return 0;
  }
  hg_rule(HG_TEXT("team.limit"), HG_TEXT("the limit of the team"));
  hg_route(HG_TEXT("other-model"), HG_TEXT(""), 1);
  if (hg_host_call(HG_TEXT("absent"), HG_TEXT("/"), HG_TEXT("")) != -1 || !hg_state_scope(HG_TEXT("shared:other"))) return 0;
  int64_t got = hg_host_call(HG_TEXT("guard"), HG_TEXT("/v1/x?a=b"), HG_TEXT("hi"));
  if (got >> 32 != 207 || hg_state_scope(HG_TEXT("shared:team")) || hg_threshold(HG_TEXT("team"), 80)) return 0;
  hg_annotate(HG_TEXT("x-out"), buffer, hg_host_call_read(0, buffer, sizeof(buffer)));
  return 0;
}

HG_STAGE(judge)
