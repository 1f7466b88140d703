package learned

// A segment is what the model judges: a sentence, a few sentences, or lines. The score of a window is that of its worst
// segment, so that an order in a page of ordinary text is not outvoted by the page.
const (
	minSegment  = 100 // a segment extends to the end of the sentence that reaches this length
	maxSegment  = 260
	minWords    = 3  // of a sentence that is judged alone
	segmentStep = 60 // minimum bytes between the starts of two segments
)

// VisitSegments calls visit for the segments of a normalised text until it returns false: those of several sentences in order, then,
// if lines is set, the short sentences and lines by themselves. Those are for windows of long texts, in which a short order
// must not be outvoted by the lines around it.
func (r *Reader) VisitSegments(b []byte, lines bool, visit func(start, end int) bool) {
	r.all = AppendWords(r.all[:0], b)
	r.markSentenceStarts()
	r.visitSegments(0, len(r.all), lines, func(first, end int) bool { return visit(int(r.all[first].Start), int(r.all[end-1].End)) })
}

// markSentenceStarts notes for each word of the text where the next sentence begins, at that word or behind it.
func (r *Reader) markSentenceStarts() {
	n := len(r.all)
	r.firsts = resizeSlice(r.firsts, n+1)
	r.firsts[n] = int32(n)
	next := int32(n)
	for i := n - 1; i >= 0; i-- {
		if r.all[i].First {
			next = int32(i)
		}
		r.firsts[i] = next
	}
}

// visitSegments calls visit for the segments of the words from one up to another, which are a window.
func (r *Reader) visitSegments(from, to int, lines bool, visit func(first, end int) bool) {
	ws := r.all[:to]
	if !r.merge(from, to, visit) || !lines {
		return
	}
	for i := from; i < to; {
		next := min(int(r.firsts[i+1]), to)
		if next-i >= minWords && ws[next-1].End-ws[i].Start < minSegment && next-i < to-from && !visit(i, next) {
			return
		}
		i = next
	}
}

// merge calls visit for the segments that are as long as a sentence or a few of them, until it returns false.
func (r *Reader) merge(from, to int, visit func(first, end int) bool) bool {
	ws := r.all[:to]
	far, step := from, from // the first word that ends too far from word i, and that begins far enough for the next segment
	for i := from; i < to; {
		start := ws[i].Start
		for far < to && ws[far].End-start <= maxSegment {
			far++
		}
		end, k := start, i
		for k < to && end-start < minSegment {
			next := min(int(r.firsts[k+1]), max(far, k+1), to)
			if k > i && ws[next-1].End-start > maxSegment {
				break
			}
			k, end = next, ws[next-1].End
		}
		if !visit(i, k) {
			return false
		}
		if k == to && (i > from || end == ws[to-1].End) {
			return true
		}
		// The next one begins with a sentence, or in the middle of a long one.
		step = max(step, i+1)
		for step < to && ws[step].Start-start < segmentStep {
			step++
		}
		i = step
		if first := int(r.firsts[step]); first < to && ws[first].Start < end {
			i = first
		}
	}
	return true
}
