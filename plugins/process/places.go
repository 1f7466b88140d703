package process

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// maxPlaces bounds the places in one message.
const maxPlaces = 4096

// listPlaces returns where earlier links found values in the texts of a body that the plugin is shown, if it may know. at has the positions
// of the texts in the body. Links in shadow mode do not count, nor do values that a placeholder already replaces. Its work grows with the
// texts and with the findings, not with their product. The error is that of ctx, if it ended first.
func (a *agreed) listPlaces(ctx context.Context, x *core.Exchange, body *core.Payload, p core.Phase, at []int) ([]*pb.Place, error) {
	if !a.places {
		return nil, nil
	}
	if p == core.Target { // it may change the request too
		p = core.Request
	}
	all := make([]foundPlace, 0, len(x.Findings))
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Phase != p || f.Shadow || f.Kind == core.FoundPolicy || f.Segment < 0 || f.Start < 0 || f.Start >= f.End {
			continue
		}
		if segment, shown := slices.BinarySearch(at, f.Segment); shown {
			all = append(all, foundPlace{finding: f, segment: segment})
		}
	}
	inOrder := make([]*foundPlace, len(all))
	for i := range all {
		inOrder[i] = &all[i]
	}
	slices.SortStableFunc(inOrder, func(a, b *foundPlace) int { return cmp.Compare(a.finding.Segment, b.finding.Segment) })
	t := runText{body: body, unit: a.unit}
	for _, one := range inOrder {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.moveTo(one.finding.Segment)
		one.place = t.newPlace(one.finding)
	}
	var out []*pb.Place
	for i := range all {
		if one := all[i].place; one != nil && len(out) < maxPlaces {
			one.Segment = uint32(all[i].segment)
			out = append(out, one)
		}
	}
	return out, nil
}

// foundPlace is a finding in a text that the plugin is shown.
type foundPlace struct {
	finding *core.Finding
	segment int       // the plugin's number of the text
	place   *pb.Place // nil if there is nothing to tell
}

// runText is the text of one run at a time, which moves forward through a body. Findings in a run are positions in its text from their
// segment on.
type runText struct {
	body *core.Payload
	unit pb.Unit
	run  payload.Run
	at   int // the segment, and where it begins in the text of the run
	base int
	marked
}

// moveTo moves to a segment, which must not be before the current one.
func (t *runText) moveTo(segment int) {
	if segment >= t.run.First+t.run.N { // also at first, when the run is empty
		t.run = t.body.FindRun(segment)
		t.at, t.base, t.marked = segment, 0, markText(t.run.Text, t.unit)
	}
	for ; t.at < segment; t.at++ {
		t.base += len(t.body.ReadText(t.at))
	}
}

// newPlace returns a place in the text from the current segment on, or nil if it lies outside or touches a placeholder.
func (t *runText) newPlace(f *core.Finding) *pb.Place {
	if f.End > len(t.text)-t.base || t.touches(t.base+f.Start, t.base+f.End) {
		return nil
	}
	one := t.marked.newPlace(f, t.base+f.Start, t.base+f.End)
	base := t.countUnits(t.base)
	one.Start -= base
	one.End -= base
	return one
}

// listStreamedPlaces does the same for a window.
func (a *agreed) listStreamedPlaces(w *core.Window) (out []*pb.Place) {
	if !a.places || len(w.Found) == 0 {
		return nil
	}
	t := markText(w.Text, a.unit)
	for i := range w.Found {
		f := &w.Found[i]
		late := f.Start == f.End
		switch {
		case f.Shadow || f.Kind == core.FoundPolicy || len(out) == maxPlaces:
			continue
		case !late && (f.Start < 0 || f.Start >= len(w.Text)):
			continue
		case !late && f.End <= len(w.Text) && t.touches(f.Start, f.End):
			continue
		}
		start, end := f.Start, f.End
		if late {
			start, end = 0, 0
		}
		one := t.newPlace(f, start, end)
		one.Late = late
		out = append(out, one)
	}
	return out
}

// marked is a text whose placeholders are known.
type marked struct {
	ruler
	tokens [][2]int // where placeholders begin and end, in bytes
}

func markText(text string, unit pb.Unit) marked {
	m := marked{ruler: ruler{text: text, unit: unit}}
	for at := 0; ; {
		start, end, ok := placeholder.Next(text, at)
		if !ok {
			return m
		}
		m.tokens = append(m.tokens, [2]int{start, end})
		at = end
	}
}

// touches reports whether a part of the text shares a byte with a placeholder.
func (m *marked) touches(start, end int) bool {
	k := sort.Search(len(m.tokens), func(k int) bool { return m.tokens[k][1] > start })
	return k < len(m.tokens) && m.tokens[k][0] < end
}

func (m *marked) newPlace(f *core.Finding, start, end int) *pb.Place {
	return &pb.Place{
		Link: f.Link, Label: f.Label, Kind: pb.FindingKind(f.Kind), Score: f.Score, Start: m.countUnits(start), End: m.countUnits(end),
	}
}

// informedFilter is a filter that is told what earlier links found. If a link may find a value when its text was sent, the answer waits
// for its end.
type informedFilter struct{ *filter }

var _ core.FindingsReader = informedFilter{}

// Inform implements core.FindingsReader.
func (f informedFilter) Inform(late bool) { f.withholds = f.withholds || late }
