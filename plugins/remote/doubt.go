package remote

import (
	"context"
	"slices"
)

// keepDoubtful drops the windows that Options.Doubtful finds harmless. It stops when ctx ends, because the call that follows
// fails then.
func (s *Stage) keepDoubtful(ctx context.Context, parts []part) []part {
	if s.o.Doubtful == nil {
		return parts
	}
	return slices.DeleteFunc(parts, func(p part) bool { return ctx.Err() == nil && !s.o.Doubtful(ctx, &p.Piece) })
}
