package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// ShredTenant deletes all tokens of the tenant, replaces its keys, and returns how many tokens were stored. Afterwards
// the same value has a different placeholder, and copies of the old rows cannot be decrypted.
func (v *Vault) ShredTenant(ctx context.Context, id string) (removed int, err error) {
	t, err := v.openTenant(ctx, id, false)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil && !errors.Is(err, ErrWrongMaster) { // keys that cannot be opened can still be deleted
		return 0, fmt.Errorf("delete tokens: %w", err)
	}
	if t != nil {
		t.gate.Lock()
		defer t.gate.Unlock()
	}
	if err := v.w.Sync(ctx); err != nil { // tokens still in the queue must be deleted too
		return 0, fmt.Errorf("delete tokens: %w", err)
	}
	fresh, err := v.generateSecret(id)
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

// forget drops a tenant's keys and entries. The caller holds its gate for writing.
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
// version advances.
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

// sweep is how many expired tokens one call of Expire removes, few enough to delay traffic by milliseconds only.
const sweep = 1000

// Expire removes some of the tokens that have expired at now and returns their number. Call it periodically, and again
// at once if it removed any. A now behind the clock keeps recently expired tokens, which would resolve again if the
// clock were set back.
func (v *Vault) Expire(ctx context.Context, now time.Time) (removed int, err error) {
	return v.db.Vault().DeleteExpired(ctx, now, sweep)
}
