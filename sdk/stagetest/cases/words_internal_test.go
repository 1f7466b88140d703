package cases

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
)

func TestACaseMayExpectEveryFaultThatThereIs(t *testing.T) {
	t.Parallel()
	words := faultWord("").Values()
	for f := core.FaultError; f == core.FaultError || f.String() != core.FaultError.String(); f++ { // what is none is told as error
		assert.Contains(t, words, f.String())
	}
}
