package splice_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/splice"
)

func TestAnIntegerIsReadHoweverItIsSpelled(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "10": 10, "-7": -7, "1e1": 10, "10.0": 10, "100E-1": 10, "9223372036854775807": 9223372036854775807, "9007199254740991.0": 1<<53 - 1,
	} {
		got, ok := splice.ParseInteger([]byte(text))
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "1.5", "9223372036854775808", "1e400", "-1e400", "9007199254740992.0", "x", "NaN"} {
		_, ok := splice.ParseInteger([]byte(text))
		assert.False(t, ok, text)
	}
}
