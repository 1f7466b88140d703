package contract_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// blank is a server that answers 200 {} to everything, in place of each variant of the gateway.
type blank struct{ url string }

func onBlank(t *testing.T) place {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}")) // if the client has disconnected, nothing reads the answer
	}))
	t.Cleanup(s.Close)
	return blank{s.URL}
}

func (b blank) gateway(judge, string) *gateway { return &gateway{base: b.url, blank: true} }
func (blank) findSent(string) m                { return nil }
func (blank) issuer() *issuer                  { return nil }
func (blank) patience() time.Duration          { return 0 }
