package socket

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// replyLine creates the response at the provider.
type replyLine struct {
	*live
	reply   *reply
	written int64
	used    bool
}

var errAskedOnce = errors.New("a response of a session is asked for once")

// Do asks for the response and returns its events.
func (l *replyLine) Do(ctx context.Context, _ upstream.Client, _ core.TargetRef, req *upstream.Request) (*upstream.Response, error) {
	if l.used { // the client and the provider already have parts of the first one
		return nil, &upstream.Error{Unsent: true, Err: errAskedOnce}
	}
	l.used = true
	select {
	case ev := <-l.reply.events: // nothing but cancelUnheard sends one before
		l.backlog.release(ev.size)
		return newJSON(http.StatusBadRequest, ev.raw), nil
	default:
	}
	l.reply.sent.Store(true)
	err := l.sendComposed(ctx, req.Body, l.compose)
	if err != nil {
		return nil, err
	}
	body := &replyBody{ctx: ctx, l: l, idle: req.Timeouts.Idle}
	if body.idle <= 0 {
		body.idle = replyIdle
	}
	first, err := body.readEvent()
	if err != nil {
		return nil, err
	}
	if h := readLiveHead(first); h.Type == "error" {
		return newJSON(http.StatusBadRequest, first), nil
	}
	body.add(first)
	return &upstream.Response{
		Status: http.StatusOK, ContentLength: -1, Body: body, Header: []upstream.Field{{Name: "Content-Type", Value: "text/event-stream"}},
	}, nil
}

// compose returns the event that asks for the response. It always limits the response's tokens, because budgets reserve
// them.
func (l *replyLine) compose(said *texts) ([]byte, error) {
	response := members{}
	for name, value := range l.reply.ask.response {
		response[name] = value
	}
	if err := said.writeMembers(response); err != nil {
		return nil, err
	}
	var err error
	if v := response["input"]; v != nil && string(v) != null {
		if response["input"], err = encodePlain(said.Input); err != nil {
			return nil, err
		}
	}
	limit, written := "max_output_tokens", l.written
	if l.beta {
		delete(response, limit)
		limit = "max_response_output_tokens"
	}
	if said.MaxTokens != nil {
		written = min(written, *said.MaxTokens) // a stage may have lowered it
	}
	response[limit] = json.RawMessage(strconv.FormatInt(written, 10))
	return encodePlain(map[string]any{"type": "response.create", "event_id": l.reply.event, "response": response})
}
