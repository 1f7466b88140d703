package main

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// Stream implements core.StreamStage.
func (m *module) Stream(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	k, err := m.find(kept)
	if err != nil {
		return nil, err
	}
	f, err := m.plugin.Stream(ctx, x, k)
	if f == nil || err != nil {
		return nil, err
	}
	return &filter{f, m, kept}, nil
}

// filter replaces what the module keeps by its number.
type filter struct {
	core.StreamFilter
	m    *module
	kept any
}

var (
	_ core.Withholder = (*filter)(nil)
	_ core.Ender      = (*filter)(nil)
	_ core.LateFinder = (*filter)(nil)
)

// Withholds implements core.Withholder.
func (f *filter) Withholds() bool {
	w, ok := f.StreamFilter.(core.Withholder)
	return ok && w.Withholds()
}

// FindsLate implements core.LateFinder.
func (f *filter) FindsLate() bool {
	l, ok := f.StreamFilter.(core.LateFinder)
	return ok && l.FindsLate()
}

// Check implements core.StreamFilter.
func (f *filter) Check(ctx context.Context, w core.Window) (core.Verdict, int, error) {
	v, hold, err := f.StreamFilter.Check(ctx, w)
	f.store(&v)
	return v, hold, err
}

// End implements core.Ender.
func (f *filter) End(ctx context.Context) (core.Verdict, error) {
	e, ok := f.StreamFilter.(core.Ender)
	if !ok {
		return core.Verdict{Action: core.Pass}, nil
	}
	v, err := e.End(ctx)
	f.store(&v)
	return v, err
}

func (f *filter) store(v *core.Verdict) {
	if v.Keep != nil {
		f.m.store(v, f.kept)
		f.kept = v.Keep
	}
}
