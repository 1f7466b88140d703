package stagetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Outcome is the result of a stage for one text.
type Outcome struct {
	Action core.Action
	// Text is the text with the edits applied; a new placeholder is shown as its type, <EMAIL>. For a blocked stream it is
	// the text that had been sent.
	Text string
	// Labels are the labels of the findings, sorted.
	Labels []string
	Err    *core.Error
}

// Text is one text and its place.
type Text struct {
	Role  core.Role        // zero: user
	Kind  core.SegmentKind // zero: text
	Phase core.Phase       // zero: request
	Text  string
}

// Exchange returns an exchange with the text, unescaped, as its only segment: in the request, or in the response if the
// phase is Response.
func (t Text) Exchange() *core.Exchange {
	x := &core.Exchange{ID: "stagetest", Dialect: "openai.chat", Principal: &core.Principal{}}
	if t.Role == 0 {
		t.Role = core.RoleUser
	}
	if t.Kind == 0 {
		t.Kind = core.KindText
	}
	body := &x.Request
	if t.Phase == core.Response {
		body = &x.Response
	}
	body.Raw = []byte(t.Text)
	body.Segments = []core.Segment{{Role: t.Role, Kind: t.Kind, Message: 0, Part: -1, Span: splice.Span{End: len(t.Text)}}}
	return x
}

// Whole passes a whole text to the stage and checks that the verdict is valid.
func Whole(t testing.TB, s core.Stage, text Text) Outcome {
	t.Helper()
	if text.Phase == 0 {
		text.Phase = core.Request
	}
	x := text.Exchange()
	v, err := s.Check(context.Background(), x, text.Phase, nil)
	require.NoError(t, err)
	checkVerdict(t, v)
	require.False(t, v.Action == core.Answer && text.Phase != core.Request, "only a request can be answered")
	require.False(t, v.Action == core.Retry && text.Phase != core.Response, "the model can be asked again only after an answer")
	for _, f := range v.Findings {
		require.True(t, f.Segment == 0 || f.Segment == -1, "a finding is of the segment, or of the whole")
		require.True(t, 0 <= f.Start && f.Start <= f.End && f.End <= len(text.Text), "a finding lies in the text")
	}
	for _, e := range v.Edits {
		require.Zero(t, e.Segment, "an edit's segment")
	}
	o := Outcome{Action: v.Action, Labels: listLabels(v.Findings), Err: v.Err, Text: text.Text}
	if v.Action == core.Rewrite {
		o.Text = applyEdits(t, text.Text, v.Edits, 0, len(text.Text))
	}
	return o
}

// checkVerdict checks a verdict against the rules for verdicts.
func checkVerdict(t testing.TB, v core.Verdict) {
	t.Helper()
	switch v.Action {
	case core.Pass:
		require.Empty(t, v.Edits, "edits come with a rewrite")
		require.Zero(t, v.Patch, "a patch comes with a rewrite")
	case core.Rewrite:
	case core.Block:
		require.NotNil(t, v.Err, "a block says why")
		require.NotEmpty(t, v.Err.Public, "a block says why")
		require.NotZero(t, v.Err.Kind)
	case core.Answer:
		require.NotNil(t, v.Reply, "an answer has a reply")
	case core.Retry:
		require.NotEmpty(t, v.Append, "a retry says what to add")
		require.NotNil(t, v.Err, "a retry says what the client is told where the model cannot be asked again")
	default:
		require.Fail(t, "the stage is undecided")
	}
	for _, f := range v.Findings {
		require.NotEmpty(t, f.Label, "a finding has a label")
		require.True(t, f.Score >= 0 && f.Score <= 1, "a score must be between 0 and 1")
	}
	for _, h := range v.Header {
		require.True(t, isSendable(h), "a header has a name, and a value without line ends")
	}
}

// isSendable reports whether a header can be sent as it is.
func isSendable(h core.Field) bool {
	return h.Name != "" && !strings.ContainsAny(h.Name, " \t\r\n:") && !strings.ContainsAny(h.Value, "\r\n\x00")
}

// applyEdits applies edits to text[from:to] and checks that they fit.
func applyEdits(t testing.TB, text string, edits []core.Edit, from, to int) string {
	t.Helper()
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b core.Edit) int { return a.Start - b.Start })
	var b strings.Builder
	for _, e := range edits {
		require.True(t, from <= e.Start && e.Start <= e.End && e.End <= to, "an edit lies in the text that can be edited, and overlaps no other")
		require.True(t, isBoundary(text, e.Start) && isBoundary(text, e.End), "an edit begins and ends between characters")
		b.WriteString(text[from:e.Start])
		if e.Type != "" {
			b.WriteString("<" + e.Type + ">")
		} else {
			b.WriteString(e.With)
		}
		from = e.End
	}
	b.WriteString(text[from:to])
	return b.String()
}

func isBoundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

func listLabels(fs []core.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Label)
	}
	slices.Sort(out)
	return out
}
