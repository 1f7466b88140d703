package guardrail

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
)

// work are the buffers of one check, kept for the next.
type work struct {
	pace     pace
	view     view
	scan     attackScan
	attack   attack
	attacked bool
	found    []finding
	noted    []notedFinding // in the run at hand
	value    []byte         // of the memory
	prefix   recall.Prefix
	edits    []core.Edit
	findings []core.Finding
	places   []place
	blocked  *guard // the first that blocks
	place    string // of what it blocks, if that is a tool result
	swap     *guard // the first that replaces the text at hand
	spans    []span
	shingles shingles
	seen     []uint32
	known    [2]shingleSet // of the system text, of the user's
}

// span is a place to redact.
type span struct {
	start, end int
	with       string
}
