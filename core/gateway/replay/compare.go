package replay

import (
	"fmt"
	"slices"
	"strings"
)

// Change is one difference that a candidate chain makes.
type Change struct {
	// What is decision, finding, fault, model, token_limit, header, request_text or response_text.
	What string `json:"what"`
	// Stage is the link that causes the difference, if a single link does, and Rule is its finding or the code of its
	// answer.
	Stage string `json:"stage,omitempty"`
	Rule  string `json:"rule,omitempty"`
	From  string `json:"from"`
	To    string `json:"to"`
}

func (o *Outcome) formatDecision() string {
	s := o.Kind
	if o.Link != "" {
		s += " by " + o.Link
	}
	if o.Code != "" {
		s += " (" + o.Code + ")"
	}
	return s
}

// Compare returns the differences between a and b, in a fixed order.
func Compare(a, b *Outcome) (out []Change) {
	if a.formatDecision() != b.formatDecision() {
		d := b
		if b.Link == "" { // the candidate passes what a link of the other chain stopped
			d = a
		}
		out = append(out, Change{What: "decision", Stage: d.Link, Rule: d.Rule, From: a.formatDecision(), To: b.formatDecision()})
	}
	out = append(out, compareFound(a.Found, b.Found)...)
	for _, f := range [][3]string{
		{"model", a.Model, b.Model},
		{"token_limit", formatNumber(a.TokenCap), formatNumber(b.TokenCap)},
		{"header", strings.Join(a.Header, ", "), strings.Join(b.Header, ", ")},
		{"fault", strings.Join(a.Faults, ", "), strings.Join(b.Faults, ", ")},
	} {
		if f[1] != f[2] {
			out = append(out, Change{What: f[0], From: formatName(f[1]), To: formatName(f[2])})
		}
	}
	// If a chain stops the exchange before the end, its texts are not those that would be sent.
	if a.Kind == Forwarded && b.Kind == Forwarded {
		if a.Request != b.Request {
			out = append(out, Change{What: "request_text", Stage: findRewriter(a, b), From: "sent as before", To: "sent otherwise"})
		}
		if a.Response != b.Response {
			out = append(out, Change{What: "response_text", Stage: findRewriter(a, b), From: "given as before", To: "given otherwise"})
		}
	}
	return out
}

func compareFound(a, b []Count) (out []Change) {
	for len(a) > 0 || len(b) > 0 {
		var k Count
		from, to := 0, 0
		switch {
		case len(b) == 0 || len(a) > 0 && compareCounts(a[0], b[0]) < 0:
			k, from, a = a[0], a[0].N, a[1:]
		case len(a) == 0 || compareCounts(a[0], b[0]) > 0:
			k, to, b = b[0], b[0].N, b[1:]
		default:
			k, from, to, a, b = a[0], a[0].N, b[0].N, a[1:], b[1:]
		}
		if from != to {
			in := k.Phase
			if k.Shadow {
				in += ", in shadow"
			}
			out = append(
				out,
				Change{
					What:  "finding",
					Stage: k.Link,
					Rule:  k.Label,
					From:  fmt.Sprintf("%d in the %s", from, in),
					To:    fmt.Sprintf("%d in the %s", to, in),
				},
			)
		}
	}
	return out
}

// findRewriter names the links that change texts in only one of the two outcomes, or all that do if they are the same.
func findRewriter(a, b *Outcome) string {
	var list []string
	for _, l := range slices.Concat(a.Rewrote, b.Rewrote) {
		if slices.Contains(a.Rewrote, l) != slices.Contains(b.Rewrote, l) {
			list = append(list, l)
		}
	}
	if len(list) == 0 {
		list = removeRepeats(slices.Concat(a.Rewrote, b.Rewrote))
	}
	return strings.Join(list, ", ")
}

func formatNumber(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func formatName(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
