package cases

import (
	"bytes"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/llm"
)

// outcome is the result of one step.
type outcome struct {
	streamed  bool
	verdict   verdictWord // after a fault: the result of the link's fault rule
	fault     faultWord
	cause     string // of the fault
	err       *core.Error
	labels    []string // sorted
	findings  []core.Finding
	edits     []core.Edit
	texts     []string // of the body, or of the stream's parts
	parts     parts    // of an answer that can be streamed
	raw       []byte   // the body, or the events
	header    []core.Field
	model     string
	maxTokens int64
	reply     []byte
	retry     []llm.Message
}

// readPhase fills o from the exchange after a phase. For a link that ran twice, for the request and for its answer, its
// last visit counts.
func (o *outcome) readPhase(b *bench, x *core.Exchange, d chain.Decision, from int) {
	o.verdict = "pass"
	for _, v := range x.Visits[from:] {
		if v.Fault != 0 {
			o.fault = faultWord(v.Fault.String())
		}
		if v.Action != core.Undecided {
			o.verdict = verdictWord(v.Action.String())
		}
	}
	switch d.Action {
	case core.Answer, core.Block, core.Retry:
		o.verdict = verdictWord(d.Action.String())
	}
	o.err = d.Err
	if o.fault != "" {
		o.verdict = "pass"
		if d.Fault {
			o.verdict = "block"
		}
		if d.Err != nil && d.Err.Err != nil {
			o.cause = d.Err.Err.Error()
		}
		if !d.Fault { // passed over, or in shadow
			o.err = nil
		}
	}
	if d.Reply != nil {
		o.reply = bytes.Clone(d.Reply.Raw)
	}
	o.retry = d.Append
	o.header = slices.Clone(x.Header)
	o.maxTokens = x.TokenCap()
	if m := x.Model(); m != x.Head.Model {
		o.model = strings.Clone(m)
	}
	for _, f := range x.Findings[min(len(b.offers.given.Found), len(x.Findings)):] { // the first are those of earlier links
		o.labels = append(o.labels, f.Label)
	}
	slices.Sort(o.labels)
	if !o.streamed {
		o.findings, o.edits = b.says.findings, b.says.edits
	}
}

// setBody sets the fields about the resulting body.
func (o *outcome) setBody(b *bench, p *core.Payload) {
	for i := range p.Segments {
		o.texts = append(o.texts, b.tokens.showPlaceholders(p.ReadText(i)))
	}
	o.raw = []byte(b.tokens.showPlaceholders(string(p.Raw)))
}

// joinText returns all texts, joined by line feeds.
func (o *outcome) joinText() string { return strings.Join(o.texts, "\n") }
