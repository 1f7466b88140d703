package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// DeleteTenant forgets all tokens of the tenant, replaces its keys, and answers how many tokens were stored. The same
// value has another placeholder afterwards, and copies of the old rows cannot be opened by anybody.
func (v *Vault) DeleteTenant(ctx context.Context, id string) (removed int, err error) {
	t, err := v.tenant(ctx, id, false)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil && !errors.Is(err, ErrWrongMaster) { // keys that do not open can be thrown away all the same
		return 0, fmt.Errorf("delete tokens: %w", err)
	}
	if t != nil {
		t.gate.Lock()
		defer t.gate.Unlock()
	}
	if err := v.w.Sync(ctx); err != nil { // what was minted until now must be deleted too
		return 0, fmt.Errorf("delete tokens: %w", err)
	}
	fresh, err := v.fresh(id)
	if err != nil {
		return 0, fmt.Errorf("delete tokens: %w", err)
	}
	removed, err = v.db.Vault().Shred(ctx, id, fresh)
	if err != nil {
		return 0, fmt.Errorf("delete tokens: %w", err)
	}
	if t != nil {
		v.forget(t)
	}
	return removed, nil
}

// forget drops a tenant's keys and entries; its gate is held for writing.
func (v *Vault) forget(t *tenant) {
	t.dead = true
	v.grow.Lock()
	if (*v.tenants.Load())[t.id] == t {
		v.replace(t.id, nil)
	}
	v.grow.Unlock()
	v.cache.purge(t)
}

// Refresh drops the keys and tokens of tenants that another process has shredded. Call it when the configuration
// version has advanced.
func (v *Vault) Refresh(ctx context.Context) error {
	for id, t := range *v.tenants.Load() {
		wrapped, err := v.db.Vault().GetKey(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("refresh vault: %w", err)
		}
		if string(wrapped) == t.wrapped {
			continue
		}
		t.gate.Lock()
		v.forget(t)
		t.gate.Unlock()
	}
	return nil
}

// sweep is how many expired tokens one call of Expire removes: few enough that traffic waits for milliseconds only.
const sweep = 1000

// Expire removes some of the tokens that have expired at now and answers how many. Call it now and then, and again at
// once when it removed any. A now that is behind the clock leaves what does not resolve any more, and would again if the
// clock were set back.
func (v *Vault) Expire(ctx context.Context, now time.Time) (removed int, err error) {
	return v.db.Vault().DeleteExpired(ctx, now, sweep)
}
