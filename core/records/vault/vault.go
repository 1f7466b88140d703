package vault

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Scope identifies the caller that stores or restores a value.
type Scope struct {
	Tenant string
	Key    string // lineage id of the caller's key
	User   string // end user, or "" if the caller names none
	// At is when the value is stored; zero means now. A caller that stores many values reads the clock once.
	At time.Time
}

// Options configure a Vault. A zero field takes the default.
type Options struct {
	TTL     time.Duration    // token lifetime after its last use; default 30 days
	Entries int              // tokens in memory; default 32768
	Clock   func() time.Time // default time.Now
}

// lazily is the minimum interval at which the store is updated with a token's last use.
const lazily = time.Minute

// Vault mints and resolves tokens. It is safe for concurrent use.
type Vault struct {
	db    *store.DB
	w     *store.Writer
	wrap  cipher.AEAD
	ttl   time.Duration
	clock func() time.Time
	cache *cache

	tenants atomic.Pointer[map[string]*tenant]
	grow    sync.Mutex // held while tenants is replaced
}

// New opens the vault of db, which writes through w. master is the key from LoadMaster.
func New(db *store.DB, w *store.Writer, m *Master, o Options) (*Vault, error) {
	wrap, err := newAEAD(m.derive("headgate vault wrap 1"))
	if err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	v := &Vault{db: db, w: w, wrap: wrap, ttl: o.TTL, clock: o.Clock}
	if v.ttl <= 0 {
		v.ttl = 30 * 24 * time.Hour
	}
	if v.clock == nil {
		v.clock = time.Now
	}
	if o.Entries <= 0 {
		o.Entries = 32768
	}
	v.cache = newCache(o.Entries)
	v.tenants.Store(&map[string]*tenant{})
	return v, nil
}

// openTenant returns the tenant's keys. With create it creates missing keys durably; otherwise it returns ErrNotFound.
func (v *Vault) openTenant(ctx context.Context, id string, create bool) (*tenant, error) {
	if t := (*v.tenants.Load())[id]; t != nil {
		return t, nil
	}
	if id == "" {
		return nil, errors.New("a token needs a tenant")
	}
	v.grow.Lock()
	defer v.grow.Unlock()
	if t := (*v.tenants.Load())[id]; t != nil {
		return t, nil
	}
	wrapped, err := v.db.Vault().GetKey(ctx, id)
	if errors.Is(err, store.ErrNotFound) && create {
		var fresh []byte
		if fresh, err = v.generateSecret(id); err == nil {
			wrapped, err = v.db.Vault().InsertKeyOnce(ctx, id, fresh)
		}
	}
	if err != nil {
		return nil, err
	}
	t, err := v.unwrap(id, wrapped)
	if err != nil {
		return nil, err
	}
	v.replace(t.id, t)
	return t, nil
}

// replace sets a tenant, or removes it if nil, in a copy of the map, because readers use the map without a lock.
func (v *Vault) replace(id string, t *tenant) {
	next := maps.Clone(*v.tenants.Load())
	if t == nil {
		delete(next, id)
	} else {
		next[id] = t
	}
	v.tenants.Store(&next)
}

// generateSecret generates a secret for the tenant and wraps it.
func (v *Vault) generateSecret(id string) ([]byte, error) {
	var secret [32]byte
	out := make([]byte, v.wrap.NonceSize(), 80)
	if _, err := rand.Read(secret[:]); err != nil {
		return nil, fmt.Errorf("create vault key: %w", err)
	}
	if _, err := rand.Read(out); err != nil {
		return nil, fmt.Errorf("create vault key: %w", err)
	}
	return v.wrap.Seal(out, out, secret[:], []byte(id)), nil
}

func (v *Vault) unwrap(id string, wrapped []byte) (*tenant, error) {
	n := v.wrap.NonceSize()
	if len(wrapped) < n {
		return nil, fmt.Errorf("the vault key of tenant %q is damaged", id)
	}
	secret, err := v.wrap.Open(nil, wrapped[:n], wrapped[n:], []byte(id))
	if err != nil {
		return nil, fmt.Errorf("the vault key of tenant %q cannot be decrypted: %w", id, ErrWrongMaster)
	}
	return newTenant(string([]byte(id)), wrapped, secret)
}
