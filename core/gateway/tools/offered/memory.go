package offered

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Limits of what is remembered.
const (
	Kept       = time.Hour // how long an offer or a call counts
	mostOffers = 8         // different lists of tools per line of keys
	mostNames  = 512       // names of a list; others do not count as offered
	longestOf  = 256       // bytes of a name or an id
	mostCalls  = 128       // per line of keys
	shards     = 16
	shardBytes = 2 << 20 // of all lines of keys of a shard, about
)

// Trace is where an exchange continues.
type Trace struct {
	ID     string // as X-Trace-Id has it
	Parent string // the header traceparent that continues it; "" if tracing is off
}

// Memory remembers offers and calls. It is safe for concurrent use. A nil Memory remembers nothing.
type Memory struct {
	seed   maphash.Seed
	shards [shards]shard
}

type shard struct {
	mu    sync.Mutex
	lines map[string]*line
	bytes int
}

// line is what is remembered of one line of keys.
type line struct {
	used   time.Time
	offers []offer // in order of their first use
	calls  []call  // oldest first
	bytes  int
}

// offer is a list of tools.
type offer struct {
	sum   uint64
	at    time.Time
	names []string
}

// call is a call that a model has made.
type call struct {
	Call
	at    time.Time
	trace Trace
	taken bool // a call of a tool has continued its trace
}

// New returns an empty memory.
func New() *Memory {
	m := &Memory{seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i].lines = map[string]*line{}
	}
	return m
}

// lineOf returns the name of the caller's line of keys: a rotated key belongs to that of its successor.
func lineOf(p *core.Principal) string { return p.Tenant + "\x00" + cmp.Or(p.Lineage, p.KeyID) }

// open locks and returns the caller's line; nil if nothing is known of it and create is false. The caller unlocks the shard.
func (m *Memory) open(p *core.Principal, create bool) (*shard, *line) {
	name := lineOf(p)
	s := &m.shards[maphash.String(m.seed, name)%shards]
	s.mu.Lock()
	l := s.lines[name]
	if l == nil && create {
		l = &line{bytes: 64 + len(name)}
		s.lines[name] = l
		s.bytes += l.bytes
	}
	return s, l
}

// AddOffer notes that the caller has offered tools to a model. It does not retain names.
func (m *Memory) AddOffer(p *core.Principal, names []string, at time.Time) {
	if m == nil || p == nil || len(names) == 0 {
		return
	}
	sum := m.sum(names)
	s, l := m.open(p, true)
	defer s.mu.Unlock()
	l.used = at
	for i := range l.offers {
		if l.offers[i].sum == sum {
			l.offers[i].at = at
			return
		}
	}
	before := l.bytes
	if len(l.offers) == mostOffers {
		oldest := 0
		for i := range l.offers {
			if l.offers[i].at.Before(l.offers[oldest].at) {
				oldest = i
			}
		}
		l.bytes -= l.offers[oldest].size()
		l.offers = slices.Delete(l.offers, oldest, oldest+1)
	}
	o := offer{sum: sum, at: at}
	for _, name := range names[:min(len(names), mostNames)] {
		if len(name) <= longestOf {
			o.names = append(o.names, strings.Clone(name))
		}
	}
	l.offers = append(l.offers, o)
	l.bytes += o.size()
	s.bytes += l.bytes - before
	s.shrink(l)
}

func (m *Memory) sum(names []string) uint64 {
	var h maphash.Hash
	h.SetSeed(m.seed)
	for _, name := range names {
		_, _ = h.WriteString(name) // never fails
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

func (o *offer) size() (n int) {
	for _, name := range o.names {
		n += 16 + len(name)
	}
	return n + 48
}

func (c *call) size() int {
	return 128 + len(c.ID) + len(c.Name) + len(c.trace.ID) + len(c.trace.Parent)
}

// AddCalls notes calls that a model has made in an answer to the caller.
func (m *Memory) AddCalls(p *core.Principal, calls []Call, trace Trace, at time.Time) {
	if m == nil || p == nil || len(calls) == 0 {
		return
	}
	trace.ID, trace.Parent = strings.Clone(trace.ID), strings.Clone(trace.Parent)
	s, l := m.open(p, true)
	defer s.mu.Unlock()
	l.used = at
	before := l.bytes
	for _, c := range calls {
		if len(c.Name) > longestOf || len(c.ID) > longestOf || l.has(c) {
			continue
		}
		if len(l.calls) == mostCalls {
			l.bytes -= l.calls[0].size()
			l.calls = slices.Delete(l.calls, 0, 1)
		}
		kept := call{Call: c, at: at, trace: trace}
		l.calls = append(l.calls, kept)
		l.bytes += kept.size()
	}
	s.bytes += l.bytes - before
	s.shrink(l)
}

// has reports whether a call is known, and completes what is known of it: streams tell of a call more than once.
func (l *line) has(c Call) bool {
	if c.ID == "" {
		return false
	}
	for i := len(l.calls) - 1; i >= 0; i-- {
		if known := &l.calls[i]; known.ID == c.ID && known.Name == c.Name {
			known.Args = cmp.Or(known.Args, c.Args)
			return true
		}
	}
	return false
}

// shrink forgets lines that were not used for long until the shard is within its limit, but not the one in use.
func (s *shard) shrink(keep *line) {
	const tried = 8
	for s.bytes > shardBytes && len(s.lines) > 1 {
		oldest, n := "", 0
		for name, l := range s.lines { // the order is random
			if l != keep && (oldest == "" || l.used.Before(s.lines[oldest].used)) {
				oldest = name
			}
			if n++; n > tried {
				break
			}
		}
		s.bytes -= s.lines[oldest].bytes
		delete(s.lines, oldest)
	}
}

// Bytes returns about how much memory is in use, in bytes.
func (m *Memory) Bytes() (sum int) {
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		sum += s.bytes
		s.mu.Unlock()
	}
	return sum
}
