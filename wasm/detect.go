package wasm

import (
	"math"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Match is a span that a detector found. Start and End are byte offsets in the text.
type Match struct {
	Start, End int
	Label      int // index into the manifest's labels
	Score      float32
}

// write copies text into the guest's input buffer, growing it if the text does not fit.
func (i *instance) write(text string) error {
	if err := i.reserve(len(text)); err != nil {
		return err
	}
	if !i.mem.WriteString(i.in, text) {
		return i.v.newABIFault("the input buffer lies outside the memory")
	}
	return nil
}

// reserve grows the input buffer to at least n bytes.
func (i *instance) reserve(n int) error {
	if n <= int(i.room) && i.room > 0 {
		return nil
	}
	if n > math.MaxUint32/2 {
		return i.v.newABIFault("a text of %d bytes is too long for a guest", n)
	}
	size := uint32(minInput)
	for int(size) < n {
		size *= 2
	}
	i.in, i.room = 0, 0
	i.stack[0] = uint64(size)
	if err := i.alloc.CallWithStack(&i.call, i.stack[:1]); err != nil {
		return i.wrapFault(err)
	}
	ptr := uint32(i.stack[0])
	if ptr == 0 {
		return &Error{Plugin: i.v.Name, Kind: core.FaultMemory, Reason: "hg_alloc gave no memory"}
	}
	if uint64(ptr)+uint64(size) > uint64(i.mem.Size()) {
		return i.v.newABIFault("hg_alloc returned a buffer outside the memory")
	}
	i.in, i.room = ptr, size
	return nil
}

// detect runs the guest on a text and counts the call. The matches are valid until the next call. After an error the caller must close
// the instance.
func (i *instance) detect(text string, flags uint32) ([]Match, error) {
	timed := i.v.calls.Add(1)%sampleEvery == 1
	i.v.bytes.Add(uint64(len(text)))
	if !timed {
		return i.judge(text, flags)
	}
	began := readClock()
	got, err := i.judge(text, flags)
	i.v.spent.Add(uint64(readClock() - began))
	i.v.sampled.Add(1)
	return got, err
}

// judge runs the guest on a text.
func (i *instance) judge(text string, flags uint32) ([]Match, error) {
	if i.extism != nil {
		return i.judgeByExtism(text, flags)
	}
	v := i.v
	if v.has.detectsByStream() {
		return i.judgeByStream(text, flags)
	}
	if err := i.write(text); err != nil {
		return nil, err
	}
	i.stack[0], i.stack[1], i.stack[2] = uint64(i.in), uint64(len(text)), uint64(flags)
	if err := i.detector.CallWithStack(&i.call, i.stack[:3]); err != nil {
		return nil, i.wrapFault(err)
	}
	records, err := i.readRecords(abi.ExportDetect, i.stack[0])
	if err != nil || records == nil {
		return nil, err
	}
	i.matches, err = i.appendMatches(i.matches[:0], text, 0, 0, records)
	return i.matches, err
}

// readRecords returns the bytes of the records that a hook returned, or nil without records.
func (i *instance) readRecords(hook string, result uint64) ([]byte, error) {
	v := i.v
	ptr, n := abi.Unpack(result)
	switch {
	case n == 0:
		return nil, nil
	case n == abi.BytesError:
		return nil, &Error{Plugin: v.Name, Kind: core.FaultError, Reason: "it reported an error"}
	case n%abi.SpanSize != 0 || n > uint32(v.limits.Spans)*abi.SpanSize:
		return nil, v.newABIFault("%s returned %d bytes of spans", hook, n)
	}
	records, ok := i.mem.Read(ptr, n)
	if !ok {
		return nil, v.newABIFault("%s returned spans outside the memory", hook)
	}
	return records, nil
}

// appendMatches checks the records, whose offsets are relative to base in the text, and appends their matches to out
// with offsets in the text. No match may begin before least.
func (i *instance) appendMatches(out []Match, text string, base, least int, records []byte) ([]Match, error) {
	v := i.v
	last, end := 0, uint64(len(text)-base)
	for k := 0; len(records) > 0; k++ {
		s := abi.GetSpan(records)
		records = records[abi.SpanSize:]
		score := math.Float32frombits(s.Score)
		if s.Label == abi.LabelOverflow && len(records) == 0 {
			return nil, v.newOverflowFault()
		}
		if s.Start >= s.End || uint64(s.End) > end {
			return nil, v.newABIFault("span %d lies outside the text or is empty", k)
		}
		from, to := base+int(s.Start), base+int(s.End)
		switch {
		case from < least:
			return nil, v.newABIFault("span %d begins in text that was already released", k)
		case from < last:
			return nil, v.newABIFault("span %d is not in order", k)
		case !isBoundary(text, from) || !isBoundary(text, to):
			return nil, v.newABIFault("span %d begins or ends inside a character", k)
		case int(s.Label) >= len(v.Manifest.Labels):
			return nil, v.newABIFault("span %d has a label that the manifest does not list", k)
		case !(score >= 0 && score <= 1):
			return nil, v.newABIFault("span %d has a score that is not between 0 and 1", k)
		case to-from > v.Manifest.MaxMatch:
			return nil, v.newABIFault("span %d is longer than max_match", k)
		case v.Manifest.Token && hasSpace(text[from:to]):
			return nil, v.newABIFault("span %d contains white space, which the manifest rules out", k)
		}
		last = from
		out = append(out, Match{Start: from, End: to, Label: int(s.Label), Score: score})
	}
	return out, nil
}

// newOverflowFault returns the fault of a guest that reports more matches than allowed.
func (v *Version) newOverflowFault() *Error {
	return &Error{Plugin: v.Name, Kind: core.FaultError, Reason: "it found more than it can report", excused: true}
}

func isBoundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func hasSpace(s string) bool {
	for i := range len(s) {
		if isSpace(s[i]) {
			return true
		}
	}
	return false
}
