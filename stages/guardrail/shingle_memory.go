package guardrail

import (
	"encoding/binary"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// addShingles adds the shingles of segment i of a request to a set. They follow from the text alone and are remembered:
// an agent sends the same instructions with each turn, and reading 16 KB of them took 19 times as long as recalling them
// (BenchmarkInstructions).
func (w *work) addShingles(set *shingleSet, x *core.Exchange, i int) {
	m := w.shingled.ComputeSegmentRun(x, &x.Request, i, core.Request)
	var known bool
	if w.value, known = w.shingled.Recall(w.value[:0], &m); known {
		for b := w.value; len(b) > 0; b = b[4:] {
			set.sorted = append(set.sorted, binary.LittleEndian.Uint32(b))
		}
		return
	}
	from := len(set.sorted)
	w.shingles.add(set, x.Request.ReadText(i))
	if w.pace.checkPace() != nil { // the text was not read to its end
		return
	}
	slices.Sort(set.sorted[from:])
	w.value = w.value[:0]
	for _, h := range set.sorted[from:] {
		w.value = binary.LittleEndian.AppendUint32(w.value, h)
	}
	w.shingled.Store(&m, w.value)
}
