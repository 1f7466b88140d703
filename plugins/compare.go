package plugins

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// Kinds of divergence. The first that applies is counted.
const (
	DiffersAction   = "action"   // one passes what the other does not, or refuses it in another way
	DiffersEdits    = "edits"    // other text is edited, or it is replaced by something else
	DiffersFindings = "findings" // the findings differ
	DiffersRest     = "rest"     // parameters, headers, the reply, or the request of a retry differ
)

// outcome is the part of a verdict that is compared: without scores and texts for people.
type outcome struct {
	action core.Action
	kind   core.Kind
	code   string
	edits  []core.Edit
	marks  []mark
	patch  core.Patch
	header []core.Field
	reply  []byte
	asks   any
}

// mark is the position of a finding.
type mark struct {
	label               string
	segment, start, end int
}

func newOutcome(v *core.Verdict) outcome {
	o := outcome{action: v.Action, edits: v.Edits, patch: v.Patch, header: v.Header, asks: v.Append, marks: listMarks(v.Findings)}
	if v.Err != nil {
		o.kind, o.code = v.Err.Kind, v.Err.Code
	}
	if v.Reply != nil {
		o.reply = v.Reply.Raw
	}
	return o
}

func listMarks(fs []core.Finding) []mark {
	out := make([]mark, len(fs))
	for i := range fs {
		out[i] = mark{fs[i].Label, fs[i].Segment, fs[i].Start, fs[i].End}
	}
	slices.SortFunc(out, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.label, b.label))
	})
	return out
}

// describeDifference returns the kind of difference between two outcomes, or "".
func (o *outcome) describeDifference(p *outcome) string {
	switch {
	case o.action != p.action, o.kind != p.kind, o.code != p.code:
		return DiffersAction
	case !slices.Equal(o.edits, p.edits):
		return DiffersEdits
	case !slices.Equal(o.marks, p.marks):
		return DiffersFindings
	case o.patch != p.patch, !slices.Equal(o.header, p.header), !bytes.Equal(o.reply, p.reply), !reflect.DeepEqual(o.asks, p.asks):
		return DiffersRest
	}
	return ""
}
