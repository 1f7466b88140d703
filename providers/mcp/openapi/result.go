package openapi

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// maxError is how much of an API's error the model receives, in bytes.
const maxError = 4 << 10

// buildResult returns the result of a call. An API error that concerns the gateway, such as its credentials, becomes an error
// that quotes nothing of the answer. An API error about the arguments becomes a result with the API's text, so that a model
// can act on it.
func (v *Server) buildResult(resp *upstream.Response, reserve func(n int64) error) ([]byte, error) {
	switch s := resp.Status; {
	case s >= 200 && s < 300:
	case s < 400, s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusProxyAuthRequired,
		s == http.StatusTooManyRequests, s >= 500:
		return nil, newStatusError(resp)
	}
	if e := resp.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, mcp.ErrEncoding
	}
	failed := resp.Status >= 400
	kind, _, _ := mime.ParseMediaType(resp.Get("Content-Type"))
	body, err := readAll(resp.Body, v.set.MaxAnswer, reserve)
	if err != nil {
		return nil, err
	}
	if err := v.guard.Check(body); err != nil {
		return nil, err
	}
	b := []byte(`{"resultType":"complete","content":[`)
	isText := strings.HasPrefix(kind, "text/") || chooseForm(kind) == bodyJSON || strings.HasSuffix(kind, "+xml") || kind == "application/xml"
	switch picture, _, _ := strings.Cut(kind, "/"); {
	case failed:
		b = appendText(b, describeFailure(resp.Status, body, isText))
		return append(b, `],"isError":true}`...), nil
	case len(body) == 0:
		return append(appendText(b, "done, without content"), "]}"...), nil
	case isText && utf8.Valid(body):
		b = append(appendText(b, string(body)), ']')
		if chooseForm(kind) == bodyJSON {
			b = appendStructured(b, body)
		}
		return append(b, '}'), nil
	case picture == "image" || picture == "audio":
		b = append(splice.AppendString(append(b, `{"type":`...), picture), `,"mimeType":`...)
		b = append(splice.AppendString(b, kind), `,"data":"`...)
		return append(base64.StdEncoding.AppendEncode(b, body), `"}]}`...), nil
	}
	b = appendText(b, "the API answered with content that is neither text nor a picture nor sound")
	return append(b, `],"isError":true}`...), nil
}

func appendText(dst []byte, text string) []byte {
	return append(splice.AppendString(append(dst, `{"type":"text","text":`...), text), '}')
}

// appendStructured appends JSON as structured content. That must be an object, so another value becomes its member
// `result`. Anything but JSON stays text.
func appendStructured(dst, body []byte) []byte {
	var s splice.Scanner
	s.Reset(body)
	kind := s.Kind()
	at := s.Skip()
	if !s.End() {
		return dst
	}
	value := body[at.Start:at.End]
	dst = append(dst, `,"structuredContent":`...)
	if kind == splice.Object {
		return append(dst, value...)
	}
	return append(append(append(dst, `{"result":`...), value...), '}')
}

// describeFailure returns the API's error about arguments that it refused.
func describeFailure(status int, body []byte, isText bool) string {
	text := "the API answered with the status " + strconv.Itoa(status)
	if !isText || len(body) == 0 || !utf8.Valid(body) {
		return text
	}
	if len(body) > maxError {
		body = append(body[:maxError:maxError], "…"...)
	}
	return text + ":\n" + strings.ToValidUTF8(string(body), "")
}

func newStatusError(resp *upstream.Response) error {
	e := &tools.StatusError{Status: resp.Status}
	if s, err := strconv.Atoi(resp.Get("Retry-After")); err == nil && s > 0 && s <= 24*3600 {
		e.RetryAfter = time.Duration(s) * time.Second
	}
	return e
}

// readAll reads a body of at most limit bytes. It reserves the memory of the whole result, which contains the body twice.
func readAll(body io.Reader, limit int, reserve func(n int64) error) ([]byte, error) {
	const piece = 16 << 10
	var out []byte
	for {
		if reserve != nil {
			if err := reserve(int64(3 * (len(out) + piece))); err != nil {
				return nil, err
			}
		}
		if cap(out)-len(out) < piece/2 {
			out = append(make([]byte, 0, 2*cap(out)+piece), out...)
		}
		n, err := body.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case len(out) > limit:
			return nil, mcp.ErrTooLarge
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
	}
}
