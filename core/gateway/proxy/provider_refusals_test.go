package proxy_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

const quota = `{"error":{"message":"You exceeded your\nquota","type":"insufficient_quota","code":"quota_gone"}}`

func TestAProvidersRefusalIsToldOnOneLine(t *testing.T) {
	for _, c := range []struct {
		name, raw  string
		status     int
		code, want string
		retry      string
	}{
		{"a 400 keeps code and reason", buildWhole(400, "application/json", quota), 400, "quota_gone", "OpenAI API error 400: quota_gone: You exceeded your quota", ""},
		{"a 404 keeps code and reason", buildWhole(404, "application/json", quota), 404, "quota_gone", "OpenAI API error 404: quota_gone: You exceeded your quota", ""},
		{"a 422 keeps code and reason", buildWhole(422, "application/json", quota), 422, "quota_gone", "OpenAI API error 422: quota_gone: You exceeded your quota", ""},
		{"a 429 keeps the time to wait", buildWhole(429, "application/json", quota, "Retry-After: 7"), 429, "quota_gone", "OpenAI API error 429: quota_gone: You exceeded your quota", "7"},
		{"a time to wait below a second is one", buildWhole(429, "application/json", quota, "Retry-After: 0.25"), 429, "quota_gone", "OpenAI API error 429: quota_gone: You exceeded your quota", "1"},
		{"a time to wait in milliseconds", buildWhole(429, "application/json", quota, "Retry-After-Ms: 2500"), 429, "quota_gone", "OpenAI API error 429: quota_gone: You exceeded your quota", "3"},
		{"a 418 keeps code and reason as any 4xx", buildWhole(418, "application/json", quota), 418, "quota_gone", "OpenAI API error 418: quota_gone: You exceeded your quota", ""},
		{"a 599 does not disclose its reason, like any 5xx", buildWhole(599, "application/json", quota), 599, "upstream_error", "OpenAI API error 599", ""},
		{"a 401 concerns the gateway's own key", buildWhole(401, "application/json", quota), 502, "upstream_error", "OpenAI API error 401", ""},
		{"a 403 concerns the gateway's own key", buildWhole(403, "application/json", quota), 502, "upstream_error", "OpenAI API error 403", ""},
		{"a 500 does not disclose its reason", buildWhole(500, "application/json", quota), 500, "upstream_error", "OpenAI API error 500", ""},
		{"a 503 keeps its status", buildWhole(503, "application/json", quota, "Retry-After: 3"), 503, "upstream_error", "OpenAI API error 503", "3"},
		{"a redirect is not followed", buildWhole(302, "application/json", "{}", "Location: http://127.0.0.1:1/"), 502, "upstream_error", "OpenAI API error 302", ""},
		{"a page instead of JSON gives no reason", buildWhole(400, "text/html", "<h1>bad</h1>"), 400, "upstream_error", "OpenAI API error 400", ""},
		{"a code that is a sentence is not used", buildWhole(400, "application/json", `{"error":{"message":"m","code":"do this: that"}}`), 400, "upstream_error", "OpenAI API error 400: do this: that: m", ""},
		{"a very long reason is cut", buildWhole(400, "application/json", `{"error":{"message":"`+strings.Repeat("é", 5000)+`"}}`), 400, "upstream_error", "OpenAI API error 400: " + strings.Repeat("é", 278), ""},
	} {
		for _, streamed := range []bool{false, true} {
			t.Run(c.name+streamedName(streamed), func(t *testing.T) {
				g := open(t, setup{url: newFake(t, says(c.raw)).url, chain: redacting(t, "")})
				a := g.post("dev", chatBody("hi", streamed))
				assert.Equal(t, c.status, a.status, a.body)
				e := errorOf(t, a)
				assert.Equal(t, c.want, e["message"])
				assert.Equal(t, c.code, e["code"])
				assert.Equal(t, c.retry, a.header.Get("Retry-After"))
				res := g.outcome()
				assert.Equal(t, "upstream_error", res["outcome"])
				assert.Equal(t, "openai", res["provider"])
				assert.InDelta(t, c.status, res["status"], 0)
			})
		}
	}
}

func streamedName(streamed bool) string {
	if streamed {
		return ", streamed"
	}
	return ", whole"
}

func TestTheReasonIsOneLineOfAtMost300Runes(t *testing.T) {
	line := proxy.Reason("OpenAI", 400, "c\r\nX-Evil: 1", strings.Repeat("a\u2028\x00ü", 400))
	assert.Equal(t, 300, utf8.RuneCountInString(line))
	assert.NotContains(t, line, "\n")
	assert.NotContains(t, line, "\u2028")
	assert.NotContains(t, line, "\x00")
	assert.Equal(t, "OpenAI API error 400", proxy.Reason("OpenAI", 400, "", ""))
	assert.Equal(t, "a b", proxy.OneLine("a\tb", 10))
	assert.True(t, utf8.ValidString(proxy.OneLine("\xff\xfe", 10)))
}

func TestAProviderThatFailsIsABadGateway(t *testing.T) {
	json200 := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for _, c := range []struct {
		name, raw, says string
		code            string
		streamed        bool
	}{
		{"a page instead of JSON", buildWhole(200, "text/html", "<h1>hi</h1>"), "not JSON", "upstream_invalid_response", false},
		{"no content type", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "not JSON", "upstream_invalid_response", false},
		{"JSON where a stream was asked for", buildWhole(200, "application/json", completion("x")), "not an event stream", "upstream_invalid_response", true},
		{"a stream where JSON was asked for", stream(roleEvent, doneEvent), "not JSON", "upstream_invalid_response", false},
		{"a compressed answer", buildWhole(200, "application/json", "zip", "Content-Encoding: gzip"), "compressed", "upstream_invalid_response", false},
		{"a compressed stream", buildWhole(200, "text/event-stream", "zip", "Content-Encoding: br"), "compressed", "upstream_invalid_response", true},
		{"JSON that is cut off", buildWhole(200, "application/json", `{"choices":[`), "does not match this API", "upstream_invalid_response", false},
		{"JSON that names a key twice", buildWhole(200, "application/json", `{"choices":[],"choices":[]}`), "does not match this API", "upstream_invalid_response", false},
		{"an array", buildWhole(200, "application/json", `[]`), "does not match this API", "upstream_invalid_response", false},
		{"an empty body", buildWhole(200, "application/json", ``), "does not match this API", "upstream_invalid_response", false},
		{"a body shorter than its Content-Length", json200 + "Content-Length: 100\r\n\r\n{\"a\":", "broke off", "upstream_error", false},
		{"chunks that break off", json200 + "Transfer-Encoding: chunked\r\n\r\n" + chunk(`{"a":`), "broke off", "upstream_error", false},
		{"nothing at all", "", "broke off", "upstream_error", false},
		{"half a head", "HTTP/1.1 200 OK\r\nContent-Ty", "broke off", "upstream_error", false},
		{"an answer that is not HTTP", "SSH-2.0-x\r\n\r\n", "rules of HTTP", "upstream_error", false},
		{"an invalid HTTP status", buildWhole(600, "application/json", quota), "rules of HTTP", "upstream_error", false},
		{"an error with an unknown status", buildWhole(200, "application/json", `{"error":{"message":"secret","code":"odd"}}`), "OpenAI API error 502", "upstream_error", false},
		{"an error with an unknown status at the start of a stream", stream(`data: {"error":{"message":"secret","code":"odd"}}` + "\n\n"), "OpenAI API error 502", "upstream_error", true},
		{"an empty stream", stream(), "empty", "upstream_invalid_response", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := open(t, setup{url: newFake(t, says(c.raw)).url, chain: redacting(t, "")})
			a := g.post("dev", chatBody("hi", c.streamed))
			assert.Equal(t, 502, a.status, a.body)
			e := errorOf(t, a)
			assert.Contains(t, e["message"], c.says)
			assert.Contains(t, e["message"], "OpenAI")
			assert.Equal(t, c.code, e["code"])
			assert.NotContains(t, a.body, "secret")
			assert.Equal(t, "upstream_error", g.outcome()["outcome"])
		})
	}
}

func TestAProviderThatCannotBeReachedIsABadGateway(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	url := "http://" + ln.Addr().String()
	require.NoError(t, ln.Close())
	g := open(t, setup{url: url})
	a := g.post("dev", chat("hi"))
	assert.Equal(t, 502, a.status)
	assert.Equal(t, "OpenAI could not be reached", errorOf(t, a)["message"])
	assert.NotContains(t, a.body, strings.TrimPrefix(url, "http://"), "addresses are not disclosed")
	assert.Equal(t, "upstream_error", g.outcome()["outcome"])
}

func TestAProviderThatIsTooSlowIsAGatewayTimeout(t *testing.T) {
	short := 50 * time.Millisecond
	for _, c := range []struct {
		name, raw, phase string
		timeouts         upstream.Timeouts
	}{
		{"before the first byte", "", "first byte", upstream.Timeouts{FirstByte: short}},
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", "body", upstream.Timeouts{Idle: short}},
		{"as a whole", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", "total", upstream.Timeouts{Idle: generous, Total: short}},
	} {
		t.Run(c.name, func(t *testing.T) {
			release := make(chan struct{})
			g := open(t, setup{timeouts: c.timeouts, url: newFake(t, func(conn net.Conn, _ sent) {
				_, _ = io.WriteString(conn, c.raw)
				<-release
			}).url})
			defer close(release)
			a := g.post("dev", chat("hi"))
			assert.Equal(t, 504, a.status, a.body)
			e := errorOf(t, a)
			assert.Equal(t, "upstream_timeout", e["code"])
			assert.Equal(t, "OpenAI did not answer in time ("+c.phase+")", e["message"])
			assert.Equal(t, "upstream_error", g.outcome()["outcome"])
		})
	}
}
