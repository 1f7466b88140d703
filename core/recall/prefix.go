package recall

import (
	"encoding/binary"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
)

// Prefix is what a stage knows about the first runs of a body's sections: which of them have findings. It recalls a
// conversation that is sent again with some new messages by one lookup instead of one per run. The zero value knows nothing.
// Reuse it, for one exchange at a time.
type Prefix struct {
	part     *Part
	key      Key // without a stretch
	sections []section
	holding  []int32 // first segments of the runs that are known to hold something, section after section
	noted    []int32 // those that the stage has found to hold something
	value    []byte

	roomSections [2]section
	roomHolding  [8]int32
	roomNoted    [8]int32
	roomValue    [32]byte
}

// section is what is known of a section of the body.
type section struct {
	stretches []payload.Stretch
	end       int // the segments before it are known
	holding   []int32
}

const (
	// maxProbed is how many stretches of a section are looked up, from the longest on: an agent's turn adds two or three messages.
	maxProbed = payload.SummedStretches
	// maxKept is how many stretches of a section are kept, from the longest on: clients change their last messages.
	maxKept = 3
	// maxHolding bounds the runs that a kept stretch names.
	maxHolding = 256
	// fewSegments is the number of texts below which they are looked up one by one: keeping the beginnings of a chat with a system
	// prompt and one message took 3 us of 90.
	fewSegments = 3
	// maxSections bounds the sections that are looked at.
	maxSections = 8
	// prefixPlace distinguishes the key of a stretch from that of a run, whose place is below it.
	prefixPlace = 1 << 31
)

// LoadPrefix looks up what is known of the body of a request. Of an answer, f knows nothing: it is new.
func (r *Part) LoadPrefix(f *Prefix, x *core.Exchange, p *core.Payload, ph core.Phase) {
	f.reset()
	if r.memory == nil || ph != core.Request || len(p.Segments) < fewSegments {
		return
	}
	f.part = r
	f.key = r.computeKey(x)
	f.key.Place = prefixPlace | uint32(ph)<<16
	all := p.ListStretches(r.memory)
	for len(all) > 0 && len(f.sections) < maxSections {
		n := 1
		for n < len(all) && all[n].First == all[0].First {
			n++
		}
		f.addSection(all[:n])
		all = all[n:]
	}
}

// reset forgets everything.
func (f *Prefix) reset() {
	if f.value == nil {
		f.sections, f.holding, f.noted, f.value = f.roomSections[:0], f.roomHolding[:0], f.roomNoted[:0], f.roomValue[:0]
	}
	clear(f.sections)
	f.part, f.sections, f.holding, f.noted = nil, f.sections[:0], f.holding[:0], f.noted[:0]
}

// addSection adds a section.
func (f *Prefix) addSection(stretches []payload.Stretch) {
	s := section{stretches: stretches, end: stretches[0].First}
	for k := len(stretches) - 1; k >= max(0, len(stretches)-maxProbed); k-- {
		if stretches[k].Size < shortest {
			break
		}
		var ok bool
		if f.value, ok = f.part.memory.Recall(f.value[:0], f.computeKey(&stretches[k]), stretches[k].Size); !ok {
			continue
		}
		from, at := len(f.holding), stretches[k].First
		for b := f.value; len(b) > 0; {
			d, n := binary.Uvarint(b)
			at, b = at+int(d), b[n:]
			f.holding = append(f.holding, int32(at))
		}
		s.end, s.holding = stretches[k].End, f.holding[from:len(f.holding):len(f.holding)]
		break
	}
	f.sections = append(f.sections, s)
}

func (f *Prefix) computeKey(s *payload.Stretch) Key { return f.key.mixText(&s.Sum) }

// Skip returns the first segment from i on, which begins a run, that must be judged: all runs before it are known to hold
// nothing.
func (f *Prefix) Skip(i int) int {
	for k := range f.sections {
		s := &f.sections[k]
		if i < s.stretches[0].First || i >= s.end {
			continue
		}
		for len(s.holding) > 0 && int(s.holding[0]) < i {
			s.holding = s.holding[1:]
		}
		if len(s.holding) > 0 {
			return int(s.holding[0])
		}
		i = s.end
	}
	return i
}

// MarkRun says that the run which begins at segment i holds something, so that it must be judged each time. The stage
// calls it for each such run, in order.
func (f *Prefix) MarkRun(i int) {
	if f.part != nil {
		f.noted = append(f.noted, int32(i))
	}
}

// Store keeps what was noted, once all runs of the body have been judged.
func (f *Prefix) Store() {
	noted := f.noted
	for k := range f.sections {
		s := &f.sections[k]
		first, end := s.stretches[0].First, s.stretches[len(s.stretches)-1].End
		for len(noted) > 0 && int(noted[0]) < first {
			noted = noted[1:]
		}
		own := noted
		for n := range own {
			if int(own[n]) >= end {
				own = own[:n]
				break
			}
		}
		for n := max(0, len(s.stretches)-maxKept); n < len(s.stretches); n++ {
			if t := &s.stretches[n]; t.End > s.end && t.Size >= shortest {
				f.storeStretch(t, own)
			}
		}
	}
	f.reset()
}

// storeStretch keeps a stretch with those of the runs that lie in it.
func (f *Prefix) storeStretch(t *payload.Stretch, holding []int32) {
	f.value = f.value[:0]
	at := t.First
	for n, i := range holding {
		if int(i) >= t.End {
			break
		}
		if n == maxHolding {
			return
		}
		f.value = binary.AppendUvarint(f.value, uint64(int(i)-at))
		at = int(i)
	}
	f.part.memory.Store(f.computeKey(t), f.value)
}
