package proxy

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/gateway/downstream"
)

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
		return c.readLimitedBody()
	}
	h.StartBodyTimeout()
	e := c.readLimitedBody()
	if !h.FinishBody() {
		c.w.Header()["Connection"] = []string{"close"} // the rest of the body is not read
		e = convertSlowBodyError(os.ErrDeadlineExceeded)
	}
	return e
}

func (c *call) readLimitedBody() *core.Error {
	limit := c.snap.MaxBody
	if c.r.ContentLength > limit {
		return newTooLargeError(limit)
	}
	if n := c.r.ContentLength; n >= 0 {
		c.body = scratch.Grow(c.body, int(n))[:n]
		if _, err := io.ReadFull(c.r.Body, c.body); err != nil {
			return convertBodyError(err)
		}
		return nil
	}
	buf, err := readAll(c.body, io.LimitReader(c.r.Body, limit+1))
	c.body = buf
	switch {
	case err != nil:
		return convertBodyError(err)
	case int64(len(buf)) > limit:
		return newTooLargeError(limit)
	}
	return nil
}

func newTooLargeError(limit int64) *core.Error {
	return &core.Error{
		Kind: core.TooLarge, Code: core.CodeTooLarge,
		Public: "the request body is larger than " + strconv.FormatInt(limit, 10) + " bytes",
	}
}

func convertBodyError(err error) *core.Error {
	if e := convertSlowBodyError(err); e != nil {
		return e
	}
	var e *http.MaxBytesError
	if errors.As(err, &e) {
		return newTooLargeError(e.Limit)
	}
	if why := downstream.FramingError(""); errors.As(err, &why) {
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Err: err,
			Public: "the request body is malformed: " + why.Error(),
		}
	}
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Err: err,
		Public: "the request body ended before all of it had arrived",
	}
}

// convertSlowBodyError returns the error of a body that timed out, or nil if err is another.
func convertSlowBodyError(err error) *core.Error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return &core.Error{
		Kind: core.InvalidRequest, Status: http.StatusRequestTimeout, Code: core.CodeRequestTimeout, Err: err,
		Public: "the request body arrived too slowly; send it without pauses",
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
