package cases

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// vault mints placeholders that a case can name: the first of its type in a run ends in …0001, the
// second in …0002.
type vault struct {
	mu     sync.Mutex
	tokens map[[2]string]string // by type and value
	values map[string]string
	count  map[string]int
}

var _ core.Tokens = (*vault)(nil)

func (v *vault) reset() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tokens, v.values, v.count = map[[2]string]string{}, map[string]string{}, map[string]int{}
}

// Mint implements core.Tokens.
func (v *vault) Mint(_ context.Context, _ *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	if !placeholder.IsValidType(typ) {
		return "", errors.New("the type of a placeholder must be a letter, then up to 30 capital letters, digits and underscores")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	key := [2]string{typ, strings.Clone(value)}
	if token, ok := v.tokens[key]; ok {
		return token, nil
	}
	v.count[typ]++
	token := placeholder.Format(typ, fmt.Sprintf("%016x", v.count[typ]))
	v.tokens[key], v.values[token] = token, key[1]
	return token, nil
}

// Resolve implements core.Tokens.
func (v *vault) Resolve(_ context.Context, _ *core.Exchange, token string) (string, bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, ok := v.values[token]
	return strings.Clone(value), ok, nil
}

// showPlaceholders replaces placeholders of this run by <TYPE>.
func (v *vault) showPlaceholders(text string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key, token := range v.tokens {
		text = strings.ReplaceAll(text, token, "<"+key[0]+">")
	}
	return text
}
