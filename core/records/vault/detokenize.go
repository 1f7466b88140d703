package vault

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Detokenized reports what a detokenization revealed.
type Detokenized struct {
	Tenant   string
	Restored int            // placeholders replaced by their values
	Unknown  int            // placeholders left: unknown, expired, or of another tenant
	Types    map[string]int // replaced placeholders by type
}

// Detokenize replaces the placeholders in text by their values, whatever key or user of the tenant they are bound to.
// It is for administrators. Unknown and expired placeholders stay. It calls record before it returns the text, and an
// error of record withholds the text, so that no value is revealed without an audit record. Detokenizing does not
// extend the lifetime of tokens.
func (v *Vault) Detokenize(ctx context.Context, tenant, text string, record func(context.Context, Detokenized) error) (string, error) {
	if record == nil {
		return "", errors.New("detokenize: no record is kept; pass a function that writes one")
	}
	seen := Detokenized{Tenant: tenant, Types: map[string]int{}}
	t, err := v.openTenant(ctx, tenant, false)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", fmt.Errorf("detokenize: %w", err)
	}
	var out strings.Builder
	values := map[string]*string{} // by token; nil if unknown
	done := 0
	for at := 0; ; {
		start, end, ok := placeholder.Next(text, at)
		if !ok {
			break
		}
		at = end
		token := text[start:end]
		value, known := values[token]
		if !known && t != nil {
			if value, err = v.lookupValue(ctx, t, token); err != nil {
				return "", fmt.Errorf("detokenize: %w", err)
			}
		}
		values[token] = value
		if value == nil {
			seen.Unknown++
			continue
		}
		typ, _, _ := placeholder.SplitParts(token)
		seen.Types[typ]++
		seen.Restored++
		out.WriteString(text[done:start])
		out.WriteString(*value)
		done = end
	}
	out.WriteString(text[done:])
	if err := record(ctx, seen); err != nil {
		return "", fmt.Errorf("detokenize: the record could not be written: %w", err)
	}
	return out.String(), nil
}

// lookupValue returns the value of a token of the tenant, or nil if it is unknown or has expired.
func (v *Vault) lookupValue(ctx context.Context, t *tenant, token string) (*string, error) {
	typ, digits, ok := placeholder.SplitParts(token)
	if !ok {
		return nil, nil
	}
	t.gate.RLock()
	defer t.gate.RUnlock()
	if t.dead {
		return nil, nil
	}
	sh := v.cache.chooseTokenShard(digits)
	sh.mu.Lock()
	e := sh.tokens[tokenKey{t, token}]
	sh.mu.Unlock()
	if e == nil {
		var err error
		if e, err = v.load(ctx, t, sh, token, typ); err != nil || e == nil {
			return nil, err
		}
	}
	sh.mu.Lock()
	alive, sealed := v.clock().UnixMicro() < e.expires, e.sealed
	sh.mu.Unlock()
	if !alive {
		return nil, nil
	}
	value, err := t.open(e.token, e.typ, sealed)
	if err != nil {
		return nil, err
	}
	return &value, nil
}
