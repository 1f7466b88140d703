package clients

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// heardBack is an answer as bytes.
type heardBack struct {
	status int
	header http.Header
	body   string
}

// post sends bytes as they are, with the gateway's key.
func post(t *testing.T, addr, path string, header http.Header, body string) heardBack {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+addr+path, bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if r.Header.Get("X-Api-Key") == "" {
		r.Header.Set("Authorization", "Bearer "+gatewayKey)
	}
	r.Header.Set("Content-Type", "application/json")
	return send(t, r)
}

func send(t *testing.T, r *http.Request) heardBack {
	t.Helper()
	c := http.Client{Timeout: patience}
	res, err := c.Do(r)
	require.NoError(t, err)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return heardBack{res.StatusCode, res.Header, string(b)}
}
