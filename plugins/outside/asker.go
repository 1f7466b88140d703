package outside

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/headgate-dev/headgate/plugins/remote"
)

// asker calls one vendor's guard.
type asker struct {
	vendor *vendor
	name   string // of the vendor
	client *http.Client
	secret string
	set    Settings
	chat   Chat // for judge models
	book   func(ctx context.Context, c Charge)
}

var _ remote.Asker = (*asker)(nil)

// callsAtOnce is how many calls for one question run concurrently, if the vendor takes one text per call.
const callsAtOnce = 8

// Ask makes as many calls as the vendor needs, and turns the findings into a verdict.
func (a *asker) Ask(ctx context.Context, q *remote.Question) (remote.Verdict, error) {
	var answered atomic.Int32
	spans, err := a.askAll(ctx, q, &answered)
	a.bookCalls(ctx, q, int(answered.Load()))
	if err != nil {
		return remote.Verdict{}, err
	}
	v := remote.Verdict{Action: remote.Pass}
	for i, found := range spans {
		if len(found) == 0 {
			continue
		}
		v.Spans = spans
		if v.Action == remote.Pass {
			v.Action = a.set.Action
		}
		// Redacting a whole window tells the client less than a refusal does, and overlapping windows would be joined
		// into one.
		if a.set.Action == remote.Redact && found[0].Start == 0 && found[0].End == len(q.Pieces[i].Text) && found[0].End > maxRedacted {
			v.Action = remote.Block
		}
	}
	return v, nil
}

// maxRedacted is the length of the longest finding that is redacted, in bytes.
const maxRedacted = 1 << 10

// AsksCanary reports whether the guard can be asked about a text of no tenant. A judge model is called at the expense of a
// tenant, and its providers have breakers of their own.
func (a *asker) AsksCanary() bool { return !a.vendor.through }

func (a *asker) askAll(ctx context.Context, q *remote.Question, answered *atomic.Int32) ([][]remote.Span, error) {
	if a.vendor.texts > 0 || len(q.Pieces) == 1 {
		return a.vendor.ask(&call{asker: a, ctx: ctx, answered: answered}, q)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	spans, free := make([][]remote.Span, len(q.Pieces)), make(chan struct{}, callsAtOnce)
	var calls sync.WaitGroup
	for i := range q.Pieces {
		free <- struct{}{}
		calls.Go(func() {
			defer func() { <-free }()
			one := *q
			one.Pieces = q.Pieces[i : i+1]
			found, err := a.vendor.ask(&call{asker: a, ctx: ctx, answered: answered}, &one)
			if err != nil {
				cancel(err) // the first failure cancels the other calls
			} else if len(found) > 0 {
				spans[i] = found[0]
			}
		})
	}
	calls.Wait()
	return spans, context.Cause(ctx)
}

// Close closes idle connections.
func (a *asker) Close() {
	if a.client != nil {
		a.client.CloseIdleConnections()
	}
}

// counts reports whether a finding with this label and score is used.
func (a *asker) counts(label string, score float64) bool {
	isLabel := func(l string) bool { // pii includes pii/email
		kind, _, _ := strings.Cut(label, "/")
		return strings.EqualFold(l, label) || strings.EqualFold(l, kind)
	}
	return score >= *a.set.Threshold && (len(a.set.Labels) == 0 || slices.ContainsFunc(a.set.Labels, isLabel))
}

// newWholeSpan returns a finding that covers a whole text, or none if the text is empty.
func newWholeSpan(text, label string, score float64) []remote.Span {
	if text == "" {
		return nil
	}
	return []remote.Span{{End: len(text), Label: convertLabel(label), Score: clampScore(score)}}
}

// clampScore limits a score to 0 to 1, because vendors' rounding may exceed that.
func clampScore(score float64) float32 { return float32(min(max(score, 0), 1)) }

// convertLabel converts a vendor's label to the form of finding labels: PROMPT-Injection becomes prompt_injection.
func convertLabel(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9' && b.Len() > 0:
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() == 63 {
			break
		}
	}
	if label := strings.TrimRight(b.String(), "_"); label != "" {
		return label
	}
	return "finding"
}
