package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newPeerAgent starts an agent that speaks 0.3 and echoes what it receives, with the credential.
func newPeerAgent(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"name":"Peer","description":"Says it back.","version":"1","protocolVersion":"0.3.0","url":"http://10.0.0.1/","capabilities":{},`+
			`"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`)
	})
	mux.HandleFunc("POST /{$}", func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			Params struct {
				Message struct{ Parts []struct{ Text string } }
			}
		}
		if r.Header.Get("X-Api-Key") == "" || json.NewDecoder(r.Body).Decode(&m) != nil || len(m.Params.Message.Parts) != 1 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		text, err := json.Marshal("you said " + m.Params.Message.Parts[0].Text)
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"kind":"message","role":"agent","messageId":"m-2","parts":[{"kind":"text","text":`+string(text)+`}]}}`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestAnAgentThatIsARecordServesAtOnceAndUntilItIsRemoved(t *testing.T) {
	t.Parallel()
	s := newHookSite(t)
	url := newPeerAgent(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: pii\n")+
		"agents:\n  filed: {url: \""+url+"\", allow_private: true, headers: {X-Api-Key: in-the-file}}\n"))
	s.env = append(s.env, "HEADGATE_KEY="+testKey)
	g := s.serve("--config", "gateway.yaml")
	call := func(agent string, more ...string) finished {
		return s.run(append([]string{"a2a", "call", agent, "hello", "--url", "http://" + g.addr}, more...)...)
	}
	f := call("filed")
	require.Zero(t, f.code, f.err+f.out)
	assert.Contains(t, f.out, "you said hello")
	assert.Equal(t, 1, call("peer").code, "there is no such agent yet")

	g.admin(201, "POST", "/agents", `{"name":"peer","url":"`+url+`","price_per_call":0.25,"headers":{"X-Api-Key":"of-the-record"}}`)
	eventually(t, "it is served", func() bool { return call("peer").code == 0 })
	agent := g.admin(200, "GET", "/agents/peer", "")
	assert.Equal(t, "ANSWERING", agent["health"])
	assert.InDelta(t, 0.25, agent["spent"], 0)
	assert.Equal(t, "Peer", g.admin(200, "POST", "/agents/peer/check", "")["card"].(map[string]any)["name"])
	g.admin(409, "PUT", "/agents/filed", `{"enabled":false}`)
	g.admin(409, "POST", "/agents", `{"name":"filed","url":"`+url+`"}`)

	g.admin(200, "PUT", "/agents/peer", `{"access":[{"tenants":["nobody"]}]}`)
	eventually(t, "the key is denied access to the agent", func() bool { return call("peer", "--version", "0.3").code == 1 })
	g.admin(200, "PUT", "/agents/peer", `{"access":[],"price_per_call":0.5}`)
	eventually(t, "it may again", func() bool { return call("peer").code == 0 })
	assert.InDelta(t, 0.75, g.admin(200, "GET", "/agents/peer", "")["spent"], 0, "the new price holds, and what is known stays")
	f = s.run("a2a", "list", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Regexp(t, `filed +file +enabled +keep +0 `, f.out)
	assert.Regexp(t, `peer +api +enabled +keep +0\.5 `, f.out)
	f = s.run("a2a", "list", "--json", "--config", "gateway.yaml")
	assert.Contains(t, f.out, `"header_names"`)
	assert.NotContains(t, f.out, "of-the-record")
	for _, name := range []string{"filed", "peer"} {
		f = s.run("a2a", "inspect", name, "--config", "gateway.yaml")
		require.Zero(t, f.code, f.err)
		assert.Contains(t, f.out, `"Says it back."`)
	}
	g.stop()
	g = s.serve("--config", "gateway.yaml")
	assert.Zero(t, call("peer").code, "the database keeps it")
	g.admin(200, "PUT", "/agents/peer", `{"enabled":false}`)
	eventually(t, "it is disabled", func() bool { return call("peer").code == 1 })
	assert.Equal(t, 1, s.run("a2a", "inspect", "peer", "--config", "gateway.yaml").code)
	g.admin(204, "DELETE", "/agents/peer", "")
	g.admin(404, "GET", "/agents/peer", "")
	g.admin(201, "POST", "/agents", `{"name":"peer","url":"`+url+`","headers":{"X-Api-Key":"of-the-record"}}`)
	eventually(t, "a new one of its name serves", func() bool { return call("peer").code == 0 })
	g.admin(204, "DELETE", "/agents/peer", "")
	g.admin(201, "POST", "/agents", `{"name":"peer","url":"`+url+`","access":[{"tenants":["nobody"]}]}`)
	eventually(t, "its successor is another, of the same version", func() bool { return call("peer").code == 1 })
	g.admin(204, "DELETE", "/agents/peer", "")
	assert.Zero(t, call("filed").code)
	g.stop()
}

func TestAStoredAgentMustNotBeAtAPrivateAddress(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: pii\n")))
	g := s.serve("--config", "gateway.yaml")
	for _, url := range []string{"http://agents.example.com/", "https://127.0.0.1/", "https://10.0.0.1/", "https://169.254.169.254/", "https://[::1]/"} {
		g.admin(400, "POST", "/agents", `{"name":"peer","url":"`+url+`"}`)
	}
	g.stop()
}
