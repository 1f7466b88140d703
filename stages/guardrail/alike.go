package guardrail

import "unicode/utf8"

// foldLookalikes rewrites the word at the end of norm in Latin letters, if it mixes them with look-alikes, or consists of
// look-alikes only in a text that has no other word of their alphabet.
func (v *view) foldLookalikes(from, latin, other int) {
	if other == 0 || from >= len(v.norm) {
		return
	}
	all, letters := true, 0
	for i := from; i < len(v.norm); {
		c := v.norm[i]
		if c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(v.norm[i:])
		if _, ok := lookalikes[r]; !ok {
			all = false
		}
		letters++
		i += size
	}
	if !all && (latin == 0 || letters > 3*latin) {
		v.cyrillic = true
		return
	}
	if latin == 0 && v.cyrillic {
		return
	}
	to := from
	for i := from; i < len(v.norm); {
		r, size := utf8.DecodeRune(v.norm[i:])
		if c, ok := lookalikes[r]; ok {
			v.norm[to], v.off[to] = c, v.off[i]
			to++
		} else {
			copy(v.norm[to:], v.norm[i:i+size])
			for k := range size {
				v.off[to+k] = v.off[i+k]
			}
			to += size
		}
		i += size
	}
	v.norm, v.off = v.norm[:to], v.off[:to]
}
