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

// LicenseKeeper reads the licence of the installation and writes an audit event for each change of its state. Its methods
// are safe for concurrent use.
type LicenseKeeper struct {
	Store *store.DB
	Audit Auditor
	Keys  []ed25519.PublicKey // of the issuers of licences
	Now   func() time.Time
	// Settled returns the time without temporary forward steps. What is stored as seen uses it, so that a clock that runs
	// ahead for a while does not end a licence permanently. Optional.
	Settled func() time.Time
	// File is the licence of the configuration, which precedes the stored one. Optional.
	File []byte
	// Changed is called after each state change that this node recorded. Optional.
	Changed func(ctx context.Context, from, to license.State, l *license.License)

	held  atomic.Pointer[heldLicense]
	check sync.Mutex
}

// heldLicense is what the keeper has read.
type heldLicense struct {
	license *license.License // nil if missing or unusable
	managed bool             // it comes from the configuration
	set     store.License    // of the stored one
	seen    time.Time        // the latest time that any node has seen
	wrong   error            // why a file yields no licence
}

var _ License = (*LicenseKeeper)(nil)

// seenEvery is how far the clock advances before the time is stored.
const seenEvery = time.Hour

// retellAfter is how long a node may take to record a state change that it claimed. After that another node records it.
const retellAfter = time.Minute

// loadCurrent returns the licence and the effective time: a clock that was set back does not revive an expired licence.
func (k *LicenseKeeper) loadCurrent() (*heldLicense, time.Time) {
	now, h := k.Now(), k.held.Load()
	if h == nil {
		return &heldLicense{}, now
	}
	if h.seen.After(now) {
		now = h.seen
	}
	return h, now
}

// IsLicensed reports whether a feature is unlocked.
func (k *LicenseKeeper) IsLicensed(feature string) bool {
	h, now := k.loadCurrent()
	return h.license.Unlocks(feature, now)
}

// AllowsMoreTenants reports whether another tenant may be created when there are n.
func (k *LicenseKeeper) AllowsMoreTenants(n int) bool {
	h, now := k.loadCurrent()
	return h.license.AllowsMoreTenants(n, now)
}

// State returns the state of the licence, and the licence or nil.
func (k *LicenseKeeper) State() (license.State, *license.License) {
	h, now := k.loadCurrent()
	return h.license.FindState(now), h.license
}

// LastError returns why the licence file of the configuration or the store cannot be used, or nil.
func (k *LicenseKeeper) LastError() error {
	h, _ := k.loadCurrent()
	return h.wrong
}

// Refresh reads the licence and records a change of its state in the audit log: once per installation, by whichever node
// sees it first, even if that node is killed while it records the change.
func (k *LicenseKeeper) Refresh(ctx context.Context) error {
	k.check.Lock()
	defer k.check.Unlock()
	h, known, digest, err := k.load(ctx)
	if err != nil {
		return err
	}
	_, now := k.loadCurrent()
	state := h.license.FindState(now)
	if known.State == string(state) && known.Digest == digest && known.Told && k.chooseSeenTime(now).Sub(known.SeenAt) < seenEvery {
		return nil
	}
	return k.recordTransition(ctx, h, state, digest, now)
}

// Load is Check without the record: for a process that only reads.
func (k *LicenseKeeper) Load(ctx context.Context) error {
	k.check.Lock()
	defer k.check.Unlock()
	_, _, _, err := k.load(ctx)
	return err
}

// load reads the licence and its last state. digest is empty without a licence that can be used.
func (k *LicenseKeeper) load(ctx context.Context) (h *heldLicense, known store.LicenseState, digest string, err error) {
	h = &heldLicense{managed: k.File != nil}
	file := k.File
	if !h.managed {
		set, err := k.Store.Licenses().Get(ctx)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, known, "", err
		}
		h.set, file = set, set.File
	}
	if file != nil {
		l, err := license.Parse(file, k.Keys)
		h.license, h.wrong = l, err
	}
	known, err = k.Store.Licenses().GetState(ctx)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, known, "", err
	}
	h.seen = known.SeenAt
	if h.license != nil {
		digest = h.license.Digest
	}
	if h.managed && digest != known.Digest { // the stored times belong to the previous file
		h.seen = time.Time{}
	}
	k.held.Store(h)
	return h, known, digest, nil
}

// chooseSeenTime returns the time to store as seen.
func (k *LicenseKeeper) chooseSeenTime(now time.Time) time.Time {
	if k.Settled == nil {
		return now
	}
	return k.Settled()
}

// recordTransition stores the state and records the change unless a node already has.
func (k *LicenseKeeper) recordTransition(ctx context.Context, h *heldLicense, state license.State, digest string, now time.Time) error {
	var tell, left bool
	var at store.LicenseState
	err := k.Store.Licenses().ChangeState(ctx, func(s *store.LicenseState) bool {
		tell, left = false, false
		if seen := k.chooseSeenTime(now); seen.After(s.SeenAt) || h.managed && s.Digest != digest {
			s.SeenAt = seen
		}
		switch before := parseState(s.State); {
		case before != state || s.Digest != digest:
			tell = s.State != "" || state != license.None // starting without a licence is not a change
			s.Before, s.State, s.Digest, s.ChangedAt, s.Told = string(before), string(state), digest, now, !tell
		case !s.Told && now.Sub(s.ChangedAt) >= retellAfter: // the node that claimed it may have died
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
	p.AddStr("from", at.Before)
	p.AddStr("to", at.State)
	p.AddStr("posture", string(license.FindPosture(h.license)))
	if l := h.license; l != nil {
		p.AddStr("licensee", l.Licensee)
		p.AddStr("type", l.Type)
		p.AddStr("expires_at", l.ExpiresAt.UTC().Format(time.RFC3339))
		p.AddStr("digest", l.Digest)
	}
	if h.set.InstalledBy != "" {
		p.AddStr("actor", h.set.InstalledBy)
	}
	if err := k.Audit.Append(ctx, audit.Event{Type: audit.LicenseTransition, Payload: p.Bytes()}); err != nil {
		return fmt.Errorf("record the licence state: %w", err)
	}
	if err := k.Audit.Sync(ctx); err != nil {
		return fmt.Errorf("record the licence state: %w", err)
	}
	if k.Changed != nil {
		k.Changed(ctx, license.State(at.Before), state, h.license)
	}
	return k.recordState(ctx, &at)
}

// parseState parses a stored state. An empty one means no licence.
func parseState(stored string) license.State {
	if stored == "" {
		return license.None
	}
	return license.State(stored)
}

// wasRecorded reports whether the audit log contains the event of a state change.
func (k *LicenseKeeper) wasRecorded(ctx context.Context, at *store.LicenseState) (told bool, err error) {
	f := store.AuditFilter{Type: audit.LicenseTransition, From: at.ChangedAt.Add(-time.Second), Limit: 1}
	err = k.Store.Audit().Visit(ctx, f, func(*store.AuditRecord) error {
		told = true
		return nil
	})
	return told, err
}

// recordState stores that the audit log contains the event, unless the state has changed again.
func (k *LicenseKeeper) recordState(ctx context.Context, at *store.LicenseState) error {
	return k.Store.Licenses().ChangeState(ctx, func(s *store.LicenseState) bool {
		if s.State != at.State || s.Digest != at.Digest || !s.ChangedAt.Equal(at.ChangedAt) {
			return false
		}
		s.Told = true
		return true
	})
}
