// Package recall lets stages remember what they found in runs of text, so that a conversation
// that is sent again with each turn is judged once: docs/performance.md.
package recall

import (
	"encoding/binary"
	"encoding/json"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// Memory remembers what stages found in runs of text, so that a conversation that is sent again with each turn is judged
// once. It stores no text, only keyed hashes and what a stage keeps of its verdict. It may forget anything at any time. It is
// safe for concurrent use.
type Memory interface {
	payload.Hasher
	// Recall appends to dst what was kept under a key, for a text of that size.
	Recall(dst []byte, k Key, size int) (value []byte, ok bool)
	// Store keeps a copy of the value.
	Store(k Key, value []byte)
}

// Key names one stage's verdict on one run of one tenant.
type Key struct {
	Hi, Lo uint64
	Place  uint32 // role, kind and phase
}

// Stage is a stage that declares: what it finds in a run of a request depends on the text of that run, its role, its
// kind and the stage's own settings alone, and not on other texts, the caller, the time or a state. What it decides by its
// findings may. Such a stage says the same about a request with a memory as without: stagetest checks that.
type Stage interface {
	core.Stage
	// SetMemory sets the stage's memory, before its first exchange.
	SetMemory(m Memory)
}

// Part is a stage's part of a memory. The zero value remembers nothing.
type Part struct {
	memory Memory
	config payload.Sum
}

// NewStagePart returns the part of a memory for a compiled-in stage with settings. It remembers nothing if the settings
// cannot be written as JSON, because then two of them cannot be told apart.
func NewStagePart(m Memory, name string, settings any) Part {
	config, err := json.Marshal(settings) // of the standard library: it tells an omitted list from an empty one
	if err != nil {
		return Part{}
	}
	return NewPart(m, name+string(config))
}

// NewPart returns the part of a memory for a stage. All that its verdicts depend on beside a run belongs into config:
// the kind of the stage, its settings and the digest of foreign code.
func NewPart(m Memory, config string) Part {
	if m == nil {
		return Part{}
	}
	return Part{m, m.Hash(payload.DomainConfig, zerocopy.ViewBytes(config))}
}

// shortest is the least size of a text, in bytes, that is looked up: shorter ones are judged in the time of the look-up.
const shortest = 48

// Run is one run, as a stage looks it up.
type Run struct {
	N     int // segments of the run
	size  int
	key   Key
	known bool // the run can be remembered
}

// ComputeRun returns the run that starts at segment i of a body.
func (r *Part) ComputeRun(x *core.Exchange, p *core.Payload, i int, ph core.Phase) Run {
	if r.memory == nil {
		return Run{}
	}
	sum, size, n := p.SumRun(r.memory, i)
	return r.makeRun(x, &p.Segments[i], sum, size, n, ph)
}

// ComputeSegmentRun is like Run for segment i alone.
func (r *Part) ComputeSegmentRun(x *core.Exchange, p *core.Payload, i int, ph core.Phase) Run {
	if r.memory == nil {
		return Run{}
	}
	sum, size := p.SumSegment(r.memory, i)
	return r.makeRun(x, &p.Segments[i], sum, size, 1, ph)
}

func (r *Part) makeRun(x *core.Exchange, s *core.Segment, sum payload.Sum, size, n int, ph core.Phase) Run {
	out := Run{N: n, size: size}
	if size < shortest {
		return out
	}
	out.known = true
	out.key = r.computeKey(x).mixText(&sum)
	out.key.Place = uint32(s.Role) | uint32(s.Kind)<<8 | uint32(ph)<<16
	return out
}

// computeKey returns what the keys of all texts of a tenant have in common.
func (r *Part) computeKey(x *core.Exchange) Key {
	t := x.HashTenant(r.memory)
	return Key{}.mixText(&t).mixText(&r.config)
}

// mixText returns the key for a text. Tenant, configuration and text have pseudorandom functions of their own, so the sum of
// the three is as good as one of all.
func (k Key) mixText(sum *payload.Sum) Key {
	k.Hi ^= binary.LittleEndian.Uint64(sum[:])
	k.Lo ^= binary.LittleEndian.Uint64(sum[8:])
	return k
}

// Recall appends to dst what was kept about a run.
func (r *Part) Recall(dst []byte, m *Run) (value []byte, ok bool) {
	if !m.known {
		return dst, false
	}
	return r.memory.Recall(dst, m.key, m.size)
}

// Store keeps a copy of what was found in a run.
func (r *Part) Store(m *Run, value []byte) {
	if m.known {
		r.memory.Store(m.key, value)
	}
}
