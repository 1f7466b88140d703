// Package guest is for plugins in Go: you write a detector or a stage as one function, and the package implements the rest
// of Headgate ABI 1. It imports wasm/abi and the standard library.
//
//	func init() { guest.Detector(find) }
//
//	func find(text []byte, f guest.Flags, emit func(guest.Span)) { … }
//
//	func main() {}
//
// A stage judges the exchange as a whole, in the phases that its manifest names; see
// Stage, Field, Read, Deny, Edit and Take. Test a stage with Trial.
//
// Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o x.wasm
//
// and put its manifest into the module, or beside it as x.wasm.yaml. Built for
// any other system the same package runs in ordinary tests; see Run.
package guest

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// Span is one match: the bytes [Start, End) of the text, on the boundaries of
// characters. Label is an index into the manifest's labels; Score lies between
// 0 and 1.
type Span struct {
	Start, End int
	Label      int
	Score      float32
}

// Flags describe the surroundings of a text.
type Flags uint32

// Before reports that other text precedes this one. Some of it is included.
func (f Flags) Before() bool { return uint32(f)&abi.DetectBefore != 0 }

// After reports that more text will follow. Do not report a match that touches the end: the same text comes again with its
// continuation.
func (f Flags) After() bool { return uint32(f)&abi.DetectAfter != 0 }

// Code reports that the text is a block of code.
func (f Flags) Code() bool { return uint32(f)&abi.DetectCode != 0 }

// Source returns the origin of the text.
func (f Flags) Source() abi.Source { return abi.SourceOf(uint32(f)) }

// DetectFunc finds matches in a text and emits each, in any order. The text is
// valid during the call and must not be changed.
type DetectFunc func(text []byte, f Flags, emit func(Span))

// ConfigureFunc receives the settings of the link, as JSON. An error refuses them.
type ConfigureFunc func(settings []byte) error

var (
	detector  DetectFunc
	configure ConfigureFunc
)

// Detector registers the function that finds matches. Call it once, from an init function.
func Detector(fn DetectFunc) { detector = fn }

// Configure registers the function that receives the settings. Without it, settings in the link's configuration are
// refused, unless they are empty.
func Configure(fn ConfigureFunc) { configure = fn }

// Run calls the detector as the host would, for tests.
func Run(text []byte, f Flags) []Span {
	var out []Span
	for r := collect(text, f); len(r) > 0; r = r[abi.SpanSize:] {
		s := abi.GetSpan(r)
		out = append(out, Span{Start: int(s.Start), End: int(s.End), Label: int(s.Label), Score: math.Float32frombits(s.Score)})
	}
	return out
}

// RunConfigure passes settings to the plugin as the host would, for tests.
func RunConfigure(settings []byte) error {
	if configure != nil {
		return configure(settings)
	}
	if string(settings) != "{}" {
		return errors.New("this plugin takes no settings")
	}
	return nil
}

var (
	found   []Span
	records []byte
)

// collect runs the detector and writes the records of what it found.
func collect(text []byte, f Flags) []byte {
	if detector == nil {
		return nil
	}
	return Records(func(emit func(Span)) { detector(text, f, emit) })
}

// Records returns the records of the spans that find emits, sorted, as hg_detect and hg_stream return them. If there are
// too many, the last record says so. It is for hooks of other packages, such as guest/stream.
func Records(find func(emit func(Span))) []byte {
	found, records = found[:0], records[:0]
	find(emit)
	slices.SortStableFunc(found, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	for i, s := range found {
		r := abi.Span{Start: uint32(s.Start), End: uint32(s.End), Label: uint16(s.Label), Score: math.Float32bits(s.Score)}
		if i == abi.MaxSpans-1 && len(found) > abi.MaxSpans {
			r.Label = abi.LabelOverflow
		}
		if i == abi.MaxSpans {
			break
		}
		var b [abi.SpanSize]byte
		abi.PutSpan(b[:], r)
		records = append(records, b[:]...)
	}
	return records
}

// emit keeps one match above the limit, so that collect notices.
func emit(s Span) {
	if len(found) <= abi.MaxSpans {
		found = append(found, s)
	}
}
