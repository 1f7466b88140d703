package outside

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/plugins/remote"
)

// asker asks one vendor's guard.
type asker struct {
	vendor *vendor
	client *http.Client
	secret string
	set    Settings
}

var _ remote.Asker = (*asker)(nil)

// Ask makes one call, and makes a verdict of what is found.
func (a *asker) Ask(ctx context.Context, q *remote.Question) (remote.Verdict, error) {
	spans, err := a.vendor.ask(&call{asker: a, ctx: ctx}, q)
	if err != nil {
		return remote.Verdict{}, err
	}
	for _, found := range spans {
		if len(found) > 0 {
			return remote.Verdict{Action: a.set.Action, Spans: spans}, nil
		}
	}
	return remote.Verdict{Action: remote.Pass}, nil
}

// Close closes idle connections.
func (a *asker) Close() { a.client.CloseIdleConnections() }

// counts reports whether a finding of a label and score is one.
func (a *asker) counts(label string, score float64) bool {
	isLabel := func(l string) bool { return strings.EqualFold(l, label) }
	return score >= *a.set.Threshold && (len(a.set.Labels) == 0 || slices.ContainsFunc(a.set.Labels, isLabel))
}

// markWhole returns a finding about all of a text; of an empty text there is none.
func markWhole(text, label string, score float64) []remote.Span {
	if text == "" {
		return nil
	}
	return []remote.Span{{End: len(text), Label: labelOf(label), Score: clamp(score)}}
}

// clamp keeps scores that vendors round within bounds.
func clamp(score float64) float32 { return float32(min(max(score, 0), 1)) }

// labelOf writes a vendor's label as labels of findings are written: PROMPT-Injection is prompt_injection.
func labelOf(name string) string {
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
