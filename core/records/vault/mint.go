package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/records/store"
)

// digestTail and digestEnd delimit the part of a digest that is stored beside a token to distinguish values.
const digestTail, digestEnd = 8, 24

// Mint returns the placeholder of value and binds it to the scope's key and end user. Within a tenant, the same type
// and value always yield the same placeholder. If the scope names neither, only the tenant's administrators can restore
// the value. typ matches [A-Z][A-Z0-9_]{0,30}. An error, such as store.ErrBusy, means that the value was not stored;
// the caller must not send the placeholder out.
func (v *Vault) Mint(ctx context.Context, s Scope, typ, value string) (string, error) {
	if !placeholder.IsValidType(typ) {
		return "", errors.New("mint token: the type must be capitals, digits and underscores, 31 at most")
	}
	for {
		t, err := v.openTenant(ctx, s.Tenant, true)
		if err != nil {
			return "", fmt.Errorf("mint token: %w", err)
		}
		t.gate.RLock()
		if t.dead { // shredded just now: the next round finds the new keys
			t.gate.RUnlock()
			continue
		}
		token, err := v.mint(ctx, t, s, typ, value)
		t.gate.RUnlock()
		if err != nil {
			return "", fmt.Errorf("mint token: %w", err)
		}
		return token, nil
	}
}

func (v *Vault) mint(ctx context.Context, t *tenant, s Scope, typ, value string) (string, error) {
	now := s.At
	if now.IsZero() {
		now = v.clock()
	}
	want, n := t.listBindings(s)
	m, marked := t.computeMark(typ, value)
	if marked {
		if e, sh := v.cache.lookupMark(t, m); e != nil {
			return v.mintKnown(ctx, sh, e, want[:n], now)
		}
	}
	digest := t.digestPair(typ, value)
	sh := v.cache.chooseShard(digest[0])
	sh.mu.Lock()
	if e := sh.digests[digestKey{t, digest}]; e != nil {
		if marked {
			v.cache.storeMark(e, m)
		}
		return v.mintKnown(ctx, sh, e, want[:n], now)
	}
	token, err := sh.chooseToken(t, typ, digest)
	sh.mu.Unlock()
	if err != nil {
		return "", err
	}
	sealed, err := t.seal(token, typ, value)
	if err != nil {
		return "", err
	}
	typ, _, _ = placeholder.SplitParts(token) // take typ from the token: the argument may alias a request's memory
	e := &entry{of: t, token: token, typ: typ, digest: digest, sealed: sealed}
	return token, v.save(ctx, sh, e, sealed, want[:n], now)
}

// mintKnown returns the placeholder of a value in memory. The shard is locked; mintKnown unlocks it.
func (v *Vault) mintKnown(ctx context.Context, sh *shard, e *entry, want []binding, now time.Time) (string, error) {
	e.seen = true
	fresh := now.UnixMicro()-e.saved < lazily.Microseconds()
	for i := range want {
		if !e.isBound(want[i]) {
			fresh = false
		}
	}
	sealed := e.sealed // never modified in place
	sh.mu.Unlock()
	if fresh {
		return e.token, nil
	}
	return e.token, v.save(ctx, sh, e, sealed, want, now)
}

// listBindings returns the bindings of a scope.
func (t *tenant) listBindings(s Scope) (want [2]binding, n int) {
	if s.Key != "" {
		want[n] = t.computeBinding('k', s.Key)
		n++
	}
	if s.User != "" {
		want[n] = t.computeBinding('u', s.User)
		n++
	}
	return want, n
}

// chooseToken returns the token of a new value in the locked shard: 16 digits, or 24 if another value has those 16. It
// checks only memory, because a read per new value would put the database on the hot path. If two values share the same
// 64 bits and the second arrives long after the first, the store keeps the first; the second restores only while it is
// in memory. That needs about 2^32 values in one tenant, and never reveals a value to a caller that it is not bound to.
func (s *shard) chooseToken(t *tenant, typ string, digest [sha256.Size]byte) (string, error) {
	for _, digits := range [...]int{placeholder.ShortHex, placeholder.LongHex} {
		token := formatPlaceholder(typ, digest[:digits/2])
		if s.tokens[tokenKey{t, token}] == nil {
			return token, nil
		}
	}
	return "", errors.New("two values have the same 24 digits")
}

func formatPlaceholder(typ string, digest []byte) string {
	var buf [placeholder.LongHex]byte
	return placeholder.Format(typ, string(hex.AppendEncode(buf[:0], digest)))
}

// save sends the token with its new times and bindings to the store, and marks it as known only if the queue accepts
// it. Otherwise the next mint sends it again.
func (v *Vault) save(ctx context.Context, sh *shard, e *entry, sealed []byte, add []binding, now time.Time) error {
	var run [2 * store.BindingSize]byte
	n := 0
	for i := range add {
		n += copy(run[n:], add[i][:])
	}
	expires := now.Add(v.ttl)
	err := v.w.AppendToken(ctx, &store.VaultToken{
		Tenant: e.of.id, Token: e.token, Kind: e.typ, Digest: e.digest[digestTail:digestEnd], Sealed: sealed,
		Bindings: run[:n], Seen: now, Expires: expires,
	})
	if err != nil {
		return err
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	known := sh.digests[digestKey{e.of, e.digest}]
	if known == nil {
		if e.dropped { // evicted since it was found; the ring may still hold it, so that a copy takes its place
			again := *e
			again.dropped, again.sealed = false, sealed
			e = &again
		}
		sh.add(e, v.cache.limit)
		known = e
	}
	for _, b := range add {
		if !known.isBound(b) && len(known.binds) < maxBinds {
			known.binds = append(known.binds, b)
		}
	}
	known.saved, known.expires = now.UnixMicro(), expires.UnixMicro()
	return nil
}

// maxBinds is how many bindings the store keeps per token.
const maxBinds = 256
