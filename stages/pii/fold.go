package pii

import (
	"sort"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// hiddenMax is how many consecutive hidden characters are dropped. A longer run separates words, which bounds the bytes on
// which a decision can depend.
const hiddenMax = 4

// gap replaces, in the folded text, a run of hidden characters that separates words.
const gap = 0

// A view is the text in the form that detectors see: digits of all scripts and full-width forms as ASCII, dashes as '-',
// spaces as ' ', without hidden characters. Everything else equals the raw text, byte for byte.
type view struct {
	s    string
	raw  string
	buf  []byte
	segs []seg // empty when s is raw itself
}

// A seg begins where the distance between folded and raw offsets changes.
type seg struct{ folded, raw int }

// load sets v to the view of text. If partial is set, an incomplete character at the end counts as a digit, because more
// text may turn it into anything.
func (v *view) load(text string, partial bool) {
	v.raw, v.s, v.segs = text, text, v.segs[:0]
	i := findWide(text)
	if i == len(text) {
		return
	}
	i = findFoldable(text, i, partial)
	if i == len(text) {
		return
	}
	v.fold(i, partial)
}

func (v *view) fold(i int, partial bool) {
	text, out := v.raw, append(v.buf[:0], v.raw[:i]...)
	v.segs = append(v.segs, seg{})
	hidden := 0
	for i < len(text) {
		b := text[i]
		if b < utf8.RuneSelf {
			j := i + 1
			for j < len(text) && text[j] < utf8.RuneSelf {
				j++
			}
			out = append(out, text[i:j]...)
			i, hidden = j, 0
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if partial && r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(text[i:]) {
			r, n = '٠', len(text)-i
		}
		c, drop, ok := foldRune(r)
		switch {
		case drop:
			if hidden++; hidden == hiddenMax+1 {
				out = append(out, gap)
			}
			v.segs = append(v.segs, seg{len(out), i + n})
		case ok:
			hidden = 0
			out = append(out, c)
			v.segs = append(v.segs, seg{len(out), i + n})
		default:
			hidden = 0
			out = append(out, text[i:i+n]...)
		}
		i += n
	}
	v.buf = out
	v.s = zerocopy.String(out)
}

// findRawStart returns the raw offset of the folded character at i.
func (v *view) findRawStart(i int) int {
	if len(v.segs) == 0 {
		return i
	}
	k := sort.Search(len(v.segs), func(k int) bool { return v.segs[k].folded > i }) - 1
	return v.segs[k].raw + i - v.segs[k].folded
}

// findRawEnd returns the raw offset behind the folded character that ends at i, without
// the hidden characters that follow it.
func (v *view) findRawEnd(i int) int {
	if len(v.segs) == 0 || i == 0 {
		return i
	}
	r := v.findRawStart(i - 1)
	if v.s[i-1] >= utf8.RuneSelf || v.raw[r] < utf8.RuneSelf {
		return r + 1
	}
	_, n := utf8.DecodeRuneInString(v.raw[r:])
	return r + n
}

// findFolded returns the first folded offset whose raw offset is at least r.
func (v *view) findFolded(r int) int {
	if len(v.segs) == 0 {
		return max(0, min(r, len(v.s)))
	}
	return sort.Search(len(v.s), func(i int) bool { return v.findRawStart(i) >= r })
}

// stepBack returns the folded offset at most n raw bytes before the folded i.
func (v *view) stepBack(i, n int) int {
	if len(v.segs) == 0 {
		return max(0, i-n)
	}
	r := v.findRawStart(i) - n
	j := max(0, i-n)
	for j < i && v.findRawStart(j) < r {
		j++
	}
	return j
}

// findWide returns the offset of the first byte outside ASCII. It reads 32 bytes at a time.
func findWide(s string) int {
	i := 0
	for ; i+32 <= len(s); i += 32 {
		if b := s[i : i+32]; (loadEight(b[:8])|loadEight(b[8:16])|loadEight(b[16:24])|loadEight(b[24:]))&0x8080808080808080 != 0 {
			break
		}
	}
	for ; i+8 <= len(s); i += 8 {
		if loadEight(s[i:i+8])&0x8080808080808080 != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return i
		}
	}
	return i
}

// loadEight reads eight bytes at once.
func loadEight(b string) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// findFoldable returns the offset, from i, of the first character that folding changes.
func findFoldable(s string, i int, partial bool) int {
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		if !foldLead[s[i]] && !partial {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if partial && r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(s[i:]) {
			return i
		}
		if _, drop, ok := foldRune(r); drop || ok {
			return i
		}
		i += n
	}
	return i
}
