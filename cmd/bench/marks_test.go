package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMarksAreRenumbered(t *testing.T) {
	tests := map[string]struct {
		renumber renumbering
		n        uint64
		want     string
	}{
		"all marks get the number":                       {renumberAll, 42, "a SEQ0000000042 b SEQ0000000042"},
		"only the first mark gets it":                    {renumberFirst, 42, "a SEQ0000000042 b SEQ0000000000"},
		"the number wraps instead of leaving its digits": {renumberFirst, 12345678901, "a SEQ2345678901 b SEQ0000000000"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b := []byte("a SEQ0000000000 b SEQ0000000000")
			at := findMarks(b, tc.renumber)
			writeSequence(b, at, 7)
			writeSequence(b, at, tc.n)
			assert.Equal(t, tc.want, string(b))
		})
	}
	assert.Empty(t, findMarks([]byte("SEQ000000000 is a digit short"), renumberAll))
}

func TestLoadsOneAfterTheOtherShareNoNumber(t *testing.T) {
	now := time.UnixMilli(1_790_000_123_456)
	a, b := chooseFirstNumber(now), chooseFirstNumber(now.Add(time.Second))
	assert.Equal(t, uint64(1_000_000), b-a, "a second apart leaves room for a million requests")
	assert.Less(t, a, uint64(1e10), "the number fits a mark")
}

func FuzzRenumberKeepsTheRest(f *testing.F) {
	f.Add([]byte("x SEQ0000000000 y SEQ0000000000"), uint64(9))
	f.Add([]byte("SEQSEQ0000000000"), uint64(1<<63))
	f.Fuzz(func(t *testing.T, b []byte, n uint64) {
		before := append([]byte(nil), b...)
		at := findMarks(b, renumberAll)
		writeSequence(b, at, n)
		require.Len(t, b, len(before))
		inMark := map[int]bool{}
		for _, i := range at {
			for j := i; j < i+seqDigits; j++ {
				inMark[j] = true
			}
		}
		for i := range b {
			if inMark[i] {
				require.True(t, b[i] >= '0' && b[i] <= '9')
			} else {
				require.Equal(t, before[i], b[i])
			}
		}
	})
}
