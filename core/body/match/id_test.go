package match

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPatternsOfIDsDifferFromNames(t *testing.T) {
	for _, pattern := range []string{"k3vqx7mz2hj4n6ta", "*", "k3v*", "k3vqx7mz2hj4n6t?", "????????????????", "*a*"} {
		assert.True(t, CanBeID(pattern), pattern)
	}
	for _, name := range []string{"", "ci", "ci-*", "K3VQX7MZ2HJ4N6TA", "k3vqx7mz2hj4n6ta2", "k3vqx7mz2hj4n6t1", "dev?", "bot_*", "prod 1", "k3vqx7mz2hj4n6ta2*"} {
		assert.False(t, CanBeID(name), name)
	}
}
