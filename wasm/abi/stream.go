package abi

// MaxStreamMatch is the longest match, in bytes, that a detector with hg_stream may
// report. It bounds how much of a streamed answer the host holds back for it.
const MaxStreamMatch = 16 << 10

// LabelDecided as the label of the last record of hg_stream is a mark and no match:
// no match that begins before its Start will be reported any more, so the host lets
// that text go. From the next call on, offsets count from there. End is the same as
// Start. Without marks offsets count from the beginning of the part, and the host
// holds max_match bytes.
const LabelDecided = 0xFFFE
