package abi

// SpanSize is the size of a span record in bytes.
const SpanSize = 16

// MaxSpans is the most spans that one call of hg_detect may report.
const MaxSpans = 4096

// LabelOverflow, as the label of the last record, means that there were more matches than fit. The host treats it as an error: results
// are never silently truncated.
const LabelOverflow = 0xFFFF

// BytesError in the low half of hg_detect's result means that the guest failed.
const BytesError = 0xFFFFFFFF

// Span is one match. As a record it is 16 bytes, little endian, in the order of the fields. Start and End are byte offsets in the given
// text, with Start < End, on the boundaries of UTF-8 sequences. Records are sorted by Start. Label is an index into the manifest's
// labels. Flags are reserved and must be 0. Score holds the bits of a float32 between 0 and 1.
type Span struct {
	Start, End   uint32
	Label, Flags uint16
	Score        uint32
}

// PutSpan writes a record; b holds at least SpanSize bytes.
func PutSpan(b []byte, s Span) {
	_ = b[SpanSize-1]
	putUint32(b[0:], s.Start)
	putUint32(b[4:], s.End)
	b[8], b[9] = byte(s.Label), byte(s.Label>>8)
	b[10], b[11] = byte(s.Flags), byte(s.Flags>>8)
	putUint32(b[12:], s.Score)
}

// GetSpan reads a record; b holds at least SpanSize bytes.
func GetSpan(b []byte) Span {
	_ = b[SpanSize-1]
	return Span{
		Start: getUint32(b[0:]), End: getUint32(b[4:]),
		Label: uint16(b[8]) | uint16(b[9])<<8,
		Flags: uint16(b[10]) | uint16(b[11])<<8,
		Score: getUint32(b[12:]),
	}
}

func putUint32(b []byte, v uint32) {
	_ = b[3]
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

func getUint32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// Pack encodes an address and a length in bytes as the result of hg_detect.
func Pack(ptr, bytes uint32) uint64 { return uint64(ptr)<<32 | uint64(bytes) }

// Unpack decodes the result of hg_detect.
func Unpack(r uint64) (ptr, bytes uint32) { return uint32(r >> 32), uint32(r) }
