package node

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnEndpointForTokensPassesTheGuardOfAddresses(t *testing.T) {
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	named := strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	for _, address := range []string{srv.URL, named} {
		res, err := newExchangeClient(false).Post(address, "text/plain", strings.NewReader("secret"))
		if err == nil {
			_ = res.Body.Close()
		}
		require.Error(t, err, address)
	}
	assert.Zero(t, asked)
	res, err := newExchangeClient(true).Post(srv.URL, "text/plain", strings.NewReader("secret"))
	require.NoError(t, err)
	_ = res.Body.Close()
	assert.Equal(t, http.StatusTemporaryRedirect, res.StatusCode)
	assert.Equal(t, 1, asked, "the secret does not follow a redirect")
}
