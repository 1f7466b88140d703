package learned

// A segment is what the model judges: a sentence, a few sentences, or lines. The score of a window is that of its worst
// segment, so that an order in a page of ordinary text is not outvoted by the page.
const (
	minSegment  = 100 // a segment extends to the end of the sentence that reaches this length
	maxSegment  = 260
	minWords    = 3  // of a sentence that is judged alone
	segmentStep = 60 // minimum bytes between the starts of two segments
)

// Segments calls visit for the segments of a normalised text until it returns false: those of several sentences in order, then,
// if lines is set, the short sentences and lines, each alone. Those are for windows of long texts, in which a short order
// must not be outvoted by the lines around it.
func (r *Reader) Segments(b []byte, lines bool, visit func(start, end int) bool) {
	r.all = AppendWords(r.all[:0], b)
	segments(r.all, lines, func(first, end int) bool { return visit(int(r.all[first].Start), int(r.all[end-1].End)) })
}

// segments calls visit for the segments of the words of a window, which are those from first to end-1.
func segments(ws []Word, lines bool, visit func(first, end int) bool) {
	going := true
	merge(ws, func(first, end int) bool {
		going = visit(first, end)
		return going
	})
	for i := 0; lines && going && i < len(ws); {
		next := i + 1
		for next < len(ws) && !ws[next].First {
			next++
		}
		if next-i >= minWords && ws[next-1].End-ws[i].Start < minSegment && next-i < len(ws) {
			going = visit(i, next)
		}
		i = next
	}
}

// merge calls visit for the segments of one or more sentences.
func merge(ws []Word, visit func(first, end int) bool) {
	for i := 0; i < len(ws); {
		start := int(ws[i].Start)
		end, k := start, i
		for k < len(ws) && end-start < minSegment {
			next := k + 1
			for next < len(ws) && !ws[next].First && int(ws[next].End)-start <= maxSegment {
				next++
			}
			if k > i && int(ws[next-1].End)-start > maxSegment {
				break
			}
			k, end = next, int(ws[next-1].End)
		}
		if !visit(i, k) || k == len(ws) && (i > 0 || end == int(ws[len(ws)-1].End)) {
			return
		}
		// The next segment starts at a sentence, or in the middle of a long one.
		next := i + 1
		for next < len(ws) && int(ws[next].Start)-start < segmentStep {
			next++
		}
		for long := next; long < len(ws) && int(ws[long].Start) < end; long++ {
			if ws[long].First {
				next = long
				break
			}
		}
		i = next
	}
}
