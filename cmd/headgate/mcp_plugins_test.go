package main_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

// reverseText returns the text backwards, so that a value is in a result alone.
func reverseText(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// newReversingServer starts an MCP server whose tool "reverse" returns its argument backwards. received counts its calls.
func newReversingServer(t *testing.T) (url string, received *atomic.Int32) {
	t.Helper()
	received = new(atomic.Int32)
	s := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	type input struct {
		Text string `json:"text"`
	}
	reverse := func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		received.Add(1)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: reverseText(in.Text)}}}, nil, nil
	}
	mcp.AddTool(s, &mcp.Tool{Name: "reverse", Description: "Returns a text backwards."}, reverse)
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(srv.Close)
	return srv.URL, received
}

// TestPluginsOfEveryRuntimeJudgeCallsOfTools sends a forbidden value to a tool, has a tool return one, and sends neither.
func TestPluginsOfEveryRuntimeJudgeCallsOfTools(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdef0123456789abcdef"
	receiver := httptest.NewServer(
		webhook.Handler(&webhook.Verifier{Secrets: []string{secret}}, func(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
			for i, s := range r.Segments {
				if at := strings.Index(s.Text, "FORBIDDEN"); at >= 0 {
					return &webhook.Verdict{
						Action: webhook.Block, Findings: []webhook.Finding{{Segment: i, Start: at, End: at + len("FORBIDDEN"), Label: "word"}},
					}, nil
				}
			}
			return &webhook.Verdict{Action: webhook.Pass}, nil
		}),
	)
	t.Cleanup(receiver.Close)
	for name, c := range map[string]struct{ link, value string }{
		"compiled in": {"{stage: guardrail, config: {roles: [assistant, tool], detectors: [{type: keywords, words: [forbidden]}]}}", "FORBIDDEN"},
		"module":      {"{wasm: employee-id.wasm, timeout: 5s, config: {action: block}}", "EMP-123456"},
		"webhook":     {"{webhook: \"" + receiver.URL + "\", secret: " + secret + ", allow_private: true, timeout: 10s}", "FORBIDDEN"},
		"process": {
			"{process: wordguard, grant: {text: [tool_args, tool_result]}, start_timeout: 1m, timeout: 20s, config: {block: [FORBIDDEN]}}", "FORBIDDEN",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			url, received := newReversingServer(t)
			s.copy("plugins/employee-id.wasm", sample(t))
			s.wordguard()
			s.write("gateway.yaml", []byte(configText("", "  - stage: pii\n  - "+c.link+"\n")+
				"mcp_servers:\n  peer: {url: \""+url+"\", allow_private: true}\n"))
			s.env = append(s.env, "HEADGATE_KEY="+testKey)
			g := s.serve("--config", "gateway.yaml")
			call := func(text string) finished {
				return s.run("mcp", "call", "peer", "reverse", `{"text":"`+text+`"}`, "--url", "http://"+g.addr)
			}
			f := call("harmless")
			require.Zero(t, f.code, f.err+f.out)
			assert.Contains(t, f.out, reverseText("harmless"))
			f = call("this is " + c.value)
			assert.Equal(t, 1, f.code, f.out)
			assert.Contains(t, f.err+f.out, "content_filter")
			assert.EqualValues(t, 1, received.Load(), "the server has not got the refused call")
			f = call(reverseText("this is " + c.value))
			assert.EqualValues(t, 2, received.Load())
			assert.Equal(t, 1, f.code, f.out)
			assert.NotContains(t, f.err+f.out, c.value, "nothing of a refused result is repeated")
			g.stop()
		})
	}
}
