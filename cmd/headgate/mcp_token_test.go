package main_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newGuardedServer starts an MCP server that accepts one bearer token. Its tool "find" returns its argument, and with the
// argument "leak" the token. keys counts requests that carried a key of the gateway.
func newGuardedServer(t *testing.T, accepted *atomic.Value, keys *atomic.Int32) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	type input struct {
		Text string `json:"text"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "find"}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		text := "found " + in.Text
		if in.Text == "leak" {
			text = accepted.Load().(string)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, values := range r.Header {
			if strings.Contains(strings.Join(values, " "), testKey) {
				keys.Add(1)
			}
		}
		if r.Header.Get("Authorization") != "Bearer "+accepted.Load().(string) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestAServerIsCalledWithATokenThatIsExchangedForIt(t *testing.T) {
	t.Parallel()
	const subject, secret, issued = "subject-token-of-the-gateway", "client-secret-of-the-gateway", "issued-token-for-the-server"
	var accepted atomic.Value
	var keys, exchanges atomic.Int32
	accepted.Store(issued)
	refuses := new(atomic.Bool)
	refuses.Store(true)
	idp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, password, _ := r.BasicAuth()
		assert.NoError(t, r.ParseForm())
		assert.Equal(t, []string{"headgate", secret, subject, "urn:ietf:params:oauth:grant-type:token-exchange", "crm"},
			[]string{id, password, r.PostForm.Get("subject_token"), r.PostForm.Get("grant_type"), r.PostForm.Get("audience")})
		w.Header().Set("Content-Type", "application/json")
		if refuses.Load() {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_target","error_description":"` + subject + `"}`))
			return
		}
		exchanges.Add(1)
		_, _ = w.Write([]byte(`{"access_token":"` + issued + `","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":3600}`))
	}))
	t.Cleanup(idp.Close)
	s := newSite(t)
	s.write("subject", []byte(subject+"\n"))
	s.write("gateway.yaml", []byte(configText("", "  - stage: pii\n")+"mcp_servers:\n  peer:\n    url: \""+newGuardedServer(t, &accepted, &keys)+
		"\"\n    allow_private: true\n    token_exchange: {url: \""+idp.URL+"/token\", client_id: headgate, client_secret: "+secret+
		", subject_token_file: "+s.path("subject")+", audience: crm}\n"))
	g := s.serve("--config", "gateway.yaml")
	call := func(text string) (int, string) {
		return g.sendTool("peer", "tools/call", `,"name":"find","arguments":{"text":"`+text+`"}`)
	}
	status, body := call("jane")
	assert.Equal(t, http.StatusBadGateway, status, body)
	assert.Contains(t, body, "could not obtain an access token")
	refuses.Store(false)
	eventually(t, "the token is exchanged", func() bool { return g.callsFind("peer", "find") })
	require.True(t, g.callsFind("peer", "find"))
	assert.EqualValues(t, 1, exchanges.Load(), "a valid token is kept")
	status, leaked := call("leak")
	assert.NotEqual(t, http.StatusOK, status)
	assert.NotContains(t, leaked, issued, "an answer must not repeat the token")
	assert.Zero(t, keys.Load(), "the client's key is not passed on")
	g.stop()
	for _, never := range []string{subject, secret, issued} {
		assert.NotContains(t, body+g.out.String()+g.errs.String(), never)
	}
}
