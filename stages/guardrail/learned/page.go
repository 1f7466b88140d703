package learned

import "encoding/binary"

// page is a text in the form that its segments share. Segments overlap, and so do windows, so each byte is classified and
// hashed only once. The features of a segment are those of Reader.ListSlots, in the same order.
type page struct {
	flat []byte  // the words with one space between them, as appendNormalizedWords writes them; with room for eight more
	at   []int32 // offset in flat of each word of Reader.all
}

// readPage reads a text. Its words are in r.all.
func (r *Reader) readPage(b []byte) {
	p := &r.page
	flat := resizeSlice(p.flat, len(b)+16)
	p.at = resizeSlice(p.at, len(r.all))
	flat[0] = ' '
	n, from := 1, 0
	for i := range p.at {
		w := &r.all[i]
		start := int(w.Start)
		if start-from == 1 && b[from] == ' ' && n > 1 {
			flat[n] = ' '
			n++
		} else {
			n = len(appendNormalizedWords(flat[:n], b[from:start]))
		}
		p.at[i] = int32(n)
		from = int(w.End)
		if from-start <= 8 && start+8 <= len(b) { // what is written too much is overwritten
			binary.LittleEndian.PutUint64(flat[n:], binary.LittleEndian.Uint64(b[start:]))
		} else {
			copy(flat[n:], b[start:from])
		}
		n += from - start
	}
	p.flat = flat[:n]
}

// hashGram returns the hash of the letters that begin at a place of flat.
func (p *page) hashGram(i int) uint32 {
	return hashShort(binary.LittleEndian.Uint64(p.flat[i:i+8:cap(p.flat)]), letters)
}

// resizeSlice returns a slice of n elements, which are not set. It uses s if that is large enough.
func resizeSlice[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// listPageSlots returns the features of the segment of the words first to end-1 of a text that readPage has read.
func (r *Reader) listPageSlots(b []byte, first, end int) []uint32 {
	last := &r.all[end-1]
	start, size := int(r.all[first].Start), int(last.End-r.all[first].Start)
	from, to := int(r.page.at[first]), int(r.page.at[end-1]+last.End-last.Start)
	if size > maxBytes || to-from < letters {
		return r.ListSlots(b[start : start+size])
	}
	r.addWords(r.all[first:end])
	// A space precedes and follows the words, whatever surrounds them in the text.
	flat := r.page.flat
	edge := [letters]byte{' '}
	copy(edge[1:], flat[from:])
	r.add(hashBytes(edge[:], 0, letters), saltLetters)
	for i := from; i <= to-letters; i++ {
		r.add(r.page.hashGram(i), saltLetters)
	}
	edge[letters-1] = ' '
	copy(edge[:letters-1], flat[to-letters+1:])
	r.add(hashBytes(edge[:], 0, letters), saltLetters)
	r.add(bucketLength(end-first), saltLength)
	return r.slots
}
