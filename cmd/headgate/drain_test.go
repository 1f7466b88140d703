package main_test

import (
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestADrainingGatewayIsUnreadyAndServes(t *testing.T) {
	for _, loop := range []string{"fast", "net/http"} {
		t.Run(loop, func(t *testing.T) {
			s := newSite(t)
			s.write("gateway.yaml", []byte(`server: {listen: 127.0.0.1:0, metrics_listen: 127.0.0.1:0, drain_delay: 1h, loop: `+loop+`}
providers: {mock: {prefix: true}}
tenants:
  - {id: default, keys: [{name: dev, key: `+testKey+`, scopes: []}]}
chain: []
`))
			g := s.serve("--config", "gateway.yaml")
			ready := func() *http.Response {
				res, err := http.Get("http://" + g.addr + "/readyz")
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
				return res
			}
			assert.Equal(t, http.StatusOK, ready().StatusCode)
			g.signal(syscall.SIGTERM)
			eventually(t, "the gateway is unready", func() bool { return ready().StatusCode == http.StatusServiceUnavailable })
			assert.True(t, ready().Close)
			a, err := g.client(testKey).do("POST", "/v1/chat/completions", []byte(`{"model":"mock/x","messages":[{"role":"user","content":"hi"}]}`))
			require.NoError(t, err)
			assert.Equal(t, http.StatusOK, a.status)
			g.signal(os.Interrupt) // a second signal ends the delay
			<-g.ended
		})
	}
}
