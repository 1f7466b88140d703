package main_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
)

// newUserServer starts a server of the legacy era that answers with the user of its bearer token, and notes in which sessions
// each token was used.
func newUserServer(t *testing.T, stateless bool, sessions *sync.Map) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	type input struct {
		Text string `json:"text"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "find"}, func(_ context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		who := strings.TrimPrefix(r.Extra.Header.Get("Authorization"), "Bearer issued-token-for-")
		if in.Text == "leak" {
			who = r.Extra.Header.Get("Authorization")
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "found by " + who}}}, nil, nil
	})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: stateless})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-User-Token") != "" || !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer issued-token-for-") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			if before, loaded := sessions.LoadOrStore(id, r.Header.Get("Authorization")); loaded && before != r.Header.Get("Authorization") {
				w.WriteHeader(http.StatusTeapot) // a session that another user has opened
				return
			}
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// newUserToken returns a JWT of a user that expires at a time. The test's token endpoint does not check its signature.
func newUserToken(user string, expires time.Time) string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"none"}`) + "." + part(fmt.Sprintf(`{"sub":%q,"exp":%d}`, user, expires.Unix())) + ".c2ln"
}

func TestEachUserHasATokenOfItsOwnAtAServer(t *testing.T) {
	t.Parallel()
	for name, stateless := range map[string]bool{"modern": true, "legacy": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			exchanged := map[string]int{}
			idp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.NoError(t, r.ParseForm())
				parts := strings.Split(r.PostForm.Get("subject_token"), ".")
				w.Header().Set("Content-Type", "application/json")
				claims, err := base64.RawURLEncoding.DecodeString(parts[min(1, len(parts)-1)])
				_, user, _ := strings.Cut(string(claims), `"sub":"`)
				user, _, _ = strings.Cut(user, `"`)
				if err != nil || user == "" || user == "mallory" {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
					return
				}
				mu.Lock()
				exchanged[user]++
				mu.Unlock()
				_, _ = w.Write([]byte(`{"access_token":"issued-token-for-` + user + `","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":3600}`))
			}))
			t.Cleanup(idp.Close)
			s := newSite(t)
			s.write("gateway.yaml", []byte(configText("", "  - stage: pii\n")+"mcp_servers:\n  peer:\n    url: \""+newUserServer(t, stateless, new(sync.Map))+
				"\"\n    allow_private: true\n    token_exchange: {url: \""+idp.URL+"/token\", subject: user}\n"))
			g := s.serve("--config", "gateway.yaml")
			call := func(token, text string) (int, string) {
				return g.sendToolAs(token, "peer", "tools/call", `,"name":"find","arguments":{"text":"`+text+`"}`)
			}
			later := time.Now().Add(time.Hour)
			ann, bob := newUserToken("ann", later), newUserToken("bob", later)
			for range 3 {
				for user, token := range map[string]string{"ann": ann, "bob": bob} {
					status, body := call(token, "x")
					assert.Equal(t, http.StatusOK, status, body)
					assert.Contains(t, body, "found by "+user)
				}
			}
			mu.Lock()
			assert.Equal(t, map[string]int{"ann": 1, "bob": 1}, exchanged, "one exchange for each user")
			mu.Unlock()
			for what, c := range map[string]struct {
				token  string
				status int
			}{
				"no token":             {"", http.StatusBadRequest},
				"an expired one":       {newUserToken("ann", time.Now().Add(-time.Minute)), http.StatusBadRequest},
				"one that is refused":  {newUserToken("mallory", later), http.StatusBadGateway},
				"one that is no token": {"a b", http.StatusBadRequest},
				"a text":               {"not-a-jwt", http.StatusBadGateway},
			} {
				status, body := call(c.token, "x")
				assert.Equal(t, c.status, status, "%s: %s", what, body)
				assert.NotContains(t, body, "found", what)
			}
			status, body := call(ann, "leak")
			assert.NotEqual(t, http.StatusOK, status)
			assert.NotContains(t, body, "issued-token")
			g.stop()
			for _, never := range []string{ann, bob, "issued-token"} {
				assert.NotContains(t, g.out.String()+g.errs.String(), never)
			}
		})
	}
}
