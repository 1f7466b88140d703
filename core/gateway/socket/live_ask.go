package socket

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/downstream"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Line carries one exchange to the provider of its session.
type Line interface {
	// Serves reports whether the session leads to a target, or may still be opened there.
	Serves(t core.TargetRef) bool
	// Do sends r.Body, which the links have judged, to the provider. client is the provider's client.
	Do(ctx context.Context, client upstream.Client, t core.TargetRef, r *upstream.Request) (*upstream.Response, error)
}

// FixedLine is a Line with a target that was chosen before.
type FixedLine interface {
	Line
	FixedTarget() core.TargetRef
}

// newLiveRequest returns the request of an exchange of this session.
func (l *live) newLiveRequest(ctx context.Context, t *texts, written int64) (*http.Request, error) {
	if t.Input == nil {
		t.Input = []json.RawMessage{}
	}
	t.Model = l.model
	body, err := encodePlain(t)
	if err != nil {
		return nil, err
	}
	r := l.newRequest(ctx, body)
	r.URL = &url.URL{Path: l.handshake.URL.Path}
	if beta := l.handshake.Header["Openai-Beta"]; len(beta) > 0 {
		r.Header["Openai-Beta"] = beta
	}
	r.Header.Set(openai.RealtimeHeard, "0")
	r.Header.Set(openai.RealtimeWritten, strconv.FormatInt(written, 10))
	return r, nil
}

// runExchange runs one exchange for texts that are sent by a line. It returns the answer of a refusal, or nil.
func (l *live) runExchange(ctx context.Context, t *texts, line sender) *wholeAnswer {
	w := &wholeAnswer{header: http.Header{}}
	r, err := l.newLiveRequest(ctx, t, 0)
	if err != nil {
		return newRefusal(core.ConvertError(err))
	}
	l.s.o.ServeLive(w, r, line)
	switch {
	case w.status >= http.StatusBadRequest:
		return w
	case !line.isSent(): // a stage has answered instead of the provider
		return newRefusal(&core.Error{
			Kind: core.Unavailable, Code: core.CodeGuardUnavailable,
			Public: "a stage has answered instead of the provider, which the events of a session do not allow",
		})
	}
	return nil
}

// sender is a line that says whether it was used.
type sender interface {
	Line
	isSent() bool
}

// open opens the session at a provider, in a separate exchange. It writes a refusal as the answer to the handshake.
func (l *live) open(w http.ResponseWriter, r *http.Request) bool {
	refused := l.runExchange(downstream.WithHangup(r.Context(), downstream.NewHangup()), &texts{}, &openLine{l})
	if refused == nil {
		return true
	}
	for name, values := range refused.header {
		w.Header()[name] = values
	}
	w.WriteHeader(refused.status)
	_, _ = w.Write(refused.body.Bytes()) // the client may be gone
	return false
}

// done is the answer of a provider that has taken an event. It uses nothing.
const done = `{"id":"event","object":"response","output":[],"usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0}}`

func newDone() *upstream.Response { return newJSON(http.StatusOK, []byte(done)) }

func newJSON(status int, body []byte) *upstream.Response {
	return &upstream.Response{
		Status: status, ContentLength: int64(len(body)), Body: upstream.NewWholeBody(body),
		Header: []upstream.Field{{Name: "Content-Type", Value: "application/json"}},
	}
}

// openLine opens the session.
type openLine struct{ *live }

func (l *openLine) isSent() bool { return l.up != nil }

// Serves returns true: any provider that has the API will do.
func (*openLine) Serves(core.TargetRef) bool { return true }

// createdLimit limits the wait for the first event of a session.
const createdLimit = 20 * time.Second

var (
	errNoSocket  = errors.New("this provider's client cannot open WebSockets")
	errNoSession = errors.New("the provider has not started a session")
)

// Do opens a WebSocket to the provider.
func (l *openLine) Do(
	ctx context.Context, client upstream.Client, t core.TargetRef, r *upstream.Request,
) (*upstream.Response, error) {
	opener, ok := client.(upstream.SocketOpener)
	if !ok {
		return nil, &upstream.Error{Unsent: true, Err: errNoSocket}
	}
	var said texts
	if err := json.Unmarshal(r.Body, &said); err != nil {
		return nil, &upstream.Error{Unsent: true, Err: err}
	}
	to, u := *r, *r.URL
	q := u.Query()
	q.Set("model", said.Model)
	u.RawQuery = q.Encode()
	to.URL, to.Method, to.Body = &u, http.MethodGet, nil
	up, refused, err := opener.OpenSocket(ctx, &to, l.maxMessage)
	if refused != nil || err != nil {
		return refused, err
	}
	ctx, cancel := context.WithTimeout(ctx, createdLimit)
	defer cancel()
	first, err := up.Read(ctx)
	head := readLiveHead(first)
	switch {
	case err != nil || head.Type != "session.created" && head.Type != "error":
		up.Close()
		return nil, &upstream.Error{Phase: upstream.PhaseFirstByte, Unsent: true, Err: errors.Join(errNoSession, err)}
	case head.Type == "error":
		up.Close()
		return newJSON(http.StatusBadRequest, first), nil
	}
	l.up, l.target, l.created = up, t, first
	return newDone(), nil
}

// eventLine sends one event.
type eventLine struct {
	*live
	// compose returns the event with the texts as the chain has left them.
	compose func(said *texts) ([]byte, error)
	sent    bool
}

func (l *eventLine) isSent() bool { return l.sent }

// Serves reports whether the session leads to a target.
func (l *live) Serves(t core.TargetRef) bool {
	return t.Provider == l.target.Provider && t.Model == l.target.Model
}

// Do sends the event.
func (l *eventLine) Do(ctx context.Context, _ upstream.Client, _ core.TargetRef, r *upstream.Request) (*upstream.Response, error) {
	if e := l.sendComposed(ctx, r.Body, l.compose); e != nil {
		return nil, e
	}
	l.sent = true
	return newDone(), nil
}

// sendComposed sends the event that compose builds from a judged body.
func (l *live) sendComposed(ctx context.Context, body []byte, compose func(said *texts) ([]byte, error)) error {
	var said texts
	err := json.Unmarshal(body, &said)
	var event []byte
	if err == nil {
		event, err = compose(&said)
	}
	if err != nil {
		return &upstream.Error{Unsent: true, Err: err}
	}
	if !l.write(ctx, event) {
		return &upstream.Error{Phase: upstream.PhaseFirstByte, Err: errNoSession}
	}
	return nil
}
