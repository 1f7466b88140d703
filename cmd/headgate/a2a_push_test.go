package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnAgentThatIsARecordNotifiesRegisteredAddressesOnly(t *testing.T) {
	t.Parallel()
	received := make(chan string, 1)
	client := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- r.URL.Path + " " + string(body)
	}))
	t.Cleanup(client.Close)
	asked := make(chan string, 1) // the address that the agent is to notify
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			Params struct {
				Configuration struct {
					PushNotificationConfig struct {
						URL string `json:"url"`
					} `json:"pushNotificationConfig"`
				} `json:"configuration"`
			} `json:"params"`
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		asked <- m.Params.Configuration.PushNotificationConfig.URL
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":7,"result":{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"working"}}}`)
	}))
	t.Cleanup(agent.Close)
	s := newHookSite(t)
	s.write("gateway.yaml", []byte(strings.Replace(configText("", "  - stage: pii\n"), "server: {", "server: {public_url: \"https://gateway.example.com\", ", 1)))
	g := s.serve("--config", "gateway.yaml")
	send := func(address string) answered {
		body := `{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"configuration":{"pushNotificationConfig":{"url":"` + address + `"}},` +
			`"message":{"kind":"message","role":"user","messageId":"m","parts":[{"kind":"text","text":"x"}]}}}`
		a, err := g.client(testKey).do("POST", "/a2a/peer", []byte(body))
		require.NoError(t, err)
		return answered{a.status, a.body}
	}
	g.admin(400, "POST", "/agents", `{"name":"peer","url":"`+agent.URL+`","push_to":["`+client.URL+`/?q"]}`)
	g.admin(201, "POST", "/agents", `{"name":"peer","url":"`+agent.URL+`"}`)
	eventually(t, "it is served, and notifies nobody", func() bool { return strings.Contains(send(client.URL+"/hook/a").body, "-32003") })
	g.admin(200, "PUT", "/agents/peer", `{"push_to":["`+client.URL+`/hook"]}`)
	var at string
	eventually(t, "the registered address counts", func() bool {
		if send(client.URL+"/hook/a").status != http.StatusOK {
			return false
		}
		select {
		case at = <-asked:
			return true
		default:
			return false
		}
	})
	assert.NotContains(t, at, client.URL, "the agent does not learn the client's address")
	refused := send(client.URL + "/elsewhere")
	assert.NotContains(t, refused.body, `"result"`, refused.body)

	u, err := url.Parse(at)
	require.NoError(t, err)
	a, err := g.client("").do("POST", u.Path, []byte(`{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"completed"}}`))
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, a.status, a.body)
	assert.Contains(t, <-received, "/hook/a {")
	g.stop()
}

// answered is the status and the body of an answer.
type answered struct {
	status int
	body   string
}
