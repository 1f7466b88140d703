package learned

import "encoding/binary"

// page is a text in the form that its segments share. Segments overlap, and so do windows, so each byte is classified and
// hashed only once. The features of a segment are those of Reader.Slots, in the same order.
type page struct {
	flat  []byte   // the words with one space between them, as appendFlat writes them
	at    []int32  // offset in flat of each word of Reader.all
	grams []uint32 // hash of the letters at each offset of flat
}

// readPage reads a text. Its words are in r.all.
func (r *Reader) readPage(b []byte) {
	p := &r.page
	p.flat, p.at = append(p.flat[:0], ' '), p.at[:0]
	from := 0
	for i := range r.all {
		start := int(r.all[i].Start)
		p.flat = appendFlat(p.flat, b[from:start])
		p.at = append(p.at, int32(len(p.flat)))
		from = int(r.all[i].End)
		p.flat = append(p.flat, b[start:from]...)
	}
	p.grams = p.grams[:0]
	i := 0
	for ; i+8 <= len(p.flat); i++ {
		p.grams = append(p.grams, hashShort(binary.LittleEndian.Uint64(p.flat[i:]), letters))
	}
	for ; i+letters <= len(p.flat); i++ {
		p.grams = append(p.grams, hashBytes(p.flat, i, i+letters))
	}
}

// pageSlots returns the features of the segment of the words first to end-1 of a text that readPage has read.
func (r *Reader) pageSlots(b []byte, first, end int) []uint32 {
	last := &r.all[end-1]
	start, size := int(r.all[first].Start), int(last.End-r.all[first].Start)
	from, to := int(r.page.at[first]), int(r.page.at[end-1]+last.End-last.Start)
	if size > maxBytes || to-from < letters {
		return r.Slots(b[start : start+size])
	}
	r.addWords(r.all[first:end])
	// A space precedes and follows the words, whatever surrounds them in the text.
	flat := r.page.flat
	edge := [letters]byte{' '}
	copy(edge[1:], flat[from:])
	r.add(hashBytes(edge[:], 0, letters), saltLetters)
	for _, h := range r.page.grams[from : to-letters+1] {
		r.add(h, saltLetters)
	}
	edge[letters-1] = ' '
	copy(edge[:letters-1], flat[to-letters+1:])
	r.add(hashBytes(edge[:], 0, letters), saltLetters)
	r.add(lengthOf(end-first), saltLength)
	return r.slots
}
