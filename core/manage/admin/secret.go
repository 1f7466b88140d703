package admin

import (
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// minSecret is how many characters a signing secret has at least, and overlap how long the one before still signs
// unless a rotation says otherwise.
const (
	minSecret = 16
	overlap   = 24 * time.Hour
)

// Rotation replaces a signing secret.
type Rotation struct {
	Secret         string `json:"secret" minLength:"16" maxLength:"512" writeOnly:"true" doc:"The new signing secret, which signs from now on."`
	OverlapSeconds *int64 `json:"overlap_seconds,omitempty" minimum:"0" maximum:"2592000" doc:"How long the secret before signs a second header. A day unless sent."`
}

func checkSecret(secret string) error {
	if len(secret) < minSecret {
		return invalidValue("secret", "write %d characters or more, such as openssl rand -hex 32 prints", minSecret)
	}
	return nil
}

// rotate puts a new secret in the place of one, which signs a second header for a while.
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
