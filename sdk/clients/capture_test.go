package clients

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net/http"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// capture notes the bytes that a client sends and receives.
type capture struct {
	mu       sync.Mutex
	sent     []byte
	received bytes.Buffer
	header   http.Header
}

var _ http.RoundTripper = (*capture)(nil)

func (c *capture) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = nil
	c.received.Reset()
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
		c.sent = b
		r.Body = io.NopCloser(bytes.NewReader(b))
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	c.header = res.Header
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(res.Body, &c.received), res.Body}
	return res, nil
}

// official makes OpenAI's client for the gateway at addr. It does not retry, so
// that what it sent last is what was answered.
func official(addr, key string) (openai.Client, *capture) {
	c := new(capture)
	return openai.NewClient(
		option.WithBaseURL("http://"+addr+"/v1/"), option.WithAPIKey(key), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: c, Timeout: patience}),
	), c
}

func hash(b []byte) [32]byte { return sha256.Sum256(b) }
