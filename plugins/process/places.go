package process

import (
	"slices"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// maxPlaces bounds the places in one message.
const maxPlaces = 4096

// listPlaces returns where earlier links found values in the texts of a body that the plugin is shown, if it may know. at has the positions
// of the texts in the body. Links in shadow mode do not count, nor do values that a placeholder already replaces.
func (a *agreed) listPlaces(x *core.Exchange, body *core.Payload, p core.Phase, at []int) (out []*pb.Place) {
	if !a.places {
		return nil
	}
	if p == core.Target { // it may change the request too
		p = core.Request
	}
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Phase != p || f.Shadow || f.Kind == core.FoundPolicy || f.Segment < 0 || f.Start >= f.End || len(out) == maxPlaces {
			continue
		}
		segment, shown := slices.BinarySearch(at, f.Segment)
		if !shown {
			continue
		}
		if text := body.FindRun(f.Segment).Text; f.End <= len(text) && !placeholder.Touches(text, f.Start, f.End) {
			one := a.newPlace(f, text, f.Start, f.End)
			one.Segment = uint32(segment)
			out = append(out, one)
		}
	}
	return out
}

// listStreamedPlaces does the same for a window.
func (a *agreed) listStreamedPlaces(w *core.Window) (out []*pb.Place) {
	if !a.places {
		return nil
	}
	for i := range w.Found {
		f := &w.Found[i]
		late := f.Start == f.End
		switch {
		case f.Shadow || f.Kind == core.FoundPolicy || len(out) == maxPlaces:
			continue
		case !late && (f.Start < 0 || f.Start >= len(w.Text)):
			continue
		case !late && f.End <= len(w.Text) && placeholder.Touches(w.Text, f.Start, f.End):
			continue
		}
		start, end := f.Start, f.End
		if late {
			start, end = 0, 0
		}
		one := a.newPlace(f, w.Text, start, end)
		one.Late = late
		out = append(out, one)
	}
	return out
}

func (a *agreed) newPlace(f *core.Finding, text string, start, end int) *pb.Place {
	return &pb.Place{
		Link: f.Link, Label: f.Label, Kind: pb.FindingKind(f.Kind), Score: f.Score,
		Start: countUnits(text, start, a.unit), End: countUnits(text, end, a.unit),
	}
}

// countUnits converts an offset in bytes to the plugin's unit. Bytes behind the text count as one unit each.
func countUnits(text string, n int, u pb.Unit) uint32 {
	behind := max(n-len(text), 0)
	text = text[:n-behind]
	switch u {
	case pb.Unit_UNIT_RUNE:
		n = utf8.RuneCountInString(text)
	case pb.Unit_UNIT_UTF16:
		n = 0
		for _, c := range text {
			if n++; c > 0xFFFF {
				n++
			}
		}
	default:
		n = len(text)
	}
	return uint32(n + behind)
}

// informedFilter is a filter that is told what earlier links found. If a link may find a value when its text was sent, the answer waits
// for its end.
type informedFilter struct{ *filter }

var _ core.FindingsReader = informedFilter{}

// Inform implements core.FindingsReader.
func (f informedFilter) Inform(late bool) { f.withholds = f.withholds || late }
