package guardrail

// lookUpWord returns the id of a word of a view, or 0 if it is unknown.
func (l *lexicon) lookUpWord(v *view, w *word) uint16 { return l.findID(w.hash, v.norm[w.start:w.end]) }

// findID returns the id of a word with a hash, or 0 if it is unknown.
func (l *lexicon) findID(h uint32, b []byte) uint16 {
	if !l.known.has(h) {
		return l.findNickname(b)
	}
	mask := uint32(len(l.slots) - 1)
	for at := h; ; at++ {
		s := &l.slots[at&mask]
		if s.id == 0 {
			return l.findNickname(b)
		}
		if s.hash == h && isSameWord(b, s.text) {
			return s.id
		}
	}
}

// has reports whether the lexicon has a word, by its hash and spelling.
func (l *lexicon) has(h uint32, b []byte) bool {
	if !l.known.has(h) {
		return false
	}
	mask := uint32(len(l.slots) - 1)
	for at := h; l.slots[at&mask].id != 0; at++ {
		if s := &l.slots[at&mask]; s.hash == h && string(b) == s.text {
			return true
		}
	}
	return false
}

// isSameWord compares a word of a view with a word of the lexicon, ignoring apostrophes.
func isSameWord(b []byte, s string) bool {
	if len(b) == len(s) {
		return string(b) == s
	}
	k := 0
	for _, c := range b {
		if c == '\'' {
			continue
		}
		if k == len(s) || s[k] != c {
			return false
		}
		k++
	}
	return k == len(s)
}

// findNickname returns the common id of names derived from a model's name: FreeGPT, EvilGPT.
func (l *lexicon) findNickname(b []byte) uint16 {
	if n := len(b); n > 4 && n < 24 && string(b[n-3:]) == "gpt" && string(b) != "chatgpt" {
		return l.anyGPT
	}
	return 0
}

// hashFilter tests whether a table may contain a hash. It takes 8 KiB and stays in a cache, unlike the tables; most words
// of ordinary text are in none of them.
type hashFilter [1 << 10]uint64

func (f *hashFilter) add(h uint32)      { f[h>>22] |= 1 << (h >> 16 & 63) }
func (f *hashFilter) has(h uint32) bool { return f[h>>22]>>(h>>16&63)&1 != 0 }
