package license

import (
	"slices"
	"time"
)

// State is the state of an installation's licence.
type State string

// The states. None means that the installation has no licence.
const (
	None         State = "NONE"
	Valid        State = "VALID"
	ExpiringSoon State = "EXPIRING_SOON"
	GracePeriod  State = "GRACE_PERIOD"
	Degraded     State = "DEGRADED"
)

// Posture says whether an installation has a licence.
type Posture string

// The postures.
const (
	Development   Posture = "DEVELOPMENT"
	ForProduction Posture = "PRODUCTION"
)

// How long before expiry a licence counts as expiring soon, and the grace period after it.
const (
	SoonDays  = 30
	GraceDays = 14

	day = 24 * time.Hour
)

// Limits of an installation without a valid licence.
const (
	FreeTenants = 3
	FreeCalls   = 100_000 // per month; shown but not enforced
)

// FindState returns the state of the licence at a time; None if l is nil.
func (l *License) FindState(now time.Time) State {
	if l == nil {
		return None
	}
	switch left := l.ExpiresAt.Sub(now); {
	case left > SoonDays*day:
		return Valid
	case left > 0:
		return ExpiringSoon
	case left > -GraceDays*day:
		return GracePeriod
	}
	return Degraded
}

// FindPosture returns the posture of an installation with licence l, which may be nil.
func FindPosture(l *License) Posture {
	if l == nil {
		return Development
	}
	return ForProduction
}

// IsInForce reports whether the licence's terms apply in this state.
func (s State) IsInForce() bool { return s == Valid || s == ExpiringSoon || s == GracePeriod }

// Unlocks reports whether the licence unlocks a feature at a time. Compliance reports stay unlocked after the grace period:
// a duty to report does not end with a licence, and their PDFs say that it has expired.
func (l *License) Unlocks(feature string, now time.Time) bool {
	state := l.FindState(now)
	return (state.IsInForce() || state == Degraded && feature == Reports) && slices.Contains(ListFeatures(), feature) &&
		(len(l.Features) == 0 || slices.Contains(l.Features, feature))
}

// AllowsMoreTenants reports whether another tenant may be created when n exist.
func (l *License) AllowsMoreTenants(n int, now time.Time) bool {
	return n < FreeTenants || l.FindState(now).IsInForce()
}
