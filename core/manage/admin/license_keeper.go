package admin

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/store"
)

// LicenseKeeper knows the licence of the installation, and tells of its transitions. Its methods may be called from any
// goroutine.
type LicenseKeeper struct {
	Store *store.DB
	Audit Auditor
	Keys  []ed25519.PublicKey // that licences are signed with
	Now   func() time.Time
	// Settled, when set, is the time without steps forward that do not last: what is noted as seen goes by it, so that a
	// clock that runs ahead for a while ends no licence for good.
	Settled func() time.Time
	// File is the licence of the configuration, which goes before the stored one; nil: none.
	File []byte
	// Changed, when set, hears of each transition that this node has told of.
	Changed func(ctx context.Context, from, to license.State, l *license.License)

	held  atomic.Pointer[heldLicense]
	check sync.Mutex
}

// heldLicense is what the keeper has read.
type heldLicense struct {
	license *license.License // nil: none, or one that cannot be used
	managed bool             // it is the configuration's
	set     store.License    // of the stored one
	seen    time.Time        // the latest time that any node has seen
	wrong   error            // why there is a file and no licence
}

var _ License = (*LicenseKeeper)(nil)

// seenEvery is how far the clock goes on before the time is noted.
const seenEvery = time.Hour

// retellAfter is how long a transition may wait for the node that has taken it on to tell of it.
const retellAfter = time.Minute

// current is the licence and the time that counts: a clock that was set back does not bring an expired licence back.
func (k *LicenseKeeper) current() (*heldLicense, time.Time) {
	now, h := k.Now(), k.held.Load()
	if h == nil {
		return &heldLicense{}, now
	}
	if h.seen.After(now) {
		now = h.seen
	}
	return h, now
}

// Licensed reports whether a feature is unlocked.
func (k *LicenseKeeper) Licensed(feature string) bool {
	h, now := k.current()
	return h.license.Unlocks(feature, now)
}

// MoreTenants reports whether one more tenant may be made where there are n.
func (k *LicenseKeeper) MoreTenants(n int) bool {
	h, now := k.current()
	return h.license.MoreTenants(n, now)
}

// State is the state of the licence, and the licence, nil for none.
func (k *LicenseKeeper) State() (license.State, *license.License) {
	h, now := k.current()
	return h.license.StateAt(now), h.license
}

// LastError says why the licence file of the configuration or the store cannot be used; nil when it can, or when there is
// none.
func (k *LicenseKeeper) LastError() error {
	h, _ := k.current()
	return h.wrong
}

// Check reads the licence again and tells the audit chain when its state is another than the one that was told of last:
// once in the installation, whichever node sees it first, and also when that node is killed on the way.
func (k *LicenseKeeper) Check(ctx context.Context) error {
	k.check.Lock()
	defer k.check.Unlock()
	h := &heldLicense{managed: k.File != nil}
	file := k.File
	if !h.managed {
		set, err := k.Store.Licenses().Get(ctx)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		h.set, file = set, set.File
	}
	if file != nil {
		l, err := license.Parse(file, k.Keys)
		h.license, h.wrong = l, err
	}
	known, err := k.Store.Licenses().GetState(ctx)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	h.seen = known.SeenAt
	digest := ""
	if h.license != nil {
		digest = h.license.Digest
	}
	if h.managed && digest != known.Digest { // the times that were seen were those of the file before
		h.seen = time.Time{}
	}
	k.held.Store(h)
	_, now := k.current()
	state := h.license.StateAt(now)
	if known.State == string(state) && known.Digest == digest && known.Told && k.clampClock(now).Sub(known.SeenAt) < seenEvery {
		return nil
	}
	return k.transition(ctx, h, state, digest, now)
}

// clampClock is the time that is noted as seen.
func (k *LicenseKeeper) clampClock(now time.Time) time.Time {
	if k.Settled == nil {
		return now
	}
	return k.Settled()
}

// transition notes the state, and tells of it when nobody has.
func (k *LicenseKeeper) transition(ctx context.Context, h *heldLicense, state license.State, digest string, now time.Time) error {
	var tell, left bool
	var at store.LicenseState
	err := k.Store.Licenses().ChangeState(ctx, func(s *store.LicenseState) bool {
		tell, left = false, false
		if seen := k.clampClock(now); seen.After(s.SeenAt) || h.managed && s.Digest != digest {
			s.SeenAt = seen
		}
		switch before := stateOf(s.State); {
		case before != state || s.Digest != digest:
			tell = s.State != "" || state != license.None // an installation that begins without one tells nothing
			s.Before, s.State, s.Digest, s.ChangedAt, s.Told = string(before), string(state), digest, now, !tell
		case !s.Told && now.Sub(s.ChangedAt) >= retellAfter: // who wanted to tell may be gone
			tell, left = true, true
		}
		at = *s
		return true
	})
	if err != nil || !tell {
		return err
	}
	if left {
		if told, err := k.wasRecorded(ctx, &at); err != nil {
			return err
		} else if told {
			return k.recordState(ctx, &at)
		}
	}
	var p audit.Payload
	p.Str("from", at.Before)
	p.Str("to", at.State)
	p.Str("posture", string(license.PostureOf(h.license)))
	if l := h.license; l != nil {
		p.Str("licensee", l.Licensee)
		p.Str("type", l.Type)
		p.Str("expires_at", l.ExpiresAt.UTC().Format(time.RFC3339))
		p.Str("digest", l.Digest)
	}
	if h.set.InstalledBy != "" {
		p.Str("actor", h.set.InstalledBy)
	}
	if err := k.Audit.Append(ctx, audit.Event{Type: audit.LicenseTransition, Payload: p.Bytes()}); err != nil {
		return fmt.Errorf("tell of the licence: %w", err)
	}
	if err := k.Audit.Sync(ctx); err != nil {
		return fmt.Errorf("tell of the licence: %w", err)
	}
	if k.Changed != nil {
		k.Changed(ctx, license.State(at.Before), state, h.license)
	}
	return k.recordState(ctx, &at)
}

// stateOf is a stored state; before the first one there is no licence.
func stateOf(stored string) license.State {
	if stored == "" {
		return license.None
	}
	return license.State(stored)
}

// wasRecorded looks for the event of a transition in the chains.
func (k *LicenseKeeper) wasRecorded(ctx context.Context, at *store.LicenseState) (told bool, err error) {
	f := store.AuditFilter{Type: audit.LicenseTransition, From: at.ChangedAt.Add(-time.Second), Limit: 1}
	err = k.Store.Audit().ForEach(ctx, f, func(*store.AuditRecord) error {
		told = true
		return nil
	})
	return told, err
}

// recordState notes that the chain knows, unless the state has gone on since.
func (k *LicenseKeeper) recordState(ctx context.Context, at *store.LicenseState) error {
	return k.Store.Licenses().ChangeState(ctx, func(s *store.LicenseState) bool {
		if s.State != at.State || s.Digest != at.Digest || !s.ChangedAt.Equal(at.ChangedAt) {
			return false
		}
		s.Told = true
		return true
	})
}
