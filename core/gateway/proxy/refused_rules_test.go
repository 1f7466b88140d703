package proxy_test

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// refusing are the error bodies of the providers' APIs, with the code of their refusals.
var refusing = map[string]struct{ body, code string }{
	"openai":    {`{"error":{"message":"REASON","type":"t","param":null,"code":"odd_code"},"secret":"KEPT"}`, "odd_code: "},
	"anthropic": {`{"type":"error","error":{"type":"odd_code","message":"REASON"},"request_id":"KEPT"}`, "odd_code: "},
	"gemini":    {`{"error":{"code":400,"message":"REASON","status":"ODD_CODE","details":[{"secret":"KEPT"}]}}`, "ODD_CODE: "},
	"bedrock":   {`{"message":"REASON","secret":"KEPT"}`, ""},
	"cohere":    {`{"id":"KEPT","message":"REASON"}`, ""},
	"ollama":    {`{"error":"REASON"}`, ""},
	"mistral":   {`{"object":"error","message":"REASON","type":"odd_code","param":null,"code":"odd_code","secret":"KEPT"}`, "odd_code: "},
}

// "Provider refusals" 1 and 3, in each shape, passed through and translated: the
// gateway's message and the provider's code and reason on one line of at most 300
// characters; nothing else of its answer; for 401, 403 and 5xx the message alone.
func TestAProvidersRefusalIsToldInEveryShape(t *testing.T) {
	const tail = `please try \u0061gain\nlater`
	for p, says := range refusing {
		for status, want := range map[int]struct {
			status int
			told   bool
		}{400: {400, true}, 422: {422, true}, 429: {429, true}, 401: {502, false}, 403: {502, false}, 500: {500, false}, 503: {503, false}} {
			for _, long := range []bool{false, true} {
				reason := tail
				if long && status != 422 {
					continue // one status is enough
				}
				if long {
					reason = strings.Repeat("ü", 400) + tail
				}
				t.Run(fmt.Sprintf("%s %d/long %v", p, status, long), func(t *testing.T) {
					up := newFake(t, func(c net.Conn, _ sent) {
						_, _ = c.Write([]byte(buildWhole(status, "application/json", strings.Replace(says.body, "REASON", reason, 1), "Retry-After: 7")))
					})
					g := open(t, setup{provider: newProvider(t, p, up.url)})
					for _, shape := range shapesOf {
						for _, m := range []manner{wholly, streamed} {
							t.Run(fmt.Sprintf("%s/%s", shape.name, m), func(t *testing.T) {
								a := askFor(t, g, shape, p+"/some-model", m)
								assert.Equal(t, want.status, a.status, a.body)
								assert.NotContains(t, a.body, "KEPT")
								assert.Contains(t, a.header.Get("Content-Type"), "application/json")
								if want.status == 429 || want.status == 503 {
									assert.Equal(t, "7", a.header.Get("Retry-After"))
								}
								label := newProvider(t, p, up.url).Label()
								line := label + " API error " + strconv.Itoa(status)
								if want.told {
									line += ": " + says.code + strings.Repeat("ü", map[bool]int{true: 400}[long]) + "please try again later"
									line = string([]rune(line)[:min(300, len([]rune(line)))])
								}
								assert.Equal(t, line, shape.problem(t, a.body, a.status).message)
							})
						}
					}
				})
			}
		}
	}
}
