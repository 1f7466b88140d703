package match

// AppendAll appends every place where a literal stands to dst, in the order of their ends.
func (a *Automaton) AppendAll(dst []Hit, text []byte) []Hit {
	if a.sieve != nil {
		return a.appendSieved(dst, text)
	}
	row := int32(0)
	for i := 0; i < len(text); i++ {
		next := a.dense[row+int32(a.class[text[i]])]
		if next >= 0 {
			if row = next >> 1; next&1 != 0 {
				dst = a.collect(dst, row/int32(a.classes), int32(i+1))
			}
			continue
		}
		for s := -next; ; { // among states without a row, until one with a row follows
			if a.out[s] >= 0 || a.also[s] > 0 {
				dst = a.collect(dst, s, int32(i+1))
			}
			if i++; i == len(text) {
				return dst
			}
			c := a.class[text[i]]
			if s = a.stepDeep(s, c); s < 0 {
				row = ^s
				if t := row / int32(a.classes); a.out[t] >= 0 || a.also[t] > 0 {
					dst = a.collect(dst, t, int32(i+1))
				}
				break
			}
		}
	}
	return dst
}

// stepDeep returns the state without a row after one more byte, or the complement of the
// row that the scan goes on with.
func (a *Automaton) stepDeep(s int32, c uint8) int32 {
	for s >= a.nDense {
		for k := a.first[s]; k < a.first[s+1]; k++ {
			if a.edge[k] == c {
				if t := a.to[k]; t >= a.nDense {
					return t
				}
				return ^(a.to[k] * int32(a.classes))
			}
		}
		s = a.fail[s]
	}
	next := a.dense[int(s)*a.classes+int(c)]
	if next < 0 {
		return -next
	}
	return ^(next >> 1)
}

// collect appends the literals that end in state s.
func (a *Automaton) collect(dst []Hit, s, end int32) []Hit {
	for {
		for l := a.out[s]; l >= 0; l = a.same[l] {
			dst = append(dst, Hit{l, end - a.length[l], end})
		}
		if s = a.also[s]; s == 0 {
			return dst
		}
	}
}

// AppendLongest appends hits that do not overlap to dst: the leftmost, and of those the
// longest, then the same behind it. Of equal literals it takes the first.
func (a *Automaton) AppendLongest(dst []Hit, text string) []Hit {
	none := Hit{Literal: -1}
	best, s := none, int32(0)
	for i := 0; ; i++ {
		if best != none && (i == len(text) || int32(i)-a.depth[s] > best.Start) {
			// Nothing that has begun lies further left.
			dst = append(dst, best)
			i, s, best = int(best.End), 0, none
		}
		if best == none && s < a.nDense {
			i, s = a.skip(text, i, s)
		}
		if i >= len(text) {
			return dst
		}
		s = a.advance(s, a.class[text[i]])
		end := s
		if a.out[end] < 0 {
			if end = a.also[s]; end == 0 {
				continue
			}
		}
		l := a.out[end] // the longest that ends here, so the leftmost
		for a.same[l] >= 0 {
			l = a.same[l]
		}
		h := Hit{l, int32(i+1) - a.length[l], int32(i + 1)}
		if best == none || h.Start <= best.Start {
			best = h
		}
	}
}

// skip goes on from state s at i to the first byte at which a literal ends or a state has no
// row, and returns its place and the state before it.
func (a *Automaton) skip(text string, i int, s int32) (int, int32) {
	row := s * int32(a.classes)
	for i < len(text) {
		next := a.dense[row+int32(a.class[text[i]])]
		if next < 0 || next&1 != 0 {
			break
		}
		row = next >> 1
		i++
	}
	return i, row / int32(a.classes)
}

// advance returns the state after one more byte of a class.
func (a *Automaton) advance(s int32, c uint8) int32 {
	if s < a.nDense {
		t := a.dense[int(s)*a.classes+int(c)]
		if t < 0 {
			return -t
		}
		return (t >> 1) / int32(a.classes)
	}
	if s = a.stepDeep(s, c); s < 0 {
		return ^s / int32(a.classes)
	}
	return s
}
