package clients

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// token is what the gateway sends in a card number's place.
var token = regexp.MustCompile(`\{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}`)

// provider replays transcripts and notes what it was sent.
type provider struct {
	*httptest.Server
	mu     sync.Mutex
	file   string                        // the transcript of the next answers
	status int                           // 0: 200
	edit   func(text, tok string) string // puts the placeholder in
	chop   bool                          // sends single bytes
	body   []byte                        // of the last request
	header http.Header
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

// putToken puts the placeholder where the transcript says CARD.
func putToken(text, tok string) string { return strings.ReplaceAll(text, "CARD", tok) }

// split cuts the placeholder between two events, after n bytes.
func split(n int) func(text, tok string) string {
	return func(text, tok string) string {
		n := min(n, len(tok))
		return strings.Replace(strings.Replace(text, "HEAD", tok[:n], 1), "TAIL", tok[n:], 1)
	}
}

// play sets what is answered from now on.
func (p *provider) play(file string, status int, edit func(text, tok string) string, chop bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file, p.status, p.edit, p.chop = file, status, edit, chop
}

// readReceived is the last request's body and header.
func (p *provider) readReceived() ([]byte, http.Header) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.body, p.header
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.body, p.header = body, r.Header.Clone()
	file, status, edit, chop := p.file, p.status, p.edit, p.chop
	p.mu.Unlock()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	out := edit(string(text), string(token.Find(body)))
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(file, ".sse") {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	}
	w.Header().Set("X-Request-Id", "req_123")
	if status != 0 {
		w.WriteHeader(status)
	}
	if !chop {
		_, _ = io.WriteString(w, out) // the client may have left
		return
	}
	for i := range len(out) {
		if _, err := io.WriteString(w, out[i:i+1]); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
}

func TestTranscriptsAreThere(t *testing.T) {
	for _, f := range []string{"whole.json", "tools.json", "stream.sse", "tools.sse", "error_400.json", "error_401.json", "error_429.json"} {
		b, err := os.ReadFile(filepath.Join("testdata", f))
		require.NoError(t, err)
		require.NotEmpty(t, b, f)
	}
}
