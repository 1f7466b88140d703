package stagetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/headgate-dev/headgate/core"
)

// guardedStage is a stage under test. Its panics fail the test and nothing else.
type guardedStage struct {
	core.Stage
	t    testing.TB
	shut bool
}

// panicError is a panic that was caught.
type panicError struct{ value any }

func (e panicError) Error() string { return fmt.Sprintf("the stage panicked: %v", e.value) }

func recoverPanic(t testing.TB, err *error) {
	if r := recover(); r != nil {
		*err = panicError{r}
		t.Errorf("%v", *err)
	}
}

// Check calls the stage.
func (s *guardedStage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (v core.Verdict, err error) {
	defer recoverPanic(s.t, &err)
	return s.Stage.Check(ctx, x, p, kept) // unwrapped, because the test compares the stage's error
}

// finish calls the stage's Finish, if it has one.
func (s *guardedStage) finish(ctx context.Context, x *core.Exchange, kept any) (err error) {
	defer recoverPanic(s.t, &err)
	if f, ok := s.Stage.(core.Finisher); ok {
		f.Finish(ctx, x, kept)
	}
	return nil
}

// findStream returns the stage as a StreamStage, or false if it does not inspect streams.
func (s *guardedStage) findStream() (core.StreamStage, bool) {
	st, ok := s.Stage.(core.StreamStage)
	if !ok {
		return nil, false
	}
	return triedStream{s, st}, true
}

type triedStream struct {
	*guardedStage
	of core.StreamStage
}

// Stream opens a filter whose panics are caught as well.
func (s triedStream) Stream(ctx context.Context, x *core.Exchange, kept any) (f core.StreamFilter, err error) {
	defer recoverPanic(s.t, &err)
	if f, err = s.of.Stream(ctx, x, kept); f == nil || err != nil {
		return nil, err // as above
	}
	if w, ok := f.(core.Withholder); ok {
		return triedWithholder{triedFilter{f, s.t}, w}, nil
	}
	return triedFilter{f, s.t}, nil
}

type triedWithholder struct {
	triedFilter
	of core.Withholder
}

// Withholds asks the filter.
func (f triedWithholder) Withholds() bool { return f.of.Withholds() }

type triedFilter struct {
	core.StreamFilter
	t testing.TB
}

// Check calls the filter.
func (f triedFilter) Check(ctx context.Context, w core.Window) (v core.Verdict, hold int, err error) {
	defer recoverPanic(f.t, &err)
	return f.StreamFilter.Check(ctx, w) // as above
}

// Close closes the filter.
func (f triedFilter) Close(ctx context.Context) (err error) {
	defer recoverPanic(f.t, &err)
	return f.StreamFilter.Close(ctx) // as above
}
