package vault

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"

	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Resolve returns the value behind a placeholder if it is bound to the scope's key lineage or end user. Otherwise, and
// for unknown, expired or malformed placeholders, ok is false and err is nil, and the text keeps the placeholder.
// Resolve queries the database only if memory does not hold the placeholder. A query costs about as much as ten to
// twenty hits, so callers bound the number of unknown placeholders per exchange.
func (v *Vault) Resolve(ctx context.Context, s Scope, token string) (value string, ok bool, err error) {
	typ, digits, ok := placeholder.SplitParts(token)
	if !ok || (s.Key == "" && s.User == "") {
		return "", false, nil
	}
	t, err := v.openTenant(ctx, s.Tenant, false)
	if errors.Is(err, store.ErrNotFound) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("resolve token: %w", err)
	}
	t.gate.RLock()
	defer t.gate.RUnlock()
	if t.dead {
		return "", false, nil
	}
	sh := v.cache.chooseTokenShard(digits)
	sh.mu.Lock()
	e := sh.tokens[tokenKey{t, token}]
	sh.mu.Unlock()
	if e == nil {
		if e, err = v.load(ctx, t, sh, token, typ); err != nil || e == nil {
			return "", false, err
		}
	}
	return v.reveal(ctx, t, sh, e, s)
}

// reveal opens e for the scope and extends its expiry.
func (v *Vault) reveal(ctx context.Context, t *tenant, sh *shard, e *entry, s Scope) (string, bool, error) {
	want, n := t.listBindings(s)
	now := v.clock()
	sh.mu.Lock()
	e.seen = true
	mine := 0
	for mine < n && !e.isBound(want[mine]) {
		mine++
	}
	alive := now.UnixMicro() < e.expires
	stale := now.UnixMicro()-e.saved >= lazily.Microseconds()
	sealed := e.sealed
	sh.mu.Unlock()
	if mine == n || !alive {
		return "", false, nil
	}
	value, err := t.open(e.token, e.typ, sealed)
	if err != nil {
		return "", false, fmt.Errorf("resolve token: %w", err)
	}
	if stale {
		// A failed save loses only the extension, and the next use retries it.
		_ = v.save(ctx, sh, e, sealed, want[mine:mine+1], now)
	}
	return value, true, nil
}

// load reads a token from the store into memory. It returns nil if the token is unknown.
func (v *Vault) load(ctx context.Context, t *tenant, sh *shard, token, typ string) (*entry, error) {
	row, err := v.db.Vault().GetToken(ctx, t.id, token, v.clock())
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil // an unknown token is not an error
	}
	if err != nil {
		return nil, fmt.Errorf("resolve token: %w", err)
	}
	value, err := t.open(token, typ, row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("resolve token: %w", err)
	}
	token = strings.Clone(token)
	typ, _, _ = placeholder.SplitParts(token)
	e := &entry{
		of: t, token: token, typ: typ, digest: t.digestPair(typ, value), sealed: row.Sealed,
		saved: row.Seen.UnixMicro(), expires: row.Expires.UnixMicro(),
	}
	if subtle.ConstantTimeCompare(e.digest[digestTail:digestEnd], row.Digest) != 1 {
		return nil, fmt.Errorf("resolve token: %w", errOpen)
	}
	for b := row.Bindings; len(b) >= store.BindingSize; b = b[store.BindingSize:] {
		e.binds = append(e.binds, binding(b))
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if known := sh.tokens[tokenKey{t, token}]; known != nil {
		return known, nil
	}
	sh.add(e, v.cache.limit)
	return e, nil
}
