package proxy_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// newPoisoned sends raw to calls whose body contains the word "poison", and a normal answer to all others.
func newPoisoned(t *testing.T, raw string) *fake {
	return newFake(t, func(c net.Conn, r sent) {
		switch {
		case strings.Contains(r.body, "poison"):
			_, _ = io.WriteString(c, raw)
		case strings.Contains(r.body, `"stream":true`):
			_, _ = io.WriteString(c, stream(roleEvent, textEvent("good"), stopEvent, doneEvent))
		default:
			_, _ = io.WriteString(c, buildWhole(200, "application/json", completion("good")))
		}
	})
}

func TestFailingCallsOfOneTenantDoNotCloseAProviderToOthers(t *testing.T) {
	for _, c := range []struct{ name, raw string }{
		{"server errors", buildWhole(500, "application/json", serverError)},
		{"an error in an answer", buildWhole(200, "application/json", serverError)},
		{"pages", buildWhole(200, "text/html", page)},
		{"half a body", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"},
		{"half a head", "HTTP/1.1 200 OK\r\nContent-Ty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newPoisoned(t, c.raw)
			g := open(t, setup{url: up.url, runtime: strict})
			for i := range 9 {
				assert.NotEqual(t, 200, g.post([]string{"dev", "other", "premium"}[i%3], chat("poison")).status)
			}
			for range 3 {
				a := g.post("foreign", chat("hi"))
				assert.Equal(t, 200, a.status, a.body)
			}
			assert.Len(t, up.requests(), 12, "no call was refused")
		})
	}
}

func TestAModelThatFailsForTwoTenantsIsClosedAndTheOthersAreNot(t *testing.T) {
	up := newFake(t, func(c net.Conn, r sent) {
		if strings.Contains(r.body, `"model":"gpt-5"`) {
			_, _ = io.WriteString(c, buildWhole(500, "application/json", serverError))
			return
		}
		_, _ = io.WriteString(c, buildWhole(200, "application/json", completion("good")))
	})
	g := open(t, setup{url: up.url, runtime: strict})
	ask := func(key, model string) answer {
		return g.post(key, `{"model":"`+model+`","messages":[{"role":"user","content":"hi"}]}`)
	}
	for _, key := range []string{"dev", "foreign", "premium", "foreign"} {
		assert.Equal(t, 500, ask(key, "gpt-5").status)
	}
	a := ask("bulk", "gpt-5")
	assert.Equal(t, 503, a.status, "two tenants saw the failure twice each")
	assert.NotEmpty(t, a.header.Get("Retry-After"))
	assert.Equal(t, 200, ask("dev", "gpt-5-mini").status)
}

func TestAModelThatThinksForLongerThanItsLimitStaysOpen(t *testing.T) {
	up := newFake(t, func(c net.Conn, r sent) {
		if strings.Contains(r.body, "think") {
			hungUp(c)
			return
		}
		_, _ = io.WriteString(c, buildWhole(200, "application/json", completion("good")))
	})
	g := open(t, setup{provider: openAI(t, "a", up.url, nil, upstream.Timeouts{FirstByte: 50 * time.Millisecond}), runtime: strict})
	assert.Equal(t, 200, g.post("bulk", chat("hi")).status)
	for _, key := range []string{"dev", "foreign", "dev", "foreign"} {
		assert.Equal(t, 504, g.post(key, chat("think")).status)
	}
	assert.Equal(t, 200, g.post("bulk", chat("hi")).status)
}

func TestAProviderThatHangsIsClosedOnceSeveralTenantsSeeIt(t *testing.T) {
	up := newFake(t, func(c net.Conn, _ sent) { hungUp(c) })
	g := open(t, setup{provider: openAI(t, "a", up.url, nil, upstream.Timeouts{FirstByte: 50 * time.Millisecond}), runtime: strict})
	for _, key := range []string{"dev", "other", "premium", "foreign", "foreign"} {
		assert.Equal(t, 504, g.post(key, chat("hi")).status)
	}
	a := g.post("bulk", chat("hi"))
	assert.Equal(t, 503, a.status, a.body)
	assert.Len(t, up.requests(), 5)
}

func TestAProviderThatDoesNotAnswerAtAllIsClosedAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	for _, c := range []struct{ name, url string }{
		{"cannot be reached", "http://" + l.Addr().String()},
		{"closes connections", newFake(t, says("")).url},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := open(t, setup{url: c.url, runtime: strict})
			for range 2 {
				assert.Equal(t, 502, g.post("dev", chat("hi")).status)
			}
			for _, key := range []string{"dev", "premium"} {
				a := g.post(key, chat("hi"))
				assert.Equal(t, 503, a.status, a.body)
				assert.Contains(t, a.body, "temporarily not called")
			}
		})
	}
}
