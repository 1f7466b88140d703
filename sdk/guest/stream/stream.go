// Package stream is for Go plugins that inspect answers while they stream: it adds hg_stream to the exports of sdk/guest. A
// plugin that imports it gets its own instance for each streamed answer, of 3 MB or more.
//
//	func init() { stream.Filter(follow) }
//
//	func follow(h *stream.Held) (hold int, err error) { … }
package stream

import (
	"errors"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Held is the text of a part of an answer that a stage may still change.
type Held struct {
	// Part names the part: a choice's text, or the arguments of a tool call.
	Part uint32
	// Text is the part's held text, and the new text after it. It is valid during the call, and is text 0 for guest.Edit.
	Text []byte
	// Last reports that the part has ended: nothing can be held back any more.
	Last bool
	// Source is where the text comes from.
	Source abi.Source
}

// Edit replaces the bytes [start, end), which must not be held back.
func (h *Held) Edit(start, end int, with string) { guest.Edit(0, start, end, with) }

// FilterFunc inspects a streamed answer. It returns how many bytes at the end of the text to hold back. It calls
// guest.Deny, Edit and Note for everything else. An error is a fault; the gateway logs its text.
type FilterFunc func(h *Held) (hold int, err error)

// Told is the kind of event of a part of an answer.
type Told uint32

// The events that a detector receives.
const (
	Open  = Told(abi.StreamOpen)  // it begins
	Push  = Told(abi.StreamPush)  // more text of the part
	Close = Told(abi.StreamClose) // it has ended
)

// DetectFunc inspects a part of an answer for a detector, and emits each match once. Offsets count from the last mark, or
// from the start of the part without a mark. decided is a new mark: no later match will start before it; -1 leaves the mark
// unchanged. On Open a negative number skips the part.
type DetectFunc func(part uint32, told Told, text []byte, f guest.Flags, emit func(guest.Span)) (decided int)

var (
	detector DetectFunc
	// filter is set only by Filter, so that a detector does not import the host functions of stages.
	filter func(part uint32, last bool) (hold int, err error)
)

// Filter registers the function with which a stage inspects streams. Call it once, from an init function. guest.Stage is
// needed only for other phases.
func Filter(fn FilterFunc) {
	filter = func(part uint32, last bool) (int, error) {
		t := guest.Info(0)
		return fn(&Held{Part: part, Text: guest.Read(0), Last: last, Source: t.Source})
	}
}

// Detector registers the function with which a detector inspects streams. It also needs guest.Detector, for whole texts.
func Detector(fn DetectFunc) { detector = fn }

// Run calls the filter as the host would; tests use guest.Trial, whose first text is the filter's input.
func Run(part uint32, last bool) (hold int, err error) {
	if filter == nil {
		return 0, errNone
	}
	return filter(part, last)
}

var errNone = errors.New("the plugin has no filter")

// detect calls the detector, and returns its records or its answer to Open.
func detect(part uint32, text []byte, flags uint32) (records []byte, answer uint64) {
	told, decided := Told(flags&abi.StreamOpMask), -1
	records = guest.Records(func(emit func(guest.Span)) {
		decided = detector(part, told, text, guest.Flags(flags), emit)
	})
	switch {
	case told == Open && decided < 0:
		return nil, 1
	case told != Open && decided >= 0 && len(records) < abi.MaxSpans*abi.SpanSize:
		var mark [abi.SpanSize]byte
		abi.PutSpan(mark[:], abi.Span{Start: uint32(decided), End: uint32(decided), Label: abi.LabelDecided})
		records = append(records, mark[:]...)
	}
	return records, 0
}
