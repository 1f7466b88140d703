package conflict

import (
	"math"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// intersectRanges returns the intersection of two ranges.
func intersectRanges(a, b dsl.Range) dsl.Range {
	if b.HasLo && (!a.HasLo || b.Lo > a.Lo || b.Lo == a.Lo && b.OpenLo) {
		a.Lo, a.HasLo, a.OpenLo = b.Lo, true, b.OpenLo
	}
	if b.HasHi && (!a.HasHi || b.Hi < a.Hi || b.Hi == a.Hi && b.OpenHi) {
		a.Hi, a.HasHi, a.OpenHi = b.Hi, true, b.OpenHi
	}
	return a
}

// whole are the inputs that are whole numbers.
var whole = dsl.NewAttrSet(dsl.ToolCount, dsl.MessageCount, dsl.PromptTokens, dsl.MaxTokens, dsl.PIICount, dsl.ResponseTokens)

// sampleRange returns a number in the range.
func sampleRange(a dsl.Attr, r dsl.Range) (float64, bool) {
	step := 0.0
	switch {
	case whole.Has(a):
		step = 1
	case r.HasLo && r.HasHi:
		step = (r.Hi - r.Lo) / 2
	case r.HasLo || r.HasHi:
		step = 1
	}
	v := 0.0
	switch {
	case r.HasLo && r.OpenLo:
		v = r.Lo + step
	case r.HasLo:
		v = r.Lo
	case r.HasHi && r.OpenHi:
		v = r.Hi - step
	case r.HasHi:
		v = r.Hi
	}
	if whole.Has(a) {
		v = math.Floor(v)
		if r.HasLo && !r.OpenLo && v < r.Lo {
			v++
		}
	}
	return v, r.Holds(v)
}
