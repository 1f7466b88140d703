package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// errInvalid is the error of an answer that cannot be translated. It does not contain the answer.
var errInvalid = errors.New("the server's answer cannot be translated to the client's era")

// visitMembers calls f for the members of an object, and reports whether doc is one.
func visitMembers(doc []byte, f func(key string, value []byte)) bool {
	var s splice.Scanner
	s.Reset(doc)
	if s.Kind() != splice.Object || !s.Enter() {
		return false
	}
	for s.Next() {
		key := string(s.Key())
		at := s.Skip()
		if s.Err() != nil {
			return false
		}
		f(key, doc[at.Start:at.End])
	}
	return s.End()
}

// findMember returns the value at a path of members, or nil.
func findMember(doc []byte, path ...string) (value []byte) {
	for _, want := range path {
		value = nil
		if !visitMembers(doc, func(key string, v []byte) {
			if key == want {
				value = v
			}
		}) {
			return nil
		}
		doc = value
	}
	return value
}

// readText returns a JSON string as text, or "" for any other value.
func readText(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	return string(splice.AppendText(nil, value[1:len(value)-1]))
}

// appendMember appends a member to an object that is being written.
func appendMember(dst []byte, key string, value []byte) []byte {
	if len(dst) > 0 && dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(splice.AppendString(dst, key), ':'), value...)
}

// formatRequest writes a request of the gateway's own.
func formatRequest(id, method string, params []byte) []byte {
	b := []byte(`{"jsonrpc":"2.0"`)
	if id != "" {
		b = appendMember(b, "id", splice.AppendString(nil, id))
	}
	b = appendMember(b, "method", splice.AppendString(nil, method))
	if params != nil {
		b = appendMember(b, "params", params)
	}
	return append(b, '}')
}

// formatResponse writes a response to a request.
func formatResponse(id, member string, value []byte) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return append(appendMember(b, member, value), '}')
}

// formatFailure writes an error response.
func formatFailure(id []byte, code int, message string) []byte {
	value := strconv.AppendInt([]byte(`{"code":`), int64(code), 10)
	return formatResponse(string(id), "error", append(appendMember(value, "message", splice.AppendString(nil, message)), '}'))
}

// counter numbers the gateway's own requests: an id must not be used twice in a session.
var counter atomic.Uint64

func newID() string { return "headgate-" + strconv.FormatUint(counter.Add(1), 36) }

// scanMessage reads a message of the gateway's own as one of an era.
func scanMessage(body []byte, era mcp.Era, version string) (*mcp.Call, *core.Exchange, error) {
	x, call := &core.Exchange{}, &mcp.Call{}
	x.Request.Raw, x.Request.Header = body, http.Header{}
	if version != "" {
		x.Request.Header[mcp.HeaderVersion] = []string{version}
	}
	if method := readText(findMember(body, "method")); era == mcp.Modern {
		x.Request.Header[mcp.HeaderMethod] = []string{method}
		for _, path := range [...][]string{{"params", "name"}, {"params", "uri"}} {
			if value := findMember(body, path...); value != nil && method != mcp.MethodComplete {
				x.Request.Header[mcp.HeaderName] = []string{mcp.EncodeHeader(readText(value))}
			}
		}
	}
	if e := call.Scan(x); e != nil {
		return nil, nil, e
	}
	return call, x, nil
}

// sendRequest sends a request of the gateway's own and returns its response, which has been read by the returned call.
func sendRequest(ctx context.Context, up tools.Upstream, m *tools.Message, x *core.Exchange) ([]byte, tools.Head, error) {
	a, err := up.Send(ctx, m)
	if err != nil {
		return nil, tools.Head{}, err
	}
	defer func() { _ = a.Close() }()
	for {
		isLast := !a.Head().Streamed
		data, err := a.Next(ctx, func(data []byte) (bool, error) {
			form, err := m.Call.ReadForm(x, data)
			isLast = form.IsResponse()
			return isLast, err
		})
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, tools.Head{}, err
		}
		if !isLast {
			continue
		}
		x.Response.Status, x.Response.Raw = a.Head().Status, bytes.Clone(data)
		if err := m.Call.ScanResponse(x); err != nil {
			return nil, tools.Head{}, fmt.Errorf("read the response to %s: %w", m.Call.Method, err)
		}
		return x.Response.Raw, a.Head(), nil
	}
}

// fixed is an answer that the gateway gives itself.
type fixed struct {
	head tools.Head
	body []byte // optional
}

// newAcceptedAnswer returns the answer to messages that need no response.
func newAcceptedAnswer() tools.Answer {
	return &fixed{head: tools.Head{Status: http.StatusAccepted, Accepted: true}}
}

// newAnswer returns a response in one piece.
func newAnswer(body []byte) *fixed {
	return &fixed{head: tools.Head{Status: http.StatusOK}, body: body}
}

func (f *fixed) Head() tools.Head { return f.head }

func (f *fixed) Next(_ context.Context, isResponse func([]byte) (bool, error)) ([]byte, error) {
	body := f.body
	if f.body = nil; body == nil {
		return nil, io.EOF
	}
	_, err := isResponse(body)
	return body, err
}

func (f *fixed) Close() error { return nil }
