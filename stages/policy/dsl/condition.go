package dsl

// Op is how a test compares its input.
type Op uint8

// Ops.
const (
	OpIn     Op = iota // the value fits one of Globs
	OpNotIn            // it fits none
	OpAny              // an element of the list fits one of Globs
	OpOther            // an element fits none
	OpAll              // each of Globs has an element
	OpRange            // the number lies in Range
	OpIs               // the switch is Is
	OpWindow           // the time lies in Window
)

// Test compares one input.
type Test struct {
	Attr     Attr
	Key      string // of a header, a metadata entry, a detector's label
	Op       Op
	Globs    []Glob
	Range    Range
	Is       bool
	Window   *Window
	MinScore float32 // of findings, to count
}

// Range is a range of numbers.
type Range struct {
	Lo, Hi         float64
	HasLo, HasHi   bool
	OpenLo, OpenHi bool // the bound itself is outside
}

// Holds reports whether v lies in the range.
func (r *Range) Holds(v float64) bool {
	if r.HasLo && (v < r.Lo || r.OpenLo && v == r.Lo) {
		return false
	}
	return !r.HasHi || v < r.Hi || !r.OpenHi && v == r.Hi
}

// Condition is one line under conditions. It is true if all its tests are.
type Condition struct {
	Name  string // as written
	Tests []Test
}

func (c *Condition) eval(f *Facts) Truth {
	t := True
	for i := range c.Tests {
		if t = conjoinTruths(t, c.Tests[i].eval(f)); t == False {
			break
		}
	}
	return t
}

func (t *Test) eval(f *Facts) Truth {
	if !f.Known.Has(t.Attr) || t.Attr >= attrs || inputs[t.Attr].holds == nil {
		return Unknown
	}
	return convertTruth(inputs[t.Attr].holds(t, f))
}
