package splice

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Objects of every size around the change from comparing to hashing, with each
// key repeated at the end in turn.
func TestScannerFindsAnyRepeatedKey(t *testing.T) {
	for _, form := range []string{`"%d":0`, `"a-common-prefix-%d":0`, `"\u006bey-%d":0`} {
		for _, size := range []int{1, 2, linearNames - 1, linearNames, linearNames + 1, 31, 32, 33, 64, 100, 150} {
			members := make([]string, size)
			for i := range members {
				members[i] = fmt.Sprintf(form, i)
			}
			doc := "{" + strings.Join(members, ",")
			require.NoError(t, check(doc+"}"))
			for i := range members {
				// The other spelling of the same key must be found as well.
				again := strings.ReplaceAll(members[i], `\u006b`, `k`)
				var syntax *SyntaxError
				require.ErrorAs(t, check(doc+","+again+"}"), &syntax)
				assert.Equal(t, &SyntaxError{Offset: len(doc) + 1, Reason: ReasonDuplicateKey}, syntax)
			}
		}
	}
}

func TestScannerForgetsTheKeysOfClosedObjects(t *testing.T) {
	var s Scanner
	s.Reset([]byte("[" + strings.Repeat(manyKeys(40)+",", 20) + `{"\u0061":{}}]`))
	require.True(t, s.Enter())
	for s.Next() {
		s.Skip()
		assert.Empty(t, s.names.all)
		assert.Empty(t, s.names.decoded)
		assert.Empty(t, s.names.table)
	}
	require.True(t, s.End())
}

func TestScannerGivesBackLargeKeyLists(t *testing.T) {
	var s Scanner
	s.Reset([]byte(strings.ReplaceAll(manyKeys(20_000), "key", `\u006bey`)))
	s.Skip()
	require.True(t, s.End())
	require.Greater(t, cap(s.names.all), 10_000)
	s.Reset(nil)
	assert.Zero(t, cap(s.names.all))
	assert.Zero(t, cap(s.names.decoded))
	assert.Zero(t, cap(s.names.table))
}

func TestScannerLendsKeysThatCannotReachTheDocument(t *testing.T) {
	for _, doc := range []string{`{"ab":1}`, `{"\u0061b":1}`} {
		var s Scanner
		s.Reset([]byte(doc))
		s.Enter()
		s.Next()
		key := s.Key()
		assert.Equal(t, "ab", string(key))
		assert.Equal(t, len(key), cap(key))
	}
}

// Eight-byte steps over blanks must stop at the first byte that is none.
func TestScannerSkipsAnyRunOfWhiteSpace(t *testing.T) {
	for n := range 40 {
		for _, space := range []string{" ", "\n", "\t", "\r"} {
			run := strings.Repeat(" ", n/2) + space + strings.Repeat(" ", n)
			doc := run + "[" + run + "12" + run + "," + run + `{"a"` + run + ":" + run + `3}` + run + "]" + run
			require.NoError(t, check(doc), "%q", doc)
			assert.Error(t, check(run+"x"), "%q", run)
		}
	}
}
