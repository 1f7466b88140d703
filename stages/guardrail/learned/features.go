package learned

// slotBits is the number of bits of a slot of the model.
const slotBits = 18

// Salts keep kinds of features apart.
const (
	saltWord = 0x1b873593 * (iota + 1)
	saltPair
	saltSkip
	saltTriple
	saltFirst
	saltFirstPair
	saltLetters
	saltLength
)

// letters is the length of the letter n-grams that are features, in bytes.
const letters = 5

// maxBytes bounds the bytes that are read of a segment.
const maxBytes = 640

// Reader extracts the features of windows. It reuses its buffers and is for one goroutine.
type Reader struct {
	text   []byte  // the text of ReadText
	all    []Word  // of the text
	page   page    // the same text
	firsts []int32 // of its sentences, see markSentenceStarts
	sums   sums    // the same text
	words  []Word  // of a segment
	slots  []uint32
	flat   []byte
	seen   [2048]uint32 // slots of the current window, with its number in the upper bits
	epoch  uint32
	worst  worstSegment
}

// add appends the slot of a feature, once for each window.
func (r *Reader) add(h, salt uint32) {
	h = (h ^ salt) * 0x9e3779b1
	slot := h >> (32 - slotBits)
	at := &r.seen[slot&2047]
	if *at == slot|r.epoch<<slotBits {
		return
	}
	*at = slot | r.epoch<<slotBits
	r.slots = append(r.slots, slot)
}

// ListSlots returns the features of a segment of normalised text. The result is valid until the next call.
func (r *Reader) ListSlots(b []byte) []uint32 {
	if len(b) > maxBytes {
		b = b[:maxBytes]
	}
	r.words = AppendWords(r.words[:0], b)
	r.addWords(r.words)
	r.flat = appendNormalizedWords(append(r.flat[:0], ' '), b)
	r.flat = append(r.flat, ' ')
	for i := 0; i+letters <= len(r.flat); i++ {
		r.add(hashBytes(r.flat, i, i+letters), saltLetters)
	}
	r.add(bucketLength(len(r.words)), saltLength)
	return r.slots
}

// addWords starts a segment with the features of its words.
func (r *Reader) addWords(words []Word) {
	r.slots = r.slots[:0]
	if r.epoch++; r.epoch == 1<<(32-slotBits) {
		r.epoch, r.seen = 1, [2048]uint32{}
	}
	var before, earlier uint32
	for i := range words {
		w := &words[i]
		h := w.Hash
		r.add(h, saltWord)
		r.add(hashPair(before, h), saltPair)
		r.add(hashPair(earlier, h), saltSkip)
		r.add(hashPair(hashPair(earlier, before), h), saltTriple)
		if w.First || i == 0 {
			r.add(h, saltFirst)
			if i+1 < len(words) {
				r.add(hashPair(h, words[i+1].Hash), saltFirstPair)
			}
		}
		earlier, before = before, h
	}
}

// appendNormalizedWords appends the words of b with one space between them, and signs that matter. Something precedes
// them.
func appendNormalizedWords(dst, b []byte) []byte {
	for _, c := range b {
		switch classes[c] {
		case classWord, classLead:
			dst = append(dst, c)
		case classQuote:
		default:
			if c == '<' || c == '{' || c == '[' || c == '/' || c == '@' || c == '=' || c == '"' {
				dst = append(dst, c)
			} else if dst[len(dst)-1] != ' ' {
				dst = append(dst, ' ')
			}
		}
	}
	return dst
}

// bucketLength returns the length class of a window with n words.
func bucketLength(n int) uint32 {
	k := uint32(0)
	for n > 2 {
		n = n * 2 / 3
		k++
	}
	return k
}
