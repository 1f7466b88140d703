package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// ToLegacy lets modern clients use a legacy server.
type ToLegacy struct {
	server   *tools.Server
	memory   *Memory
	sessions sessions
}

var _ tools.Upstream = (*ToLegacy)(nil)

// NewToLegacy returns the server for modern clients.
func NewToLegacy(s *tools.Server, m *Memory) *ToLegacy { return &ToLegacy{server: s, memory: m} }

// End does nothing: a modern client has no session.
func (*ToLegacy) End(context.Context, string, string) error { return nil }

// Probe returns the era that clients speak.
func (*ToLegacy) Probe(context.Context) (mcp.Era, error) { return mcp.Modern, nil }

// Send sends a modern message to the legacy server.
func (b *ToLegacy) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	if m.Call.Form != mcp.Request {
		return newAcceptedAnswer(), nil // a modern client cancels a call by hanging up
	}
	params := findMember(m.Body, "params")
	if state := readText(findMember(params, "requestState")); state != "" {
		return b.resume(ctx, m, params, state)
	}
	c := readClient(params)
	s, err := b.sessions.get(ctx, b.server.Upstream, m.Principal, c)
	if err != nil {
		return nil, err
	}
	if m.Call.Method == mcp.MethodDiscover {
		b.sessions.release(s)
		return answerDiscover(m, s.result)
	}
	a, err := b.call(ctx, m, params, c, s)
	var status *tools.StatusError
	if errors.As(err, &status) && status.Status == http.StatusNotFound {
		// The server no longer knows the session, so it has not acted on the message.
		b.sessions.drop(s)
		if s, err = b.sessions.get(ctx, b.server.Upstream, m.Principal, c); err != nil {
			return nil, err
		}
		a, err = b.call(ctx, m, params, c, s)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// answerDiscover answers server/discover with the server's result of initialize.
func answerDiscover(m *tools.Message, greeting []byte) (tools.Answer, error) {
	result := appendMember([]byte{'{'}, "supportedVersions", formatVersions())
	for _, name := range [...]string{"capabilities", "instructions"} {
		if value := findMember(greeting, name); value != nil {
			result = appendMember(result, name, value)
		}
	}
	if info := findMember(greeting, "serverInfo"); info != nil {
		result = appendMember(result, "_meta", append(appendMember([]byte{'{'}, metaServer, info), '}'))
	}
	result = convertModernResult(mcp.MethodDiscover, append(result, '}'))
	if result == nil {
		return nil, errInvalid
	}
	return newAnswer(formatResponse(string(m.Call.ID), "result", result)), nil
}

// legacyCall is a call to a legacy server, as a modern client gets its answer.
type legacyCall struct {
	b       *ToLegacy
	inner   tools.Answer
	session *session
	client  client
	method  string
	target  string
	ctx     context.Context // of the call, which outlives the exchange that began it
	keep    func() bool     // detaches the call from the exchange
	end     func()
	reserve func(n int64) error // of the exchange; nil while the call waits
	x       core.Exchange
	call    *mcp.Call // as the server knows it
	id      []byte    // of the client's request
	levels  bool      // the client has asked for messages of the log
	done    bool
	caller  *core.Principal
	asked   string // the server's request that waits: its id as it is spelled
	key     string // of that request in inputRequests
	input   []byte // the response that asks for input, but for its id
}

// call sends a call in a session. It leaves the session when the call ends or cannot be sent.
func (b *ToLegacy) call(ctx context.Context, m *tools.Message, params []byte, c client, s *session) (*turn, error) {
	body := formatRequest(newID(), m.Call.Method, convertLegacyParams(params))
	call, _, err := scanMessage(body, mcp.Legacy, s.version)
	if err != nil {
		b.sessions.release(s)
		return nil, err
	}
	a := &legacyCall{
		b: b, session: s, client: c, method: m.Call.Method, target: m.Call.Target, call: call, caller: m.Principal,
		id: bytes.Clone(m.Call.ID), levels: findMember(params, "_meta", metaLevel) != nil,
	}
	a.reserve = m.Reserve
	var cancel func()
	a.ctx, a.keep, cancel = detachContext(ctx)
	leave := sync.OnceFunc(func() { b.sessions.release(s) })
	a.end = func() {
		cancel()
		leave()
	}
	sent := &tools.Message{Call: call, Body: body, Session: s.id, Reserve: func(n int64) error {
		if a.reserve == nil {
			return nil
		}
		return a.reserve(n)
	}}
	for _, f := range m.Header {
		if !strings.HasPrefix(f.Name, mcp.HeaderParamPrefix) {
			sent.Header = append(sent.Header, f)
		}
	}
	if a.inner, err = b.server.Upstream.Send(a.ctx, sent); err != nil {
		a.keep()
		a.end()
		return nil, err
	}
	return &turn{legacyCall: a}, nil
}

// Head returns what is known before the messages. The client gets no session.
func (a *legacyCall) Head() tools.Head {
	h := a.inner.Head()
	return tools.Head{Status: h.Status, Streamed: h.Streamed}
}

// readNext returns the next message for the client. After one that asks the client for input, the call waits.
func (a *legacyCall) readNext(ctx context.Context) (out []byte, waits bool, err error) {
	for {
		if a.done {
			return nil, false, io.EOF
		}
		form := mcp.Result
		data, err := a.inner.Next(ctx, func(data []byte) (_ bool, err error) {
			form, err = a.call.ReadForm(&a.x, data)
			return form.IsResponse(), err
		})
		if err != nil {
			return nil, false, err
		}
		if !a.inner.Head().Streamed {
			if form, err = a.call.ReadForm(&a.x, data); err != nil {
				return nil, false, err
			}
		}
		if out, err = a.translate(form, data); err != nil || out != nil {
			return out, err == nil && form == mcp.Request, err
		}
	}
}

// translate returns a message of the server as the client gets it; nil if it does not get it.
func (a *legacyCall) translate(form mcp.Form, data []byte) ([]byte, error) {
	switch form {
	case mcp.Notification:
		switch method := readText(findMember(data, "method")); {
		case method == mcp.NoticeProgress, method == mcp.NoticeMessage && a.levels:
			return data, nil
		}
		return nil, nil
	case mcp.Request:
		return a.relayQuestion(bytes.Clone(data))
	case mcp.Failure:
		a.done = true
		return formatResponse(string(a.id), "error", findMember(data, "error")), nil
	}
	a.done = true
	if !bytes.Equal(findMember(data, "id"), a.call.ID) {
		return nil, errInvalid
	}
	result := convertModernResult(a.method, findMember(data, "result"))
	if result == nil {
		return nil, errInvalid
	}
	return formatResponse(string(a.id), "result", result), nil
}
