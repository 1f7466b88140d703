package license

import (
	"slices"
	"time"
)

// State is how an installation stands with its licence.
type State string

// The states. None is that of an installation without a licence.
const (
	None         State = "NONE"
	Valid        State = "VALID"
	ExpiringSoon State = "EXPIRING_SOON"
	GracePeriod  State = "GRACE_PERIOD"
	Degraded     State = "DEGRADED"
)

// Posture is whether an installation has a licence.
type Posture string

// The postures.
const (
	Development   Posture = "DEVELOPMENT"
	ForProduction Posture = "PRODUCTION"
)

// How long before its end a licence is told to expire, and for how long after it all goes on.
const (
	SoonDays  = 30
	GraceDays = 14

	day = 24 * time.Hour
)

// Limits of an installation without a licence that is valid.
const (
	FreeTenants = 3
	FreeCalls   = 100_000 // a month, shown and not enforced
)

// StateAt is the state of a licence at a moment; that of nil is None.
func (l *License) StateAt(now time.Time) State {
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

// PostureOf says whether there is a licence.
func PostureOf(l *License) Posture {
	if l == nil {
		return Development
	}
	return ForProduction
}

// InForce reports whether a state lets an installation do what its licence says.
func (s State) InForce() bool { return s == Valid || s == ExpiringSoon || s == GracePeriod }

// Unlocks reports whether the licence unlocks a feature at a moment.
func (l *License) Unlocks(feature string, now time.Time) bool {
	return l.StateAt(now).InForce() && slices.Contains(Features(), feature) &&
		(len(l.Features) == 0 || slices.Contains(l.Features, feature))
}

// MoreTenants reports whether one more tenant may be made where there are n.
func (l *License) MoreTenants(n int, now time.Time) bool {
	return n < FreeTenants || l.StateAt(now).InForce()
}
