package guardrail

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
)

// work holds the buffers of one check, which the next reuses.
type work struct {
	pace        pace
	view        view
	scan        attackScan
	attack      attack
	attacked    bool
	definitions definitionScan
	found       []finding
	noted       []notedFinding // in the current run
	value       []byte         // of the memory
	prefix      recall.Prefix
	edits       []core.Edit
	findings    []core.Finding
	places      []place
	blocked     *guard // the first guard that blocks
	place       string // of what it blocks, if that is a tool result
	swap        *guard // the first guard that replaces the current text
	spans       []span
	shingles    shingles
	shingled    recall.Part // what is remembered of shingles
	seen        []uint32
	known       [2]shingleSet // of the system text, of the user's
}

// span is a place to redact.
type span struct {
	start, end int
	with       string
}
