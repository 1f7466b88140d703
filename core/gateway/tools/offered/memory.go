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
	Kept          = time.Hour // how long an offer or a call counts
	maxOffers     = 8         // different lists of tools per line of keys
	maxNames      = 512       // names of a list; others do not count as offered
	maxBytes      = 32 << 10  // of the names of a list; others do not count as offered
	maxNameLength = 256       // bytes of a name or an id
	maxCalls      = 128       // per line of keys
	shards        = 16
	shardBytes    = 2 << 20 // of all lines of keys of a shard, about; the tenant that takes most loses first
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
	mu      sync.Mutex
	tenants map[string]*holding
	bytes   int
}

// holding is what is remembered of one tenant in a shard.
type holding struct {
	lines map[string]*line
	bytes int
}

// line is what is remembered of one line of keys.
type line struct {
	owner  *holding
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
		m.shards[i].tenants = map[string]*holding{}
	}
	return m
}

// lockLine locks and returns the caller's line; nil if nothing is known of it and create is false. A rotated key
// belongs to the line of its successor. The caller unlocks the shard.
func (m *Memory) lockLine(p *core.Principal, create bool) (*shard, *line) {
	name := cmp.Or(p.Lineage, p.KeyID)
	s := &m.shards[maphash.String(m.seed, p.Tenant+"\x00"+name)%shards]
	s.mu.Lock()
	h := s.tenants[p.Tenant]
	if h == nil {
		if !create {
			return s, nil
		}
		h = &holding{lines: map[string]*line{}}
		s.tenants[p.Tenant] = h
	}
	l := h.lines[name]
	if l == nil && create {
		l = &line{owner: h}
		h.lines[name] = l
		s.addBytes(l, 128+len(p.Tenant)+len(name))
	}
	return s, l
}

// addBytes counts bytes that a line takes more, or less.
func (s *shard) addBytes(l *line, n int) {
	l.bytes += n
	l.owner.bytes += n
	s.bytes += n
}

// AddOffer notes that the caller has offered tools to a model. It does not retain names.
func (m *Memory) AddOffer(p *core.Principal, names []string, at time.Time) {
	if m == nil || p == nil || len(names) == 0 {
		return
	}
	sum := m.hashNames(names)
	s, l := m.lockLine(p, true)
	defer s.mu.Unlock()
	l.used = at
	for i := range l.offers {
		if l.offers[i].sum == sum {
			l.offers[i].at = at
			return
		}
	}
	if len(l.offers) == maxOffers {
		oldest := 0
		for i := range l.offers {
			if l.offers[i].at.Before(l.offers[oldest].at) {
				oldest = i
			}
		}
		s.addBytes(l, -l.offers[oldest].size())
		l.offers = slices.Delete(l.offers, oldest, oldest+1)
	}
	o := offer{sum: sum, at: at}
	size := 0
	for _, name := range names[:min(len(names), maxNames)] {
		if len(name) > maxNameLength {
			continue
		}
		if size += len(name); size > maxBytes {
			break
		}
		o.names = append(o.names, strings.Clone(name))
	}
	l.offers = append(l.offers, o)
	s.addBytes(l, o.size())
	s.shrink(l)
}

func (m *Memory) hashNames(names []string) uint64 {
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
	s, l := m.lockLine(p, true)
	defer s.mu.Unlock()
	l.used = at
	for _, c := range calls {
		if len(c.Name) > maxNameLength || len(c.ID) > maxNameLength {
			continue
		}
		drop := l.find(c)
		if drop >= 0 {
			if known := &l.calls[drop]; known.trace.ID == trace.ID && at.Sub(known.at) <= Kept { // streams tell of a call more than once
				known.Args = cmp.Or(known.Args, c.Args)
				continue
			}
		} else if len(l.calls) == maxCalls {
			drop = 0
		}
		if drop >= 0 {
			s.addBytes(l, -l.calls[drop].size())
			l.calls = slices.Delete(l.calls, drop, drop+1)
		}
		kept := call{Call: c, at: at, trace: trace}
		l.calls = append(l.calls, kept)
		s.addBytes(l, kept.size())
	}
	s.shrink(l)
}

// find returns the place of the newest call with the id and name of another one, or -1.
func (l *line) find(c Call) int {
	for i := len(l.calls) - 1; i >= 0 && c.ID != ""; i-- {
		if known := &l.calls[i]; known.ID == c.ID && known.Name == c.Name {
			return i
		}
	}
	return -1
}

// shrink forgets lines until the shard is within its limit, but not the one in use. The tenant that takes most loses first, so that
// nobody makes the gateway forget those who take less.
func (s *shard) shrink(keep *line) {
	const spare = shardBytes / 16 // makes room for more than one line, because finding the tenant takes a look at each
	for most := shardBytes; s.bytes > most; most = shardBytes - spare {
		tenant := ""
		var h *holding
		for name, other := range s.tenants {
			if (h == nil || other.bytes > h.bytes) && (len(other.lines) > 1 || other != keep.owner) {
				tenant, h = name, other
			}
		}
		if h == nil {
			return
		}
		for least := h.bytes / 2; s.bytes > most && h.bytes > least && h.forgetOne(s, keep); {
		}
		if len(h.lines) == 0 {
			delete(s.tenants, tenant)
		}
	}
}

// forgetOne forgets a line that was not used for long, but not the one in use. It reports whether there was one.
func (h *holding) forgetOne(s *shard, keep *line) bool {
	const tried = 8
	oldest, n := "", 0
	var found *line
	for name, l := range h.lines { // the order is random
		if l != keep && (found == nil || l.used.Before(found.used)) {
			oldest, found = name, l
		}
		if n++; n > tried {
			break
		}
	}
	if found == nil {
		return false
	}
	s.addBytes(found, -found.bytes)
	delete(h.lines, oldest)
	return true
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
