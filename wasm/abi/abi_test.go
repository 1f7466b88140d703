package abi

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpanRecordsAreLittleEndianInTheOrderOfTheFields(t *testing.T) {
	var b [SpanSize]byte
	s := Span{Start: 0x01020304, End: 0x05060708, Label: 0x090a, Flags: 0x0b0c, Score: 0x0d0e0f10}
	PutSpan(b[:], s)
	assert.Equal(t, [SpanSize]byte{4, 3, 2, 1, 8, 7, 6, 5, 0xa, 9, 0xc, 0xb, 0x10, 0xf, 0xe, 0xd}, b)
	assert.Equal(t, s, GetSpan(b[:]))
}

func TestPackUndoesUnpack(t *testing.T) {
	ptr, n := Unpack(Pack(0xFFFF0001, BytesError))
	assert.Equal(t, uint32(0xFFFF0001), ptr)
	assert.Equal(t, uint32(BytesError), n)
}

func TestSourcesHaveNamesThatParse(t *testing.T) {
	for s := SourceSystem; s <= SourceOther; s++ {
		got, ok := ParseSource(s.String())
		require.True(t, ok, s.String())
		assert.Equal(t, s, got)
		assert.Equal(t, s, SourceOf(WithSource(DetectAfter|DetectBefore, s)))
	}
	_, ok := ParseSource("unknown")
	assert.False(t, ok, "a configuration cannot ask for an unknown source")
	assert.Equal(t, "unknown", Source(200).String())
}
