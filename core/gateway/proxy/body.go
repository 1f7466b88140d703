package proxy

import (
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
)

// maxTrace is the longest trace id accepted from a client.
const maxTrace = 128

// identify returns a new exchange id, and the trace id: the client's, without unsafe characters, or the exchange id.
func identify(h http.Header) (id, trace string) {
	var b [16]byte
	for i := range 2 {
		n := rand.Uint64()
		for k := range 8 {
			b[8*i+k] = byte(n >> (8 * k))
		}
	}
	id = hex.EncodeToString(b[:])
	if v := h["X-Trace-Id"]; len(v) > 0 {
		if trace = sanitizeTrace(v[0]); trace != "" {
			return id, trace
		}
	}
	return id, id
}

func sanitizeTrace(s string) string {
	ok := len(s) <= maxTrace
	for i := 0; i < len(s) && ok; i++ {
		ok = traceByte(s[i])
	}
	if ok {
		return s
	}
	b := make([]byte, 0, maxTrace)
	for i := 0; i < len(s) && len(b) < maxTrace; i++ {
		if traceByte(s[i]) {
			b = append(b, s[i])
		}
	}
	return string(b)
}

func traceByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == ':'
}

// readBody reads the request body into the call's buffer.
func (c *call) readBody() *core.Error {
	if e := c.r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeUnsupported,
			Public: "compressed request bodies are not supported; send the JSON without Content-Encoding",
		}
	}
	h := c.hangup
	if h == nil || c.r.ContentLength == 0 {
		return c.readWithin()
	}
	h.AwaitBody()
	e := c.readWithin()
	if !h.FinishBody() {
		c.w.Header()["Connection"] = []string{"close"} // nobody reads the rest
		e = slowBodyError(os.ErrDeadlineExceeded)
	}
	return e
}

func (c *call) readWithin() *core.Error {
	limit := c.snap.MaxBody
	if c.r.ContentLength > limit {
		return bodyTooLarge(limit)
	}
	if n := c.r.ContentLength; n >= 0 {
		c.body = scratch.Grow(c.body, int(n))[:n]
		if _, err := io.ReadFull(c.r.Body, c.body); err != nil {
			return bodyError(err)
		}
		return nil
	}
	buf, err := readAll(c.body, io.LimitReader(c.r.Body, limit+1))
	c.body = buf
	switch {
	case err != nil:
		return bodyError(err)
	case int64(len(buf)) > limit:
		return bodyTooLarge(limit)
	}
	return nil
}

func bodyTooLarge(limit int64) *core.Error {
	return &core.Error{
		Kind: core.TooLarge, Code: core.CodeTooLarge,
		Public: "the request body is larger than " + strconv.FormatInt(limit, 10) + " bytes",
	}
}

func bodyError(err error) *core.Error {
	if e := slowBodyError(err); e != nil {
		return e
	}
	var e *http.MaxBytesError
	if errors.As(err, &e) {
		return bodyTooLarge(e.Limit)
	}
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Err: err,
		Public: "the request body ended before all of it had arrived",
	}
}

// readAll reads r to its end, into b.
func readAll(b []byte, r io.Reader) ([]byte, error) {
	b = b[:0]
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}

// Trace returns the trace id for an answer outside of an exchange.
func Trace(h http.Header) string {
	_, trace := identify(h)
	return trace
}
