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
	"github.com/headgate-dev/headgate/core/gateway/downstream"
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

// sound is an item of sound whose transcript is to come.
type sound struct {
	bytes int64
	model string // that transcribes it
	paid  bool   // the provider transcribes it for sure
	begun bool   // a part of the transcript has arrived
}

// bills are what transcripts have taken, by the model that has made them.
type bills map[string]transcriptUsage

func (b bills) add(model string, u transcriptUsage) {
	sum := b[model]
	sum.Input, sum.Output, sum.Seconds = sum.Input+u.Input, sum.Output+u.Output, sum.Seconds+u.Seconds
	sum.Details.Audio += u.Details.Audio
	b[model] = sum
}

// noteSound notes an item of sound that the provider has taken, for its transcript's cost.
func (l *live) noteSound(item string) {
	n := l.heard.open
	l.heard.open = 0
	if l.judged || l.writes || l.wish.transcription != nil {
		l.sounds[item] = sound{bytes: n, model: l.findTranscriber(), paid: l.judged || l.writes}
	}
}

// bookTranscript books what the provider has used for a transcript. It returns false if the session must end: no budget pays
// for further transcripts, or the key is not accepted any more.
func (l *live) bookTranscript(ctx context.Context, h *liveHead, ev []byte) bool {
	usage, model := l.readTranscriptUsage(h.ItemID, ev), l.sounds[h.ItemID].model
	if model == "" {
		model = l.findTranscriber()
	}
	delete(l.sounds, h.ItemID)
	l.owed.add(model, usage)
	w := l.bookTranscripts(ctx, model, l.owed[model])
	if w.status < http.StatusBadRequest {
		delete(l.owed, model)
		return l.checkKey(ctx)
	}
	e, typ := w.readRefusal()
	if e.Code != core.CodeQuota && e.Code != core.CodeUnsupported && !l.s.o.Denied(w.status, e.Code) {
		return l.checkKey(ctx) // it is booked with the next one
	}
	delete(l.owed, model)
	l.send(ctx, liveShape.AppendRefusal(nil, newEventID(), "", typ, e))
	l.close(websocket.StatusPolicyViolation, "what was said can no longer be transcribed")
	return false
}

// bookTranscripts books what a model has used for transcripts, by an exchange of its own that passes no links but those
// that count costs.
func (l *live) bookTranscripts(ctx context.Context, model string, usage transcriptUsage) *wholeAnswer {
	line := &transcriptLine{target: l.target, usage: usage}
	line.target.Model = model
	body, err := encodePlain(&texts{Model: model, Input: []json.RawMessage{}})
	if err != nil {
		return newRefusal(core.ConvertError(err))
	}
	r := l.newRequest(ctx, body)
	r.Header.Set(openai.RealtimeHeard, strconv.FormatInt(usage.Input, 10))
	r.Header.Set(openai.RealtimeWritten, strconv.FormatInt(usage.Output, 10))
	w := &wholeAnswer{header: http.Header{}}
	l.s.o.Book(w, r, l.who, line)
	return w
}

// bookOwedTranscripts books, at the end of a session, transcripts that the provider makes and whose cost the session
// does not wait for. It books once for each model, whatever the number of items.
func (l *live) bookOwedTranscripts(ctx context.Context) {
	ctx = downstream.WithHangup(context.WithoutCancel(ctx), downstream.NewHangup()) // the client may be gone
	for _, s := range l.sounds {
		if s.paid {
			l.owed.add(s.model, l.estimateTranscript(s.bytes))
		}
	}
	for model, usage := range l.owed {
		l.bookTranscripts(ctx, model, usage) // a refusal cannot reach the client; the exchange is recorded
	}
}

// readTranscriptUsage reads what a transcript has taken, or estimates it by the length of its sound.
func (l *live) readTranscriptUsage(item string, ev []byte) (u transcriptUsage) {
	m, err := readMembers(ev)
	if err == nil && json.Unmarshal(m["usage"], &u) == nil && min(u.Input, u.Output, u.Details.Audio) >= 0 && u.Seconds >= 0 &&
		(u.Input+u.Output > 0 || u.Seconds > 0) {
		u.Seconds = math.Ceil(u.Seconds)
		return u
	}
	return l.estimateTranscript(l.sounds[item].bytes)
}

// estimateTranscript estimates what the transcript of some bytes of sound takes.
func (l *live) estimateTranscript(bytes int64) (u transcriptUsage) {
	seconds := bytes/l.wish.rate + 1
	u = transcriptUsage{Input: seconds * transcriptHeard, Output: seconds * transcriptWritten, Seconds: float64(seconds)}
	u.Details.Audio = u.Input
	return u
}

// findTranscriber returns the model that transcribes what the client says.
func (l *live) findTranscriber() string {
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
