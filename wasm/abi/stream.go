package abi

// MaxStreamMatch is the longest match, in bytes, that a detector with hg_stream may
// report. It bounds how much of a streamed answer the host holds back for it.
const MaxStreamMatch = 16 << 10

// MaxStreamHold is how many bytes of a part a stage with hg_stream may hold back.
const MaxStreamHold = 48 << 10

// LabelDecided as the label of the last record of a detector's hg_stream is a mark and
// no match: no match that begins before its Start will be reported any more, so the
// host lets that text go. From the next call on, offsets count from there. End is the
// same as Start. Without marks offsets count from the beginning of the part, and the
// host holds max_match bytes.
const LabelDecided = 0xFFFE

// Operations of hg_stream, in bits 0-3 of its flags. Bits 8-15 hold the source,
// as for hg_detect.
const (
	// StreamOpen begins a part; handle is the host's and names it from here on.
	// The low half of the result is 0, or 1 when the guest does not want to see
	// this part.
	StreamOpen uint32 = 1
	// StreamPush shows text that follows what was shown before. A detector gives
	// ptr<<32 | bytes of span records whose offsets count from the beginning of
	// the part's text that is still held: from its last mark, see LabelDecided, or
	// else from where the part begins. A stage gives the number of bytes that must
	// wait, at the end of the part's text that is still held.
	StreamPush uint32 = 2
	// StreamClose ends the part; the result is that of a last StreamPush. A stage
	// holds nothing any more: it gives 0.
	StreamClose uint32 = 3
	// StreamOpMask takes the operation out of the flags.
	StreamOpMask uint32 = 0xF
)
