package process

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A call that came to nothing for want of a slot must not stay the one that tries.
func TestACallThatTriesAndIsNotMadeLeavesItToAnother(t *testing.T) {
	for outcome := range ended {
		p := &process{}
		b := &p.breaker
		b.p = p
		b.run.Store(tripAfter)
		require.Nil(t, b.allow(), "its pause is over, and one tries")
		require.NotNil(t, b.allow(), "no other does")
		b.told(&Error{Outcome: outcome})
		assert.Nil(t, b.allow(), "after %s another one tries", outcome)
	}
}
