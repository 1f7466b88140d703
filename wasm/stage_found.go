package wasm

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// foundValues are the findings of earlier links in one text of an answer.
type foundValues struct {
	list []core.Finding
	base int  // the offset of the guest's segment
	last bool // no more text follows

	places []place // computed on first use
	listed bool
}

// place is where an earlier link found a value in a text that the guest reads.
type place struct {
	finding    *core.Finding
	seg        int // the guest's number of the text
	run        payload.Run
	start, end int
	late, open bool
}

// listPlaces returns the values of this call, ordered by text and start, longer ones first. Links in shadow mode do not count, nor do
// values that a placeholder already replaces.
func (c *talk) listPlaces(i *instance) []place {
	if c.found.listed {
		return c.found.places
	}
	c.found.listed = true
	switch {
	case c.phase > abi.PhaseResponse:
	case c.body == nil && len(c.texts) > 0:
		c.found.places = c.listStreamedPlaces()
	case c.body != nil:
		c.found.places = c.listBodyPlaces(i)
	}
	slices.SortStableFunc(c.found.places, comparePlaces)
	c.charge(i, workCall*len(c.found.places))
	return c.found.places
}

// listBodyPlaces lists the values in a request, or in an answer that did not stream.
func (c *talk) listBodyPlaces(i *instance) (out []place) {
	phase := core.Request
	if c.phase == abi.PhaseResponse {
		phase = core.Response
	}
	c.charge(i, len(c.x.Findings))
	runs := map[int]payload.Run{}
	for k := range c.x.Findings {
		f := &c.x.Findings[k]
		if f.Phase != phase || f.Shadow || f.Kind == core.FoundPolicy || f.Segment < 0 || f.Segment >= len(c.body.Segments) || f.Start >= f.End {
			continue
		}
		seg, visible := slices.BinarySearch(c.listSegments(), int32(f.Segment))
		if !visible {
			continue
		}
		run, read := runs[f.Segment]
		if !read {
			run = c.body.FindRun(f.Segment)
			runs[f.Segment] = run
			c.charge(i, len(run.Text))
		}
		if f.End <= len(run.Text) && !placeholder.Touches(run.Text, f.Start, f.End) {
			out = append(out, place{finding: f, seg: seg, run: run, start: f.Start, end: f.End})
		}
	}
	return out
}

// listStreamedPlaces lists the values in the text of a streamed answer that the guest reads. One is late if its text was sent, and open
// if text that has not arrived may belong to it or turn it into a placeholder.
func (c *talk) listStreamedPlaces() (out []place) {
	text := c.texts[0].viewText()
	known := len(text)
	if !c.found.last {
		known -= placeholder.FindPartial(text)
	}
	for k := range c.found.list {
		f := &c.found.list[k]
		if f.Shadow || f.Kind == core.FoundPolicy {
			continue
		}
		p := place{finding: f, run: payload.Run{N: 1, Text: text}, start: f.Start - c.found.base, end: f.End - c.found.base}
		switch {
		case f.Start == f.End || p.start < 0 && p.end > 0:
			p.start, p.end, p.late = 0, 0, true
		case p.end <= 0 || p.start >= len(text):
			continue
		case p.end > known && !c.found.last:
			p.end, p.open = min(p.end, len(text)), true
		case p.end > len(text) || placeholder.Touches(text, p.start, p.end):
			continue
		}
		out = append(out, p)
	}
	return out
}

func comparePlaces(a, b place) int {
	switch {
	case a.seg != b.seg:
		return a.seg - b.seg
	case a.start != b.start:
		return a.start - b.start
	}
	return b.end - a.end
}

// formatPlaces returns the values that earlier links found in the texts of this call, as a JSON array.
func (c *talk) formatPlaces(i *instance) string {
	places := c.listPlaces(i)
	out := make([]foreign.Place, len(places))
	for k := range places {
		p := &places[k]
		out[k] = foreign.NewPlace(p.finding, p.seg, p.start, p.end)
		out[k].Late, out[k].Open = p.late, p.open
	}
	return string(foreign.FormatPlaces(out))
}

func handleRedactFound(c *talk, i *instance, stack []uint64) {
	switch {
	case c.phase > abi.PhaseResponse:
		endWithBreach("it edited in a phase in which texts cannot be changed any more")
	case !c.s.see.hasField(abi.FieldPlaces):
		stack[0] = uint64(abi.NotGranted)
		return
	}
	places := c.listPlaces(i)
	n := int(uint32(stack[0]))
	if n >= len(places) {
		endWithBreach("it named a place that there is not")
	}
	stack[0] = uint64(abi.NoValue)
	p := &places[n]
	if p.late || p.open || !placeholder.IsValidType(p.finding.Label) {
		return
	}
	edits := c.body.AppendEdits(nil, p.run, p.start, p.end, "", p.finding.Label) // the body is nil only for a run of one text
	for k := range edits {
		if _, free := c.findRoom(&edits[k]); !free {
			return
		}
	}
	if len(c.edits)+len(edits) > abi.MaxEdits {
		endWithBreach("it makes more edits than it may, or puts in too much")
	}
	for k := range edits {
		at, _ := c.findRoom(&edits[k])
		c.edits = slices.Insert(c.edits, at, edits[k])
	}
	stack[0] = 0
}

func handleWithhold(c *talk, i *instance, _ []uint64) {
	c.charge(i, 0)
	if c.phase > abi.PhaseTarget {
		endWithBreach("it asked to withhold the answer when some of it may have been sent")
	}
	c.ensureState().withholds = true
}

// listFound appends what earlier links found in a text of a whole answer, which begins in a segment.
func (s *FullStage) listFound(x *core.Exchange, segment int, dst []core.Finding) []core.Finding {
	if !s.see.hasField(abi.FieldPlaces) {
		return dst
	}
	for k := range x.Findings {
		if f := &x.Findings[k]; f.Phase == core.Response && f.Segment == segment && f.Start < f.End {
			dst = append(dst, *f)
		}
	}
	return dst
}

// informedFilter is a filter that is told what earlier links found.
type informedFilter struct{ *stageFilter }

// informedFollower is a follower that is told the same.
type informedFollower struct{ *follower }

var (
	_ core.FindingsReader = informedFilter{}
	_ core.FindingsReader = informedFollower{}
)

// Inform implements core.FindingsReader.
func (f informedFilter) Inform(late bool) { f.late = late }

// Inform implements core.FindingsReader.
func (f informedFollower) Inform(late bool) { f.late = late }

// mustWait reports whether the answer waits for its end, whatever the manifest says: the guest asked for it, or a link may find what the
// guest wants to redact when its text was sent.
func (f *stageFilter) mustWait() bool { return f.late || f.kept != nil && f.kept.withholds }
