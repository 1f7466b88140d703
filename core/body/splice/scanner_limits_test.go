package splice

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScannerLimitsDepthAndKeys(t *testing.T) {
	nested := func(n int) []byte {
		return []byte(strings.Repeat(`{"a":[`, n/2) + strings.Repeat(`]}`, n/2))
	}
	var s Scanner
	s.Reset(nested(DefaultMaxDepth))
	s.Skip()
	require.NoError(t, s.Err())
	s.Reset(nested(DefaultMaxDepth + 2))
	s.Skip()
	assert.Equal(t, &SyntaxError{Offset: DefaultMaxDepth * 3, Reason: ReasonTooDeep}, s.Err())

	s.MaxDepth, s.MaxKeys = 2, 3
	s.Reset([]byte(`[[],[[]]]`))
	s.Skip()
	assert.Equal(t, &SyntaxError{Offset: 5, Reason: ReasonTooDeep}, s.Err())
	s.Reset([]byte(`[{"a":1,"b":1,"c":1},{"a":1,"b":1,"c":1}]`))
	s.Skip()
	require.NoError(t, s.Err(), "keys of closed objects do not count")
	s.Reset([]byte(`{"a":1,"b":1,"c":1,"d":1}`))
	s.Skip()
	assert.Equal(t, &SyntaxError{Offset: 19, Reason: ReasonTooManyKeys}, s.Err())
}
