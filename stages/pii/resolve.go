package pii

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// resolve returns the value of a placeholder if the caller may resolve it. In a request it only renews the value: a
// conversation that continues keeps its values.
func (s *Stage) resolve(ctx context.Context, x *core.Exchange, w *work, token string) (string, bool, error) {
	if value, ok := x.Minted.FindValue(token); ok {
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

// maxUnknown limits the lookups of unknown placeholders in one exchange: each costs a database query, and a body can be
// full of invented ones. Further placeholders stay unchanged, like all unknown ones. Placeholders that the exchange created
// are always known.
const maxUnknown = 64
