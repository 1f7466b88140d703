package cases

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// recorder wraps the stage under test and records its verdicts on whole texts. The chain shifts findings with rewrites; a
// case reports their original positions.
type recorder struct {
	core.Stage
	findings []core.Finding
	edits    []core.Edit
}

var (
	_ core.StreamStage = (*recorder)(nil)
	_ core.Finisher    = (*recorder)(nil)
)

var errNoStream = errors.New("the stage cannot inspect streamed answers")

// Check implements core.Stage.
func (r *recorder) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	v, err := r.Stage.Check(ctx, x, p, kept)
	r.findings, r.edits = slices.Clone(v.Findings), slices.Clone(v.Edits)
	for i := range r.edits {
		r.edits[i].With = strings.Clone(r.edits[i].With)
	}
	return v, err // the chain tells the stage's own error apart
}

// Stream implements core.StreamStage as the chain would treat the stage without us.
func (r *recorder) Stream(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	if s, ok := r.Stage.(core.StreamStage); ok {
		return s.Stream(ctx, x, kept) // as above
	}
	return nil, errNoStream
}

// Finish implements core.Finisher.
func (r *recorder) Finish(ctx context.Context, x *core.Exchange, kept any) {
	if s, ok := r.Stage.(core.Finisher); ok {
		s.Finish(ctx, x, kept)
	}
}

// tapRecorder is a recorder of a stage that inspects streams event by event.
type tapRecorder struct{ *recorder }

var _ core.Tapper = tapRecorder{}

// Tap implements core.Tapper.
func (r tapRecorder) Tap(ctx context.Context, x *core.Exchange, kept any) (core.Tap, error) {
	return r.Stage.(core.Tapper).Tap(ctx, x, kept) // as above
}

// wrapStage wraps a stage.
func wrapStage(s core.Stage) (core.Stage, *recorder) {
	r := &recorder{Stage: s}
	if _, ok := s.(core.Tapper); ok {
		return tapRecorder{r}, r
	}
	return r, r
}

// began holds the start time of each run.
var began = time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)

// clock measures the time of a run.
type clock struct{ past atomic.Int64 }

func (c *clock) readTime() time.Time { return began.Add(time.Duration(c.past.Load())) }
