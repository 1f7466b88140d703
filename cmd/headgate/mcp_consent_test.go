package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// consentCall is a call of the tool "find" by a client that can ask its user something.
type consentCall struct {
	server, tool, text   string
	capabilities, retry  string // retry holds members of the params
	status               int
	body, state          string
	mode, url, elicitsID string
	message              string
}

// send sends the call and reads the answer.
func (c *consentCall) send(g *gate) *consentCall {
	g.t.Helper()
	text := `{"jsonrpc":"2.0","id":"c-1","method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + c.capabilities +
		`},"name":"` + c.tool + `","arguments":{"text":"` + c.text + `"}` + c.retry + `}}`
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, "http://"+g.addr+"/mcp/"+c.server, strings.NewReader(text))
	require.NoError(g.t, err)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + testKey, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": c.tool,
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(g.t, err)
	b, err := io.ReadAll(res.Body)
	require.NoError(g.t, err)
	require.NoError(g.t, res.Body.Close())
	c.status, c.body = res.StatusCode, string(b)
	var v struct {
		ID     string
		Result struct {
			ResultType    string
			RequestState  string
			InputRequests map[string]struct {
				Method string
				Params struct{ Mode, Message, URL, ElicitationID string }
			}
		}
	}
	require.NoError(g.t, json.Unmarshal(b, &v), c.body)
	asked, ok := v.Result.InputRequests["approval"]
	c.state, c.mode, c.url, c.elicitsID, c.message = v.Result.RequestState, asked.Params.Mode, asked.Params.URL, asked.Params.ElicitationID, asked.Params.Message
	if ok {
		assert.Equal(g.t, []string{"c-1", "input_required", "elicitation/create"}, []string{v.ID, v.Result.ResultType, asked.Method})
	}
	return c
}

// retryWith returns the members of a retry.
func retryWith(state, action string) string {
	return `,"requestState":"` + state + `","inputResponses":{"approval":{"action":"` + action + `"}}`
}

func TestAClientThatCanAskItsUserIsAskedForTheApprovalOfACall(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	url, _ := newToolServer(t)
	s.withTools(url, "")
	g := s.serve("--config", "gateway.yaml")
	policy := g.admin(201, "POST", "/policies", `{"name":"calls","dsl":"rules: [{id: ask, conditions: {tool.name: [find], tool.args: {text: \"jane*\"}},`+
		` action: REQUIRE_APPROVAL, deny_message: Ask first.}]"}`)
	g.admin(200, "POST", "/policies/"+policy["id"].(string)+"/status", `{"status":"ACTIVE"}`)
	const both = `{"elicitation":{"form":{},"url":{}}}`
	call := func(text, capabilities, retry string) *consentCall {
		t.Helper()
		return (&consentCall{server: "peer", tool: "find", text: text, capabilities: capabilities, retry: retry}).send(g)
	}
	eventually(t, "the policy is in force", func() bool { return call("jane", `{}`, "").status == 403 })
	refused := call("jane", `{}`, "")
	assert.Contains(t, refused.body, "approval_required", "a client without elicitation gets the error")

	asked := call("jane", both, "")
	require.Equal(t, 200, asked.status, asked.body)
	assert.Equal(t, "url", asked.mode)
	assert.Regexp(t, `^http://[^ ]+/approvals$`, asked.url)
	assert.NotEmpty(t, asked.state)
	assert.Contains(t, asked.message, "Ask first. This call needs the approval "+asked.elicitsID)
	form := call("jane", `{"elicitation":{}}`, "")
	assert.Equal(t, "form", form.mode)
	assert.Contains(t, form.message, "/approvals")
	assert.Contains(t, form.body, `"requestedSchema":{"type":"object","properties":{}}`)
	pending := g.admin(200, "GET", "/approvals?status=PENDING", "")["data"].([]any)
	require.Len(t, pending, 1, "however often the client is asked")
	assert.Equal(t, pending[0].(map[string]any)["id"], asked.elicitsID)

	again := call("jane", both, retryWith(asked.state, "accept"))
	assert.Equal(t, 403, again.status, "the call is not approved yet: %s", again.body)
	assert.Contains(t, again.body, "the approval "+asked.elicitsID+" of this call is pending")
	for name, c := range map[string]struct {
		text, state, action, code string
		status                    int
	}{
		"with another argument": {"jane2", asked.state, "accept", "invalid_value", 400},
		"declined":              {"jane", asked.state, "decline", "approval_required", 403},
		"canceled":              {"jane", asked.state, "cancel", "approval_required", 403},
	} {
		a := call(c.text, both, retryWith(c.state, c.action))
		assert.Equal(t, c.status, a.status, name)
		assert.Contains(t, a.body, c.code, name)
	}
	own := call("jane", both, retryWith("of-the-server", "accept"))
	assert.Equal(t, 403, own.status, "a turn of the server's own cannot carry both states: %s", own.body)

	g.admin(200, "POST", "/approvals/"+asked.elicitsID+"/approve", `{}`)
	var ran *consentCall
	eventually(t, "the retry runs", func() bool {
		ran = call("jane", both, retryWith(asked.state, "accept"))
		return strings.Contains(ran.body, "found jane")
	})
	assert.Equal(t, 200, ran.status)
	replayed := call("jane", both, retryWith(asked.state, "accept"))
	assert.NotContains(t, replayed.body, "found jane", "it runs once")
	assert.NotEqual(t, asked.elicitsID, replayed.elicitsID, "another approval is asked for")
	assert.Contains(t, call("john", both, "").body, "found john", "the rule is about other arguments")
	g.stop()
	f := s.run("audit", "verify", "--config", "gateway.yaml", "--json")
	assert.Zero(t, f.code, f.err)
}
