package scan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/splice"
)

func TestANumberMustLieInItsRange(t *testing.T) {
	for digits, ok := range map[string]bool{"0": true, "-0": true, "2": true, "1.5e0": true, "2.01": false, "-0.1": false, "1e400": false, "x": false, "": false} {
		e := CheckRange("temperature", []byte(digits), 0, 2)
		assert.Equal(t, ok, e == nil, digits)
		if !ok {
			assert.Equal(t, `"temperature" must be between 0 and 2`, e.Public)
			assert.Equal(t, "temperature", e.Param)
		}
	}
}

func TestAnIntegerIsReadHoweverItIsSpelled(t *testing.T) {
	for digits, want := range map[string]int64{"1": 1, "10": 10, "1e1": 10, "10.0": 10, "9007199254740993": 9007199254740993} {
		v, e := ParseInteger("n", []byte(digits), 1)
		require.Nil(t, e, digits)
		assert.Equal(t, want, v)
	}
	for _, digits := range []string{"0", "-1", "1.5", "1e400", "x"} {
		_, e := ParseInteger("n", []byte(digits), 1)
		require.NotNil(t, e, digits)
		assert.Equal(t, `"n" must be an integer of at least 1`, e.Public)
	}
	_, e := ParseInteger("seed", []byte("1.5"), -1<<63)
	assert.Equal(t, `"seed" must be an integer`, e.Public)
}

func TestACountIsBounded(t *testing.T) {
	for digits, want := range map[string]int64{
		"0": 0, "17": 17, "-3": 0, "1.5": 0, "4294967296": MaxCount, "4294967297": MaxCount, "9223372036854775807": MaxCount, `"17"`: 0,
	} {
		doc := []byte(digits)
		var s splice.Scanner
		s.Reset(doc)
		assert.Equal(t, want, ReadCount(&s, doc), digits)
	}
}
