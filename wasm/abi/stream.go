package abi

// MaxStreamMatch is the longest match, in bytes, that a detector with hg_stream may report. It bounds the text of a streamed answer that
// the host holds back for it.
const MaxStreamMatch = 16 << 10

// MaxStreamHold is the most bytes of a part that a stage with hg_stream may hold back.
const MaxStreamHold = 48 << 10

// LabelDecided, as the label of the last record of a detector's hg_stream, makes it a mark instead of a match: the detector will report
// no more matches that begin before its Start, so the host releases that text. From the next call on, offsets count from there. End
// equals Start. Without marks, offsets count from the beginning of the part, and the host holds max_match bytes.
const LabelDecided = 0xFFFE

// Operations of hg_stream, in bits 0-3 of its flags. Bits 8-15 hold the source,
// as for hg_detect.
const (
	// StreamOpen begins a part. The host chooses the handle, which identifies the part in later calls. The low half of the result is 0,
	// or 1 if the guest does not want to see this part.
	StreamOpen uint32 = 1
	// StreamPush passes text that follows the text passed before. A detector returns ptr<<32 | bytes of span records. Their offsets count
	// from the beginning of the part's text that is still held: from its last mark (see LabelDecided), or from the beginning of the part.
	// A stage returns the number of bytes to hold back at the end of the part's text that is still held.
	StreamPush uint32 = 2
	// StreamClose ends the part. The result is that of a last StreamPush. A stage can hold nothing back any longer and returns 0.
	StreamClose uint32 = 3
	// StreamOpMask masks the operation in the flags.
	StreamOpMask uint32 = 0xF
)
