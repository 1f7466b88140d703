package bridge

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// ToModern lets legacy clients use what modern clients can use.
type ToModern struct {
	modern tools.Upstream
	memory *Memory
}

var _ tools.Upstream = (*ToModern)(nil)

// NewToModern returns a server for legacy clients.
func NewToModern(modern tools.Upstream, m *Memory) *ToModern {
	return &ToModern{modern: modern, memory: m}
}

// End does nothing: the gateway keeps no state of a session.
func (*ToModern) End(context.Context, string, string) error { return nil }

// Probe returns the era that clients speak.
func (*ToModern) Probe(context.Context) (mcp.Era, error) { return mcp.Legacy, nil }

// Send sends a legacy message to the modern server.
func (b *ToModern) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	switch m.Call.Form {
	case mcp.Result, mcp.Failure:
		return b.deliver(m)
	case mcp.Notification:
		return newAcceptedAnswer(), nil // a server without sessions has no use for it
	}
	switch m.Call.Method {
	case mcp.MethodInitialize:
		return b.answerInitialize(ctx, m)
	case mcp.MethodPing:
		return newAnswer(formatResponse(string(m.Call.ID), "result", []byte(`{}`))), nil
	case mcp.MethodSetLevel:
		return newAnswer(formatFailure(m.Call.ID, -32601, "the server takes the level of its log with each request, which this client cannot send")), nil
	}
	c := client{}.normalize()
	if isToken(m.Session) {
		c = parseToken(m.Session)
	}
	if m.Call.Method == mcp.MethodSubscribe || m.Call.Method == mcp.MethodUnsubscribe {
		return b.answerSubscribe(ctx, m, c)
	}
	a := &modernCall{b: b, m: m, client: c, params: findMember(m.Body, "params")}
	return a, a.send(ctx, nil)
}

// answerInitialize answers initialize with the server's description of itself.
func (b *ToModern) answerInitialize(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	params := findMember(m.Body, "params")
	c := client{info: findMember(params, "clientInfo"), capabilities: findMember(params, "capabilities")}.normalize()
	data, err := b.discover(ctx, m, c)
	if err != nil {
		return nil, err
	}
	found := findMember(data, "result")
	if found == nil {
		return newAnswer(formatResponse(string(m.Call.ID), "error", findMember(data, "error"))), nil
	}
	version := m.Call.Version
	if era, ok := mcp.FindEra(version); !ok || era != mcp.Legacy {
		version = mcp.LegacyVersion
	}
	info := findMember(found, "_meta", metaServer)
	if info == nil {
		info = []byte(ownInfo)
	}
	result := appendMember([]byte{'{'}, "protocolVersion", splice.AppendString(nil, version))
	result = appendMember(result, "capabilities", dropLogging(findMember(found, "capabilities")))
	result = appendMember(result, "serverInfo", info)
	if text := findMember(found, "instructions"); text != nil {
		result = appendMember(result, "instructions", text)
	}
	a := newAnswer(formatResponse(string(m.Call.ID), "result", append(result, '}')))
	a.head.Session = c.makeToken(rand.Text())
	return a, nil
}

// discover asks the server for its description of itself, and returns the response.
func (b *ToModern) discover(ctx context.Context, m *tools.Message, c client) ([]byte, error) {
	body := formatRequest(newID(), mcp.MethodDiscover, convertModernParams(nil, c, nil))
	call, x, err := scanMessage(body, mcp.Modern, mcp.ModernVersion)
	if err != nil {
		return nil, err
	}
	data, _, err := sendRequest(ctx, b.modern, &tools.Message{
		Call: call, Body: body, Header: m.Header, Reserve: m.Reserve, Principal: m.Principal,
	}, x)
	return data, err
}

// dropLogging returns the capabilities of a server without the one to set its log level.
func dropLogging(capabilities []byte) []byte {
	out := []byte{'{'}
	visitMembers(capabilities, func(key string, value []byte) {
		if key != "logging" {
			out = appendMember(out, key, value)
		}
	})
	return append(out, '}')
}

// deliver hands a client's answer to the call that waits for it.
func (b *ToModern) deliver(m *tools.Message) (tools.Answer, error) {
	owner, id := formatOwner(m.Principal), readText(m.Call.ID)
	q, ok := b.memory.find(owner, id).(*question)
	if !ok || q.asker != b || b.memory.pop(owner, id) == nil { // one server's question is not answered at another
		return nil, &core.Error{
			Kind: core.InvalidRequest, Code: mcp.CodeInvalidMessage, Param: "id",
			Public: "no call of this key waits for an answer with this id on this node",
		}
	}
	q.answers <- given{key: q.key, result: bytes.Clone(findMember(m.Body, "result")), method: q.method}
	return newAcceptedAnswer(), nil
}

// question is a server's question in a call that waits for the client's answer.
type question struct {
	asker       *ToModern // of the server itself, also where a virtual one has it as a member
	key, method string
	answers     chan<- given // never full
}

// given is a client's answer to a question; a nil result is an error.
type given struct {
	key, method string
	result      []byte
}

// maxRounds limits how often one call may ask.
const maxRounds = 10

// modernCall is a call to a modern server, as a legacy client gets its answer.
type modernCall struct {
	b      *ToModern
	m      *tools.Message
	client client
	params []byte
	inner  tools.Answer
	call   *mcp.Call
	x      core.Exchange
	status int // of the first answer
	rounds int
	done   bool

	asked   [][]byte // requests that the client has not been sent yet
	ids     []string // of the questions that wait
	answers chan given
	waiting int
	state   []byte // requestState of the server
}

// send sends the request, with the client's answers if there are any.
func (a *modernCall) send(ctx context.Context, added map[string][]byte) error {
	body := appendMember([]byte(`{"jsonrpc":"2.0"`), "id", a.m.Call.ID)
	body = appendMember(body, "method", splice.AppendString(nil, a.m.Call.Method))
	body = append(appendMember(body, "params", convertModernParams(a.params, a.client, added)), '}')
	call, _, err := scanMessage(body, mcp.Modern, mcp.ModernVersion)
	if err != nil {
		return err
	}
	a.call = call
	a.inner, err = a.b.modern.Send(ctx, &tools.Message{
		Call: call, Body: body, Header: a.m.Header, Reserve: a.m.Reserve, Principal: a.m.Principal,
	})
	if err == nil && a.status == 0 {
		a.status = a.inner.Head().Status
	}
	return err
}

// Head returns what is known before the messages. The server may always ask something first.
func (a *modernCall) Head() tools.Head {
	return tools.Head{Status: a.status, Streamed: true, Session: a.m.Session}
}

// Next returns the next message for the client.
func (a *modernCall) Next(ctx context.Context, isResponse func([]byte) (bool, error)) ([]byte, error) {
	for !a.done {
		if len(a.asked) > 0 {
			out := a.asked[0]
			a.asked = a.asked[1:]
			_, err := isResponse(out)
			return out, err
		}
		if a.inner == nil {
			if err := a.resume(ctx); err != nil {
				return nil, err
			}
		}
		form := mcp.Result
		data, err := a.inner.Next(ctx, func(data []byte) (_ bool, err error) {
			form, err = a.call.ReadForm(&a.x, data)
			return form.IsResponse(), err
		})
		if err != nil {
			return nil, err
		}
		if form == mcp.Result && readText(findMember(data, "result", "resultType")) == "input_required" {
			if err := a.ask(bytes.Clone(findMember(data, "result"))); err != nil {
				return nil, err
			}
			continue
		}
		a.done = form.IsResponse() || !a.inner.Head().Streamed
		_, err = isResponse(data)
		return data, err
	}
	return nil, io.EOF
}

// ask turns a request for input into requests to the client.
func (a *modernCall) ask(result []byte) error {
	if a.rounds++; a.rounds > maxRounds {
		return errInvalid
	}
	_ = a.inner.Close()
	a.inner, a.state = nil, findMember(result, "requestState")
	var asked []question
	var params [][]byte
	visitMembers(findMember(result, "inputRequests"), func(key string, value []byte) {
		asked = append(asked, question{asker: a.b, key: key, method: readText(findMember(value, "method"))})
		params = append(params, findMember(value, "params"))
	})
	answers := make(chan given, len(asked))
	a.answers, a.waiting = answers, len(asked)
	for i := range asked {
		q := &asked[i]
		if !a.client.supports(q.method) {
			return errInvalid // the server was told
		}
		q.answers = answers
		id, ok := a.b.memory.put(formatOwner(a.m.Principal), q, func() { answers <- given{key: q.key, method: q.method} })
		if !ok {
			return newTooManyWaitingError()
		}
		a.ids = append(a.ids, id)
		a.asked = append(a.asked, formatRequest(id, q.method, params[i]))
	}
	return nil
}

// resume waits for the client's answers and calls the server again with them.
func (a *modernCall) resume(ctx context.Context) error {
	responses := []byte{'{'}
	for ; a.waiting > 0; a.waiting-- {
		var g given
		select {
		case g = <-a.answers:
		case <-ctx.Done():
			return ctx.Err()
		}
		switch {
		case g.result != nil:
		case g.method == "elicitation/create": // as a client answers that cannot ask its user
			g.result = []byte(`{"action":"cancel"}`)
		default:
			return &core.Error{
				Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "the client has not answered the server's question",
			}
		}
		responses = appendMember(responses, g.key, g.result)
	}
	a.ids = nil
	return a.send(ctx, map[string][]byte{"inputResponses": append(responses, '}'), "requestState": a.state})
}

// Close ends the call without waiting for further answers of the client.
func (a *modernCall) Close() error {
	for _, id := range a.ids {
		a.b.memory.pop(formatOwner(a.m.Principal), id)
	}
	if a.inner == nil {
		return nil
	}
	return a.inner.Close()
}
