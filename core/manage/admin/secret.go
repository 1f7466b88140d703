package admin

import (
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// minSecret is the minimum length of a signing secret in characters, and overlap how long the previous secret signs by
// default after a rotation.
const (
	minSecret = 16
	overlap   = 24 * time.Hour
)

// Rotation replaces a signing secret.
type Rotation struct {
	Secret         string `json:"secret" minLength:"16" maxLength:"512" writeOnly:"true" doc:"The new signing secret. It signs at once."`
	OverlapSeconds *int64 `json:"overlap_seconds,omitempty" minimum:"0" maximum:"2592000" doc:"How long the previous secret signs a second header, in seconds. Default: one day."`
}

func checkSecret(secret string) error {
	if len(secret) < minSecret {
		return newInvalidValueError("secret", "write %d characters or more, such as openssl rand -hex 32 prints", minSecret)
	}
	return nil
}

// rotate replaces a secret. The previous one signs a second header until the overlap ends.
func (r *Rotation) rotate(s *store.Secrets, box Box, context string, now time.Time) {
	d := overlap
	if r.OverlapSeconds != nil {
		d = time.Duration(*r.OverlapSeconds) * time.Second
	}
	old := s.Secret
	*s = store.Secrets{Secret: box.Seal([]byte(r.Secret), context)}
	if d > 0 {
		s.Previous, s.PreviousUntil = old, now.Add(d)
	}
}
