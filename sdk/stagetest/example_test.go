package stagetest_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// tickets redacts ticket numbers, "T-" with four digits.
type tickets struct{}

var (
	ticket      = regexp.MustCompile(`T-\d{4}`)
	ticketStart = regexp.MustCompile(`T(-\d{0,3})?$`)
)

// redact redacts the ticket numbers of text[from:to].
func (tickets) redact(text string, from, to int) core.Verdict {
	v := core.Verdict{Action: core.Pass}
	for _, at := range ticket.FindAllStringIndex(text[from:to], -1) {
		start, end := from+at[0], from+at[1]
		v.Action = core.Rewrite
		v.Findings = append(v.Findings, core.Finding{Label: "ticket", Kind: core.FoundPII, Start: start, End: end, Score: 1})
		v.Edits = append(v.Edits, core.Edit{Start: start, End: end, With: "[ticket]"})
	}
	return v
}

func (s tickets) Check(_ context.Context, x *core.Exchange, phase core.Phase, _ any) (core.Verdict, error) {
	body := &x.Request
	if phase == core.Response {
		body = &x.Response
	}
	text := body.ReadText(0)
	return s.redact(text, 0, len(text)), nil
}

func (s tickets) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return ticketFilter{s}, nil
}

// ticketFilter holds back the end of a window that may be the start of a ticket number.
type ticketFilter struct{ tickets }

func (f ticketFilter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	end := len(w.Text)
	if at := ticketStart.FindStringIndex(w.Text[w.Sent:]); at != nil && !w.Last {
		end = w.Sent + at[0]
	}
	return f.redact(w.Text, w.Sent, end), len(w.Text) - end, nil
}

func (ticketFilter) Close(context.Context) error { return nil }

// printer replaces *testing.T, which examples do not have: a failed check prints its message.
type printer struct{ testing.TB }

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format, args...) }
func (printer) FailNow()                          { panic("the stage breaks a rule") }

// Whole passes a text to a stage and applies its verdict.
func ExampleWhole() {
	var t testing.TB = printer{} // a test passes its own t

	got := stagetest.Whole(t, tickets{}, stagetest.Text{Text: "Close T-1234 and T-12."})
	fmt.Println(got.Action, got.Labels)
	fmt.Println(got.Text)
	// Output:
	// rewrite [ticket]
	// Close [ticket] and T-12.
}

// Streamed passes a text in pieces, as a provider streams it. A filter must find what the cuts divide: without the bytes that
// ticketFilter holds back, "T-12" would have left before "34" came.
func ExampleStreamed() {
	var t testing.TB = printer{} // a test passes its own t

	got := stagetest.Streamed(t, tickets{}, stagetest.Text{}, []string{"Close T", "-12", "34 and T-12", "."})
	fmt.Println(got.Action, got.Labels)
	fmt.Println(got.Text)
	// Output:
	// rewrite [ticket]
	// Close [ticket] and T-12.
}
