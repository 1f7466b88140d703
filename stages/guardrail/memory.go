package guardrail

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/headgate-dev/headgate/core/recall"
)

var _ recall.Stage = (*Stage)(nil)

// SetMemory implements recall.Stage: for a request, each detector looks only at one run, and at whether the run comes
// from a tool. Detectors that need the whole exchange are gates, which run each time, or judge answers.
func (s *Stage) SetMemory(m recall.Memory) {
	s.memory, s.labels = recall.NewStagePart(m, Name, s.config), nil
	s.shingled = recall.NewPart(m, Name+" shingles")
	for _, g := range s.engine.guards {
		if t, ok := g.detector.(*topics); ok {
			s.labels = append(s.labels, t.names...)
		}
	}
}

// notedFinding is a finding that has reached the threshold of its guard.
type notedFinding struct {
	finding
	guard int
}

// recordFinding records a finding in the current run.
func (w *work) recordFinding(g *guard, f finding) {
	w.noted = append(w.noted, notedFinding{f, g.number})
}

// storeFindings remembers the findings in a run. No value means no finding.
func (s *Stage) storeFindings(w *work, m *recall.Run) {
	if w.pace.checkPace() != nil { // the run was not read to its end
		return
	}
	w.value = w.value[:0]
	for i := range w.noted {
		f := &w.noted[i]
		label := 0 // the guard's name
		if f.label != s.engine.guards[f.guard].name {
			if label = 1 + slices.Index(s.labels, f.label); label == 0 {
				return
			}
		}
		b := binary.AppendUvarint(w.value, uint64(f.guard))
		b = binary.AppendUvarint(b, uint64(f.start))
		b = binary.AppendVarint(b, int64(f.end-f.start))
		b = binary.AppendUvarint(b, uint64(label))
		w.value = binary.LittleEndian.AppendUint32(b, math.Float32bits(f.score))
	}
	s.memory.Store(m, w.value)
}

// recall sets w.noted to the remembered findings in a run, or to nothing.
func (s *Stage) recall(w *work, m *recall.Run) (ok bool) {
	w.noted = w.noted[:0]
	if w.value, ok = s.memory.Recall(w.value[:0], m); !ok {
		return false
	}
	for b := w.value; len(b) > 0; {
		var f notedFinding
		next := func() int {
			v, n := binary.Uvarint(b)
			b = b[n:]
			return int(v)
		}
		f.guard, f.start = next(), next()
		length, n := binary.Varint(b)
		b = b[n:]
		f.end = f.start + int(length)
		f.label = s.engine.guards[f.guard].name
		if label := next(); label > 0 {
			f.label = s.labels[label-1]
		}
		f.score = math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		w.noted = append(w.noted, f)
	}
	return true
}
