package main

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/process"
)

// Stream follows an answer whose request was missed.
func (c *cache) Stream(_ context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	key, ok := kept.([]byte)
	if !ok {
		return nil, nil // it lets the stream pass unseen
	}
	return &follower{c: c, x: x, key: string(key)}, nil
}

// follower takes the text of a streamed answer down. What is more than one text is not
// kept: a call of a tool, a second choice.
type follower struct {
	c    *cache
	x    *core.Exchange
	key  string
	part core.Part
	text []byte
	more bool
}

var (
	_ process.Follower = (*follower)(nil)
	_ core.Ender       = (*follower)(nil)
)

// Follows says that the client gets the text at once.
func (f *follower) Follows() bool { return true }

// Check takes new text down.
func (f *follower) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v := core.Verdict{Action: core.Pass}
	switch {
	case w.Part.Kind != core.KindText, len(f.text) > 0 && w.Part != f.part, len(f.text)+len(w.Text) > most:
		f.more, f.text = true, nil
	case !f.more:
		f.part, f.text = w.Part, append(f.text, w.Text...)
	}
	return v, 0, nil
}

// End stores the text of an answer that ended normally.
func (f *follower) End(ctx context.Context) (core.Verdict, error) {
	switch f.x.Finish {
	case "stop", "end_turn", "STOP", "completed":
		if !f.more {
			f.c.storeText(ctx, f.key, string(f.text))
		}
	}
	return core.Verdict{Action: core.Pass}, nil
}

// Close has nothing to let go of.
func (f *follower) Close(context.Context) error { return nil }
