package main_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/replay"
)

// newAnnotatedServer starts a server of the official SDK with the tool "look", which only reads, and "erase", which does not.
// Both return "result of " and their argument.
func newAnnotatedServer(t *testing.T) (url string) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	type input struct {
		Text string `json:"text"`
	}
	answer := func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "result of " + in.Text}}}, nil, nil
	}
	destructive := true
	mcp.AddTool(s, &mcp.Tool{Name: "look", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, answer)
	mcp.AddTool(s, &mcp.Tool{Name: "erase", Annotations: &mcp.ToolAnnotations{DestructiveHint: &destructive}}, answer)
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// sendLegacyTool sends a message of the legacy era without a session, and returns the status.
func (g *gate) sendLegacyTool(server, text string) int {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, "http://"+g.addr+"/mcp/"+server, strings.NewReader(text))
	require.NoError(g.t, err)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + testKey, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2025-11-25",
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(g.t, err)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(g.t, err)
	require.NoError(g.t, res.Body.Close())
	return res.StatusCode
}

// Calls of both eras, straight and through a virtual server, are captured and replayed with what was known of their tools.
func TestCallsOfToolsAreCapturedAndReplayedThroughACandidate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: policy\n  - stage: pii\n")+
		"capture: {enabled: true, dir: kept}\nmcp_servers:\n  peer: {url: \""+newAnnotatedServer(t)+"\", allow_private: true}\n"+
		"virtual_servers:\n  team: {servers: [{server: peer}]}\n"))
	g := s.serve("--config", "gateway.yaml")
	call := func(server, tool, text string) {
		t.Helper()
		status, body := g.sendTool(server, "tools/call", `,"name":"`+tool+`","arguments":{"text":"`+text+`"}`)
		require.Equal(t, 200, status, body)
		require.Contains(t, body, "result of "+text)
	}
	status, body := g.sendTool("peer", "tools/list", "")
	require.Equal(t, 200, status, body)
	call("peer", "look", "hello")
	call("peer", "look", "write to jane.roe@corp.example.org")
	call("peer", "look", "about apollo")
	call("peer", "erase", "hello")
	call("team", "peer__erase", "hello")
	require.Equal(t, 200, g.sendLegacyTool("peer", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"erase","arguments":{"text":"hello"}}}`))
	g.stop()

	files, err := filepath.Glob(s.path("kept/*.hgc"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, never := range []string{"jane", "apollo", "hello", "erase"} {
			assert.NotContains(t, string(b), never, "segments are sealed")
		}
	}
	s.write("candidate.yaml", []byte(`
chain:
  - stage: policy
  - stage: guardrail
    config: {roles: [assistant, tool], detectors: [{type: keywords, words: [apollo], action: block}]}
  - {stage: ratelimit, config: {limits: [{requests: 6, period: 24h}]}}
policies:
  - id: read-only
    dsl: |
      rules: [{id: no-erasing, conditions: {tool.server: [peer], tool.annotations: {destructiveHint: "true"}}, action: DENY, deny_message: "no"}]
`))
	f := s.run("replay", "--config", "gateway.yaml", "--chain", "candidate.yaml", "--json")
	require.Zero(t, f.code, f.err)
	var r replay.Report
	require.NoError(t, json.Unmarshal([]byte(f.out), &r))
	assert.Equal(t, []int{7, 7}, []int{r.Read, r.Replayed}, f.out)
	assert.Empty(t, r.Skipped)
	assert.Equal(t, map[string]int{"served": 7}, r.Recorded)
	assert.Equal(t, map[string]int{"forwarded": 7}, r.Baseline)
	assert.Equal(t, map[string]int{"blocked": 4, "forwarded": 3}, r.Candidate, f.out)
	for _, tally := range []replay.Tally{{Name: "policy: read-only/no-erasing", Exchanges: 3}, {Name: "guardrail: keywords", Exchanges: 1}} {
		assert.Contains(t, r.Rules, tally, "the destructive tool is denied whichever way a client takes")
	}
	assert.Contains(t, r.Stages, replay.Tally{Name: "pii", Exchanges: 1}, "the address was kept as a placeholder, and is found as its example")
	for _, never := range []string{"jane", "apollo", "hello"} {
		assert.NotContains(t, f.out, never, "a report holds no text")
	}

	s.write("same.yaml", []byte("chain: [{stage: policy}, {stage: pii}]\n"))
	f = s.run("replay", "--config", "gateway.yaml", "--chain", "same.yaml", "--fail-on-change")
	assert.Zero(t, f.code, f.out+f.err)
	assert.Contains(t, f.out, "7 replayed, 0 would have changed")

	s.write("results.yaml", []byte("chain: [{stage: policy}, {stage: pii}, {stage: guardrail, phases: [response], "+
		"config: {roles: [tool], detectors: [{type: keywords, words: [result], action: block}]}}]\n"))
	f = s.run("replay", "--config", "gateway.yaml", "--chain", "results.yaml", "--json")
	require.Zero(t, f.code, f.err)
	r = replay.Report{}
	require.NoError(t, json.Unmarshal([]byte(f.out), &r))
	assert.Equal(t, map[string]int{"blocked": 6, "forwarded": 1}, r.Candidate, "results are judged, and the list has none: %s", f.out)
}

// A call of a tool is evaluated by policies and links in shadow mode as a request to a model is, and the console shows both.
func TestShadowModeSeesCallsOfToolsAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: policy\n  - {stage: guardrail, name: trial-guard, mode: shadow, "+
		"config: {roles: [assistant, tool], detectors: [{type: keywords, words: [apollo], action: block}]}}\n")+
		"mcp_servers:\n  peer: {url: \""+newAnnotatedServer(t)+"\", allow_private: true}\n"))
	g := s.serve("--config", "gateway.yaml")
	made := g.admin(201, "POST", "/policies", `{"name":"trial","dsl":"rules: [{id: no-erasing, conditions: {tool.name: [erase], tool.args: {text: hello}}, action: DENY}]"}`)
	path := "/policies/" + made["id"].(string)
	g.admin(200, "POST", path+"/status", `{"status":"SHADOW"}`)
	status, body := g.sendTool("peer", "tools/call", `,"name":"look","arguments":{"text":"about apollo"}`)
	require.Equal(t, 200, status, body)
	var events []any
	eventually(t, "the shadow policy has judged a call", func() bool {
		status, body := g.sendTool("peer", "tools/call", `,"name":"erase","arguments":{"text":"hello"}`)
		require.Equal(t, 200, status, body)
		events = g.admin(200, "GET", path+"/shadow/events", "")["data"].([]any)
		return len(events) > 0
	})
	first := events[0].(map[string]any)
	for field, want := range map[string]any{
		"model": "mcp/peer/erase", "rule_id": "no-erasing", "active_decision": "ALLOWED", "shadow_decision": "DENIED",
		"divergence_type": "shadow_deny_active_allow", "tenant_id": "default",
	} {
		assert.Equal(t, want, first[field], field)
	}

	code := setupLink.FindStringSubmatch(g.errs.String())
	require.NotNil(t, code, g.errs.String())
	v := visit(t, "http://"+g.findLogLine("the console is served")["listen"].(string))
	v.send("/setup", url.Values{
		"code": {code[1]}, "name": {"Ada"}, "email": {"ada@example.com"}, "password": {"correct horse battery"}, "again": {"correct horse battery"},
	})
	status, text := v.get(path + "/shadow?diverged=on")
	require.Equal(t, 200, status)
	assert.Contains(t, text, "mcp/peer/erase")
	assert.Contains(t, text, "no-erasing")
	status, text = v.get("/requests?shadow=on")
	require.Equal(t, 200, status)
	assert.Contains(t, text, "mcp/peer/look", "the guard in shadow mode would have blocked it")
	assert.NotContains(t, text, "mcp/peer/erase", "no link in shadow mode had anything to say")
	assert.NotContains(t, text, "apollo")
	g.stop()
}
