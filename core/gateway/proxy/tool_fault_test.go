package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// hang waits until the gateway closes the connection.
func hang(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func TestAServerOfToolsThatMisbehavesCostsOneErrorAndNoHang(t *testing.T) {
	const secret = "internal-host.example"
	short := fmt.Sprintf("HTTP/1.1 200 x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{\"jsonrpc\":%q", secret)
	begun := "HTTP/1.1 200 x\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	for name, c := range map[string]struct {
		say    func(net.Conn, sent)
		status int
		says   string
	}{
		"never answers":              {func(c net.Conn, _ sent) { hang(c) }, 504, "did not answer in time"},
		"stops after the head":       {func(c net.Conn, _ sent) { _, _ = io.WriteString(c, begun); hang(c) }, 504, "did not answer in time"},
		"closes at once":             {func(net.Conn, sent) {}, 502, "error"},
		"closes in a body":           {says(short), 502, "error"},
		"closes before the response": {says(begun), 502, "error"},
		"answers twice in one body":  {says(toolJSON(toolResult("a") + toolResult("b"))), 502, "invalid answer"},
		"answers another id":         {says(toolJSON(strings.Replace(toolResult("a"), `"id":7`, `"id":8`, 1))), 502, "invalid answer"},
		"answers with HTML":          {says(buildWhole(200, "text/html", "<p>"+secret)), 502, "invalid answer"},
		"fails with HTML":            {says(buildWhole(500, "text/html", "<p>"+secret)), 502, "answered with an error"},
		"refuses the credentials":    {says(buildWhole(401, "text/plain", secret)), 502, "credentials"},
		"limits":                     {says(buildWhole(429, "text/plain", secret, "Retry-After: 9")), 429, "limits the rate"},
		"asks in the modern era": {
			says(toolEvents(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`, toolResult("a"))), 502, "invalid answer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, c.say)
			limits := upstream.Timeouts{FirstByte: 100 * time.Millisecond, Idle: 100 * time.Millisecond, Total: time.Second}
			g := openToolsWith(t, up.url, setup{chain: redacting(t, ""), timeouts: limits}, modern)
			a := g.callTool("dev", "echo", "x")
			assert.Equal(t, c.status, a.status, a.body)
			assert.Contains(t, a.body, `"jsonrpc":"2.0","id":7,"error"`)
			assert.Contains(t, a.body, c.says)
			assert.NotContains(t, a.body, secret)
			assert.NotContains(t, a.body, strings.TrimPrefix(up.url, "http://"))
			assert.Len(t, up.requests(), 1, "a call of a tool is not repeated: it may have had its effect")
			assert.EqualValues(t, c.status, g.outcome()["status"])
		})
	}
	t.Run("closes after an event", func(t *testing.T) {
		g := openTools(t, newFake(t, says(begun+"data: "+progress+"\n\n")).url, modern)
		a := g.callTool("dev", "echo", "x")
		assert.Equal(t, 200, a.status)
		assert.Equal(t, 1, strings.Count(a.body, `"error"`), a.body)
		assert.Equal(t, 1, strings.Count(a.body, `"id":7`), a.body)
		assert.Equal(t, false, g.outcome()["complete"])
	})
	t.Run("answers twice in events", func(t *testing.T) {
		g := openTools(t, newFake(t, says(toolEvents(progress, toolResult("first"), toolResult("second"), progress))).url, modern)
		a := g.callTool("dev", "echo", "x")
		assert.Equal(t, 200, a.status)
		assert.Equal(t, "event: message\ndata: "+progress+"\n\nevent: message\ndata: "+toolResult("first")+"\n\n", a.body)
		assert.Equal(t, "served", g.outcome()["outcome"])
	})
}

func TestAClientThatHangsUpEndsTheCallOfATool(t *testing.T) {
	runOnBoth(t, "while the server works", func(t *testing.T, listens bool) {
		asked, gone := make(chan struct{}), make(chan struct{})
		up := newFake(t, func(c net.Conn, _ sent) {
			close(asked)
			hang(c)
			close(gone)
		})
		g := openToolsWith(t, up.url, setup{listens: listens, chain: redacting(t, "")}, modern)
		r := g.request("dev", strings.NewReader(toolBody("echo", "x")), "Content-Type", "application/json",
			"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo")
		r.URL.Path = "/mcp/peer"
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		go func() { <-asked; leave() }()
		res, err := http.DefaultTransport.RoundTrip(r.WithContext(ctx))
		if err == nil {
			_ = res.Body.Close()
		}
		require.Error(t, err)
		<-gone
		assert.Equal(t, "client_gone", g.outcome()["outcome"])
	})
}
