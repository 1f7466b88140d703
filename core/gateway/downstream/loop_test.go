package downstream

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheLoopDecidesWhoReadsAPlainRequest(t *testing.T) {
	for loop, netHTTP := range loops {
		t.Run(loop, func(t *testing.T) {
			own := make(chan bool, 1)
			s, addr, _ := started(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, ours := w.(*response)
				own <- ours
				assert.NotNil(t, HangupOf(r.Context()), "hang-ups are detected either way")
				_, _ = io.Copy(w, r.Body)
			}), Options{NetHTTP: netHTTP})
			c := dial(t, addr, false)
			for range 2 {
				say(t, c, post("/", "hi"))
				assert.Equal(t, "hi", answered(t, c))
				assert.Equal(t, !netHTTP, <-own)
			}
			require.NoError(t, s.Shutdown(t.Context()))
			assertClosed(t, c)
		})
	}
}
