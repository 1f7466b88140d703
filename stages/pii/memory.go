package pii

import (
	"encoding/binary"
	"math"

	"github.com/headgate-dev/headgate/core/recall"
)

var _ recall.Stage = (*Stage)(nil)

// SetMemory implements recall.Stage: the matches in a run depend on its text and on the requested types only. What to do
// with a match, and which placeholders become values, is decided every time.
func (s *Stage) SetMemory(m recall.Memory) {
	s.memory = recall.NewStagePart(m, Name, s.config)
	s.names = map[string]uint64{}
	for i := range s.engine.countTypes() {
		s.names[s.engine.findTypeName(i)] = uint64(i) + 1
	}
}

// countTypes returns how many types an engine may find: built-in and custom types.
func (e *Engine) countTypes() int {
	if e.custom == nil {
		return len(builtin)
	}
	return len(builtin) + len(e.custom.list)
}

func (e *Engine) findTypeName(i int) string {
	if i < len(builtin) {
		return builtin[i].name
	}
	return e.custom.list[i-len(builtin)].name
}

// storeMatches remembers the matches in a run. No value means no match.
func (s *Stage) storeMatches(w *work, m *recall.Run) {
	if w.crowded { // the run was not read to its end
		return
	}
	w.value = w.value[:0]
	if w.redacted || len(w.matches) > 0 {
		holds := byte(0)
		if w.redacted {
			holds = 1
		}
		w.value = append(w.value, holds)
	}
	for i := range w.matches {
		f := &w.matches[i]
		number := s.names[f.Type]
		if number == 0 { // a type without a row: the run is searched again
			return
		}
		b := binary.AppendUvarint(w.value, uint64(f.Start))
		b = binary.AppendUvarint(b, uint64(f.End-f.Start))
		b = binary.AppendUvarint(b, number)
		w.value = binary.LittleEndian.AppendUint32(b, math.Float32bits(f.Score))
	}
	s.memory.Store(m, w.value)
}

// recall sets w.matches and w.redacted to the remembered matches in a run, if any.
func (s *Stage) recall(w *work, m *recall.Run) bool {
	var ok bool
	w.matches, w.redacted = w.matches[:0], false
	if w.value, ok = s.memory.Recall(w.value[:0], m); !ok || len(w.value) == 0 {
		return ok
	}
	w.redacted = w.value[0] == 1
	b := w.value[1:]
	next := func() int {
		v, n := binary.Uvarint(b)
		b = b[n:]
		return int(v)
	}
	for len(b) > 0 {
		f := Match{Start: next()}
		f.End = f.Start + next()
		f.Type = s.engine.findTypeName(next() - 1)
		f.Score = math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		w.matches = append(w.matches, f)
	}
	return true
}

// isClean reports whether a run contains nothing to act on.
func (w *work) isClean() bool { return !w.redacted && len(w.matches) == 0 }
