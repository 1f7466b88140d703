package tokens

// merger counts the tokens of pieces by byte-pair encoding: of all neighbours the
// pair whose joined bytes are the token of lowest rank is merged, the leftmost first,
// until none is a token. A heap keeps it at n log n for a piece of n bytes.
type merger struct {
	*vocabulary
	parts []part
	heap  []uint64 // rank and start of the pairs that can be merged, smallest first; some are out of date
}

// part is the text between two bounds, in a list by position. Parts are indexed by where they start.
type part struct {
	next, before int32
	rank         uint32 // of this part joined with the next
}

// count is the number of tokens of one piece.
func (m *merger) count(piece string) int {
	if m.findRank(piece) != none {
		return 1
	}
	n := len(piece)
	m.parts, m.heap = m.parts[:0], m.heap[:0]
	for i := range n {
		m.parts = append(m.parts, part{next: int32(i) + 1, before: int32(i) - 1})
	}
	for i := range n {
		m.addPair(piece, int32(i))
	}
	left := n
	for len(m.heap) > 0 {
		rank, i := m.pop()
		if m.parts[i].rank != rank {
			continue
		}
		gone := m.parts[i].next
		m.parts[gone].rank = none
		after := m.parts[gone].next
		m.parts[i].next = after
		if int(after) < n {
			m.parts[after].before = i
		}
		left--
		m.addPair(piece, i)
		if b := m.parts[i].before; b >= 0 {
			m.addPair(piece, b)
		}
	}
	return left
}

// addPair notes what the part at i and the next are together.
func (m *merger) addPair(piece string, i int32) {
	p := &m.parts[i]
	p.rank = none
	if int(p.next) == len(piece) {
		return
	}
	if p.rank = m.findRank(piece[i:m.parts[p.next].next]); p.rank != none {
		m.push(uint64(p.rank)<<32 | uint64(i))
	}
}

func (m *merger) push(e uint64) {
	h := append(m.heap, e)
	i := len(h) - 1
	for i > 0 && e < h[(i-1)/2] {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i], m.heap = e, h
}

func (m *merger) pop() (rank uint32, start int32) {
	top, last := m.heap[0], len(m.heap)-1
	e, h := m.heap[last], m.heap[:last]
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h[child+1] < h[child] {
			child++
		}
		if e <= h[child] {
			break
		}
		h[i] = h[child]
		i = child
	}
	if last > 0 {
		h[i] = e
	}
	m.heap = h
	return uint32(top >> 32), int32(uint32(top))
}
