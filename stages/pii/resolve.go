package pii

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// resolve returns the value of a placeholder that the caller may read back. In a
// request that only renews it: a conversation that goes on keeps its values.
func (s *Stage) resolve(ctx context.Context, x *core.Exchange, w *work, token string) (string, bool, error) {
	if value, ok := x.Minted.Value(token); ok {
		return value, true, nil
	}
	if s.tokens == nil || len(w.unknown) >= maxUnknown || slices.Contains(w.unknown, token) {
		return "", false, nil
	}
	value, ok, err := s.tokens.Resolve(ctx, x, token)
	if err != nil {
		return "", false, fmt.Errorf("resolve a placeholder: %w", err)
	}
	if !ok {
		w.unknown = append(w.unknown, strings.Clone(token))
	}
	return value, ok, nil
}

// maxUnknown is how many placeholders that turn out to be unknown one exchange
// may ask for: each costs a look into the database, and a body can be full of
// invented ones. Further ones stay as they are, like all that are unknown; those
// that the exchange has made itself are always known.
const maxUnknown = 64
