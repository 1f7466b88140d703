package learned

import "sort"

// A Verdict is the model's score of a window, in log-odds, and the position of its worst segment in the text.
type Verdict struct {
	Attack    float32 // how much the segment looks like an attack
	Jailbreak float32 // above zero: a jailbreak rather than an injection
	Start     int
	End       int // 0: the window has no words
}

// Score returns the model's verdict on a window of normalised text. lines is set for a window of a long text.
func (m *Model) Score(r *Reader, window []byte, lines bool) (attack, jailbreak float32, start, end int) {
	m.ReadText(r, window)
	v := m.ScoreWindow(r, 0, len(window), lines, NoFloor)
	return v.Attack, v.Jailbreak, v.Start, v.End
}

// NoFloor is a floor below every score.
const NoFloor = -1e9

// ReadText prepares scoring the overlapping windows of a text. Do not modify the text until the last of them is scored.
func (m *Model) ReadText(r *Reader, text []byte) {
	r.text, r.worst.end = text, 0
	r.all = AppendWords(r.all[:0], text)
	r.markSentenceStarts()
	r.readPage(text)
	r.sums.addPage(m, r)
}

// ScoreWindow returns the model's verdict on the window from start to end, which are word boundaries, of the text that ReadText
// has read. Score windows in order. For a window below floor, the verdict says so and omits the
// rest; if it is clearly below, the score is an estimate.
func (m *Model) ScoreWindow(r *Reader, start, end int, lines bool, floor float32) Verdict {
	from := sort.Search(len(r.all), func(i int) bool { return int(r.all[i].Start) >= start })
	to := from + sort.Search(len(r.all)-from, func(i int) bool { return int(r.all[from+i].End) > end })
	if from == to {
		return Verdict{Attack: m.bias}
	}
	r.all[from].First = true
	worst, worstFrom, worstTo := int32(0), 0, 0
	r.visitSegments(from, to, lines, func(first, last int) bool {
		if sum := r.sums.sumSegment(m, r, first, last); worstTo == 0 || sum > worst {
			worst, worstFrom, worstTo = sum, first, last
		}
		return true
	})
	v := Verdict{Attack: m.bias + float32(worst)*m.scale}
	if v.Attack < floor-estimateError {
		return v
	}
	if r.worst.first != worstFrom || r.worst.end != worstTo {
		features := r.listPageSlots(r.text, worstFrom, worstTo)
		r.worst = worstSegment{worstFrom, worstTo, m.sumAttack(features), m.sumSide(features)}
	}
	if v.Attack = r.worst.attack; v.Attack < floor {
		return v // most windows that pass the gate by mistake end here
	}
	v.Jailbreak = r.worst.jailbreak
	v.Start, v.End = int(r.all[worstFrom].Start), int(r.all[worstTo-1].End)
	return v
}

// worstSegment is the worst segment of the current window, of the words first to end-1, with its exact score. In every
// other window it is also that of the previous window. Its first word starts a sentence, or the window, so that its
// features are the same in both.
type worstSegment struct {
	first, end        int
	attack, jailbreak float32
}

// estimateError bounds the difference between sums.sumSegment and the score of a segment. It is less than 0.3 in nearly
// all; the rest allows for texts that repeat words in order to pass as harmless.
const estimateError = 1.5
