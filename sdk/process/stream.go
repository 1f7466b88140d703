package process

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// filter is one streamed answer.
type filter struct {
	x *core.Exchange
	core.StreamFilter
}

// Follower is a filter that only follows a streamed answer: text is sent to the client at
// once, and each window shows new text, all of which was sent: New is 0, and Sent is its
// length. Its verdicts have no edits, and it holds nothing. A block ends the answer.
type Follower interface {
	core.StreamFilter
	// Follows reports whether it only follows this answer.
	Follows() bool
}

var errNoStream = errors.New("unknown stream")

func (s *server) open(ctx context.Context, id uint64, o *pb.Open) *pb.FromPlugin {
	st, ok := s.stage.(core.StreamStage)
	if !ok {
		return newFailureMessage(errors.New("the plugin does not inspect streams"))
	}
	x := readExchange(o.Exchange)
	f, err := st.Stream(ctx, x, decodeKept(o.Kept))
	out := &pb.Opened{Skip: f == nil}
	switch {
	case err != nil:
		releaseExchange(x)
		return newFailureMessage(err)
	case f == nil:
		releaseExchange(x)
	default:
		w, ok := f.(core.Withholder)
		out.Withholds = ok && w.Withholds()
		_, out.Ends = f.(core.Ender)
		l, ok := f.(core.LateFinder)
		out.Late = ok && l.FindsLate()
		fl, ok := f.(Follower)
		out.Follows = ok && fl.Follows()
		s.mu.Lock()
		s.filters[id] = &filter{x, f}
		s.mu.Unlock()
	}
	return &pb.FromPlugin{Body: &pb.FromPlugin_Opened{Opened: out}}
}

func (s *server) findFilter(id uint64) *filter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.filters[id]
}

func (s *server) judgeWindow(ctx context.Context, w *pb.Window) *pb.FromPlugin {
	f := s.findFilter(w.Stream)
	if f == nil {
		return newFailureMessage(errNoStream)
	}
	v, hold, err := f.Check(ctx, core.Window{
		Part: core.Part{Kind: core.SegmentKind(w.Kind), Choice: w.Choice, Index: w.Index, Form: uint8(w.Form)},
		Text: w.Text, Sent: int(w.Sent), New: int(w.Fresh), Last: w.Last, Found: readPlaces(w.Places),
	})
	if err != nil {
		return newFailureMessage(err)
	}
	return convertVerdict(&v, hold)
}

// readPlaces returns what earlier links found in a window.
func readPlaces(places []*pb.Place) (out []core.Finding) {
	for _, p := range places {
		f := readPlace(p)
		f.Phase, f.Segment = core.Response, -1
		out = append(out, f)
	}
	return out
}

func (s *server) end(ctx context.Context, e *pb.End) *pb.FromPlugin {
	f := s.findFilter(e.Stream)
	if f == nil {
		return newFailureMessage(errNoStream)
	}
	t, ok := f.StreamFilter.(core.Ender)
	if !ok {
		return newFailureMessage(errors.New("the stream filter does not implement End"))
	}
	f.x.Finish = e.Finish
	v, err := t.End(ctx)
	if err != nil {
		return newFailureMessage(err)
	}
	return convertVerdict(&v, 0)
}

func (s *server) shutStream(ctx context.Context, c *pb.Close) *pb.FromPlugin {
	s.mu.Lock()
	f := s.filters[c.Stream]
	delete(s.filters, c.Stream)
	s.mu.Unlock()
	if f == nil {
		return newDoneMessage() // one that was not wanted
	}
	defer releaseExchange(f.x)
	if err := f.Close(ctx); err != nil {
		return newFailureMessage(err)
	}
	return newDoneMessage()
}
