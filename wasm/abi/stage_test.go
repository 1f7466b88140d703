package abi

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFieldsAndPhasesHaveNamesThatParse(t *testing.T) {
	for f := FieldModel; f < fieldEnd; f++ {
		require.NotEmpty(t, f.String(), "field %d", f)
		got, ok := ParseField(f.String())
		require.True(t, ok)
		assert.Equal(t, f, got)
	}
	assert.EqualValues(t, 52, fieldEnd-1, "a number was changed; they are fixed")
	_, ok := ParseField("")
	assert.False(t, ok)
	for p := PhaseRequest; p <= PhaseFinish; p++ {
		got, ok := ParsePhase(PhaseName(p))
		require.True(t, ok)
		assert.Equal(t, p, got)
	}
	assert.Empty(t, PhaseName(0)+PhaseName(9))
}

func TestLimitRecordsAreLittleEndianInTheOrderOfTheFields(t *testing.T) {
	in := Limit{
		Kind:   1,
		Flags:  2,
		KeyPtr: 3,
		KeyLen: 4,
		Cost:   5,
		Max:    6,
		Period: 7,
		Burst:  8,
		Ends:   9,
		Left:   -10,
		Spent:  11,
		Wait:   WaitNever,
		Reset:  13,
	}
	var b [LimitSize]byte
	PutLimit(b[:], &in)
	for i, at := range []int{0, 4, 8, 12} {
		assert.Equal(t, uint32(i+1), binary.LittleEndian.Uint32(b[at:]))
	}
	for i, want := range []int64{5, 6, 7, 8, 9, -10, 11, -1, 13, 0} {
		assert.Equal(t, want, int64(binary.LittleEndian.Uint64(b[16+8*i:])))
	}
	assert.Equal(t, in, GetLimit(b[:]))
}

func TestSegmentsArePackedInTheirBits(t *testing.T) {
	s := SegInfo{Role: RoleTool, Kind: SegToolResult, Source: SourceToolResult, Flags: SegJoined, Len: 0xFFFF0001}
	assert.Equal(t, uint64(0x04030501FFFF0001), PackSeg(s))
	assert.Equal(t, s, UnpackSeg(PackSeg(s)))
}
