package socket

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"

	"github.com/coder/websocket"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// transcriptUsage is what a provider says that a transcript has taken: tokens, or seconds of sound.
type transcriptUsage struct {
	Input   int64   `json:"input_tokens"`
	Output  int64   `json:"output_tokens"`
	Seconds float64 `json:"seconds,omitempty"`
	Details struct {
		Audio int64 `json:"audio_tokens"`
	} `json:"input_token_details"`
}

// Estimates for a transcript of which the provider does not say what it has taken: tokens of a second of sound.
const (
	transcriptHeard   = 25
	transcriptWritten = 8
)

// bookTranscript books what the provider has used for a transcript, by an exchange of its own that passes no links but those
// that count costs. It returns false if the session must end: no budget pays for further transcripts.
func (l *live) bookTranscript(ctx context.Context, h *liveHead, ev []byte) bool {
	line := &transcriptLine{target: l.target, usage: l.readTranscriptUsage(h.ItemID, ev)}
	line.target.Model = l.transcriber()
	delete(l.lengths, h.ItemID)
	body, err := encodePlain(&texts{Model: line.target.Model, Input: []json.RawMessage{}})
	if err != nil {
		return false
	}
	r := l.request(ctx, body)
	r.Header.Set(openai.RealtimeHeard, strconv.FormatInt(line.usage.Input, 10))
	r.Header.Set(openai.RealtimeWritten, strconv.FormatInt(line.usage.Output, 10))
	w := &wholeAnswer{header: http.Header{}}
	l.s.o.Book(w, r, l.who, line)
	if w.status < http.StatusBadRequest {
		return true
	}
	e, typ := w.refusal()
	l.send(ctx, liveShape.AppendRefusal(nil, newEventID(), "", typ, e))
	l.close(websocket.StatusPolicyViolation, "what was said can no longer be transcribed")
	return false
}

// readTranscriptUsage reads what a transcript has taken, or estimates it by the length of its sound.
func (l *live) readTranscriptUsage(item string, ev []byte) (u transcriptUsage) {
	m, err := readMembers(ev)
	if err == nil && json.Unmarshal(m["usage"], &u) == nil && min(u.Input, u.Output, u.Details.Audio) >= 0 && u.Seconds >= 0 &&
		(u.Input+u.Output > 0 || u.Seconds > 0) {
		u.Seconds = math.Ceil(u.Seconds)
		return u
	}
	seconds := l.lengths[item]/l.wish.rate + 1
	u = transcriptUsage{Input: seconds * transcriptHeard, Output: seconds * transcriptWritten, Seconds: float64(seconds)}
	u.Details.Audio = u.Input
	return u
}

// transcriber returns the model that transcribes what the client says.
func (l *live) transcriber() string {
	setting := l.wish.transcription
	if l.judged || setting == nil {
		setting = json.RawMessage(ourTranscription)
	}
	var t struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(setting, &t) // the provider has taken it
	if t.Model == "" {
		t.Model = "gpt-4o-mini-transcribe"
	}
	return t.Model
}

// transcriptLine answers with what a transcript has taken. It sends nothing.
type transcriptLine struct {
	target core.TargetRef
	usage  transcriptUsage
}

// FixedTarget returns the target, which no route chooses.
func (t *transcriptLine) FixedTarget() core.TargetRef { return t.target }

// Serves returns true.
func (*transcriptLine) Serves(core.TargetRef) bool { return true }

// Do returns an answer without texts.
func (t *transcriptLine) Do(context.Context, upstream.Client, core.TargetRef, *upstream.Request) (*upstream.Response, error) {
	usage, err := encodePlain(&t.usage)
	if err != nil {
		return nil, &upstream.Error{Unsent: true, Err: err}
	}
	return newJSON(http.StatusOK, append(append([]byte(`{"id":"transcript","object":"response","output":[],"usage":`), usage...), '}')), nil
}
