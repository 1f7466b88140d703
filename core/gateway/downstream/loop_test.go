package downstream

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheLoopDecidesWhoReadsAPlainRequest(t *testing.T) {
	for _, secure := range []bool{false, true} {
		for loop, netHTTP := range loops {
			testLoop(t, fmt.Sprintf("%s, TLS %t", loop, secure), netHTTP, secure)
		}
	}
}

func testLoop(t *testing.T, name string, netHTTP, secure bool) {
	t.Run(name, func(t *testing.T) {
		own := make(chan bool, 1)
		s, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, ours := w.(*response)
			own <- ours
			assert.Equal(t, secure && netHTTP, FindHangup(r.Context()) == nil, "hang-ups are detected; by net/http's own context over TLS")
			assert.Equal(t, secure, r.TLS != nil && r.TLS.HandshakeComplete)
			_, _ = io.Copy(w, r.Body)
		}), Options{NetHTTP: netHTTP, TLS: certifiedIf(t, secure)})
		c := dial(t, addr, secure)
		for range 2 {
			say(t, c, post("/", "hi"))
			assert.Equal(t, "hi", readAnswer(t, c))
			assert.Equal(t, !netHTTP, <-own)
		}
		require.NoError(t, s.Shutdown(t.Context()))
		assertClosed(t, c)
	})
}
