package remote

import (
	"encoding/binary"
	"math"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
)

// verdicts is the memory of what a guard found in texts of requests. The zero value remembers nothing.
type verdicts struct {
	memory recall.Memory
	config string
	age    time.Duration
	part   atomic.Pointer[datedPart]
}

// datedPart is the part of the memory for verdicts of one span of time. A new span has new keys, so that no verdict is
// used after its span: the guard may have been updated.
type datedPart struct {
	span int64
	part recall.Part
}

// UseMemory gives the stage a memory, before its first exchange, as recall.Stage does. It does nothing unless
// Options.Remember is set.
func (s *Stage) UseMemory(m recall.Memory) {
	if s.o.Remember > 0 {
		s.verdicts.memory, s.verdicts.config, s.verdicts.age = m, s.o.Guard+s.o.Identity, s.o.Remember
	}
}

// loadPart returns the part of the memory for the current span of time, or nil if nothing is remembered.
func (v *verdicts) loadPart() *recall.Part {
	if v.memory == nil {
		return nil
	}
	span := time.Now().UnixNano() / int64(v.age)
	d := v.part.Load()
	if d == nil || d.span != span {
		key := string(binary.LittleEndian.AppendUint64(nil, uint64(span)))
		d = &datedPart{span, recall.NewPart(v.memory, v.config+key)}
		v.part.Store(d)
	}
	return &d.part
}

// listTexts returns the texts of a body. Texts in which the guard is known to find nothing are omitted; those with known
// findings are marked.
func (s *Stage) listTexts(x *core.Exchange, body *core.Payload, p core.Phase) (texts []text) {
	var part *recall.Part
	if p != core.Response && !s.isSilent() {
		part = s.verdicts.loadPart()
	}
	var value []byte
	for i := 0; i < len(body.Segments); {
		var t text
		if part != nil {
			t.part, t.key = part, part.ComputeRun(x, body, i, p)
			if value, t.known = part.Recall(value[:0], &t.key); t.known && len(value) == 0 {
				i += t.key.N
				continue
			}
		}
		t.run = body.FindRun(i)
		i += t.run.N
		if t.run.Text == "" {
			continue
		}
		if t.known {
			t.settler.open = readFindings(value)
		}
		texts = append(texts, t)
	}
	return texts
}

// storeFindings remembers the findings of a text: positions, labels and scores, never the text.
func (t *text) storeFindings(all []found) {
	if t.part == nil || t.known {
		return
	}
	var b []byte
	for i := range all {
		f := &all[i]
		if f.Plain || f.With != "" { // a replacement could be text
			return
		}
		redact := uint64(0)
		if f.redact {
			redact = 1
		}
		b = binary.AppendUvarint(b, uint64(f.Start))
		b = binary.AppendUvarint(b, uint64(f.End))
		b = binary.AppendUvarint(b, redact)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f.Score))
		b = binary.AppendUvarint(b, uint64(len(f.Label)))
		b = append(b, f.Label...)
	}
	t.part.Store(&t.key, b)
}

// readFindings decodes what keep has encoded.
func readFindings(b []byte) (out []found) {
	next := func() int {
		v, n := binary.Uvarint(b)
		b = b[n:]
		return int(v)
	}
	for len(b) > 0 {
		var f found
		f.Start, f.End, f.redact = next(), next(), next() == 1
		f.Score = math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		n := next()
		f.Label, b = string(b[:n]), b[n:]
		out = append(out, f)
	}
	return out
}
