package process

import (
	"math"
	"sort"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// stride is the distance of a ruler's marks in bytes.
const stride = 1 << 10

// ruler converts offsets in a text between bytes and the plugin's unit. It reads the text once, as far as an offset lies, and for each
// offset at most a stride besides: a text may have thousands of offsets.
type ruler struct {
	text  string
	unit  pb.Unit
	marks []mark
	steps int // number of bytes that were read
}

// mark is the beginning of a character.
type mark struct{ bytes, units int }

// countUnits converts an offset in bytes to the plugin's unit. Bytes behind the text count as one unit each.
func (r *ruler) countUnits(n int) uint32 {
	behind := max(n-len(r.text), 0)
	n -= behind
	if r.unit != pb.Unit_UNIT_BYTE {
		n = r.walk(r.findMark(n, math.MaxInt), n, math.MaxInt).units
	}
	return uint32(n + behind)
}

// findOffset converts a plugin's offset to bytes. It returns false if the offset is outside the text or inside a character.
func (r *ruler) findOffset(n uint32) (int, bool) {
	if int64(n) > int64(len(r.text)) {
		return 0, false
	}
	want := int(n)
	if r.unit == pb.Unit_UNIT_BYTE {
		return want, want == len(r.text) || utf8.RuneStart(r.text[want])
	}
	m := r.walk(r.findMark(len(r.text), want), len(r.text), want)
	return m.bytes, m.units == want
}

// walk goes on from a mark until it has passed a number of bytes or of units, whichever is first.
func (r *ruler) walk(m mark, bytes, units int) mark {
	from := m.bytes
	for i, c := range r.text[from:bytes] {
		if m.units >= units {
			m.bytes = from + i
			r.steps += i
			return m
		}
		if m.units++; r.unit == pb.Unit_UNIT_UTF16 && c > 0xFFFF {
			m.units++
		}
	}
	m.bytes = bytes
	r.steps += bytes - from
	return m
}

// findMark returns the last mark that is behind neither a number of bytes nor of units. It makes the marks up to there.
func (r *ruler) findMark(bytes, units int) mark {
	if r.marks == nil {
		r.marks = []mark{{}}
	}
	last := r.marks[len(r.marks)-1]
	for last.bytes+stride <= bytes && last.units <= units {
		end := last.bytes + stride
		for k := 1; k < utf8.UTFMax && end < len(r.text) && !utf8.RuneStart(r.text[end]); k++ {
			end++
		}
		last = r.walk(last, end, math.MaxInt)
		r.marks = append(r.marks, last)
	}
	behind := sort.Search(len(r.marks), func(k int) bool { return r.marks[k].bytes > bytes || r.marks[k].units > units })
	return r.marks[behind-1]
}
