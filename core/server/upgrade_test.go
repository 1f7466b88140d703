package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Clients of the Responses API try a WebSocket first. On 426 they stream over HTTP at once; on 405 they try for ten seconds.
func TestAWebSocketThatIsNotWantedIsAnsweredWith426AtOnce(t *testing.T) {
	r := start(t)
	for _, c := range []struct {
		upgrade string
		status  int
	}{{"websocket", 426}, {"WebSocket", 426}, {"", 405}} {
		req, err := http.NewRequest(http.MethodGet, r.url+"/v1/responses", nil)
		require.NoError(t, err)
		if c.upgrade != "" {
			req.Header.Set("Connection", "Upgrade")
			req.Header.Set("Upgrade", c.upgrade)
			req.Header.Set("Sec-Websocket-Version", "13")
			req.Header.Set("Sec-Websocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, c.status, res.StatusCode, c.upgrade)
		if c.upgrade != "" {
			assert.Equal(t, "HTTP/1.1", res.Header.Get("Upgrade"))
		}
	}
}

// SDKs escape the slash in the name of a model.
func TestAnEscapedSlashInTheNameOfAModelIsOne(t *testing.T) {
	r := start(t)
	for path, status := range map[string]int{"/v1/models/a%2Fb": 401, "/v1/models/a/b": 401, "/v1/models/a%2F..%2Fb": 404, "/v1/x%2Fmodels": 404} {
		res, err := http.Get(r.url + path)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, status, res.StatusCode, path)
	}
}
