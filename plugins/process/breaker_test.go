package process

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A call that came to nothing for want of a slot must not stay the one that tries.
func TestACallThatTriesAndIsNotMadeLeavesItToAnother(t *testing.T) {
	for outcome := range neutral {
		p, now := &process{}, time.Duration(0)
		b := newBreaker(p, func() time.Duration { return now })
		for range tripAfter {
			permit, err := b.allow()
			require.Nil(t, err)
			b.report(permit, &Error{Outcome: OutcomeFailed})
		}
		now += firstPause
		trial, err := b.allow()
		require.Nil(t, err, "its pause is over, and one tries")
		_, err = b.allow()
		require.NotNil(t, err, "no other does")
		b.report(trial, &Error{Outcome: outcome})
		_, err = b.allow()
		assert.Nil(t, err, "after %s another one tries", outcome)
	}
}
