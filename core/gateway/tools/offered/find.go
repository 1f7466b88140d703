package offered

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/records/pins"
)

// Call is a call of a tool in the answer of a model.
type Call struct {
	ID   string // by which the result refers to it; "" where the shape has none
	Name string // as the client has offered it
	Args uint64 // see [Memory.SumArgs]; 0: not known, such as of a call that arrives in pieces
}

// deepest is how deep calls are looked for.
const deepest = 32

// maxArgs is the longest text of arguments that is compared, in bytes.
const maxArgs = 64 << 10

// SumArgs returns a sum of arguments that does not depend on the order of members or on white space, or 0 if they cannot be
// compared.
func (m *Memory) SumArgs(doc []byte) uint64 {
	if m == nil || len(doc) == 0 || len(doc) > maxArgs {
		return 0
	}
	form, err := pins.Canonicalize(doc)
	if err != nil {
		return 0
	}
	return max(maphash.Bytes(m.seed, form), 1)
}

// FindCalls returns the calls of offered tools in a whole answer, or in one event of a stream, in any shape: an object with the
// name of an offered tool and its arguments. Tools that an answer repeats are not calls, and neither is what arguments hold.
func (m *Memory) FindCalls(doc []byte, offered []string) []Call {
	if !bytes.Contains(doc, []byte(`"name"`)) {
		return nil
	}
	f := finder{memory: m, doc: doc, offered: offered}
	f.scan.Reset(doc)
	f.scanValue("", 0)
	if f.scan.Err() != nil {
		return nil
	}
	return f.calls
}

// finder looks for calls.
type finder struct {
	memory  *Memory
	scan    splice.Scanner
	doc     []byte
	offered []string
	text    []byte
	calls   []Call
}

// scanValue looks at the next value, that of a member with this key.
func (f *finder) scanValue(key string, depth int) {
	s := &f.scan
	switch k := s.Kind(); {
	case depth > deepest:
		s.Skip()
	case k == splice.Array:
		s.Enter()
		for s.Next() {
			f.scanValue(key, depth+1)
		}
	case k == splice.Object:
		f.scanObject(key, depth)
	default:
		s.Skip()
	}
}

// scanObject looks at an object: it may be a call itself, or have the id of one inside.
func (f *finder) scanObject(key string, depth int) {
	s, before := &f.scan, len(f.calls)
	var own Call
	var id, callID string
	hasArgs := key == "functionCall"
	s.Enter()
	for s.Next() {
		switch member := string(s.Key()); member {
		case "id":
			id = f.read()
		case "call_id":
			callID = f.read()
		case "name":
			own.Name = f.read()
		case "arguments", "input", "args":
			own.Args, hasArgs = f.sumArguments(), true
		case "tools", "tool_choice", "metadata":
			s.Skip()
		default:
			f.scanValue(member, depth+1)
		}
	}
	if callID != "" {
		id = callID
	}
	for i := before; i < len(f.calls); i++ {
		if f.calls[i].ID == "" && key == "tool_calls" { // the id is beside the function
			f.calls[i].ID = id
		}
	}
	if !hasArgs || own.Name == "" || !slices.Contains(f.offered, own.Name) {
		return
	}
	if key != "function" {
		own.ID = id
	}
	f.calls = append(f.calls, own)
}

// read returns the next value if it is a string of bounded length, and "" otherwise.
func (f *finder) read() string {
	s := &f.scan
	if s.Kind() != splice.String {
		s.Skip()
		return ""
	}
	at, escaped := s.String()
	raw := f.doc[at.Start:at.End]
	if len(raw) > maxNameLength {
		return ""
	}
	if escaped {
		f.text = splice.AppendText(f.text[:0], raw)
		raw = f.text
	}
	return string(raw)
}

// sumArguments returns the sum of arguments, which are an object or its text.
func (f *finder) sumArguments() uint64 {
	s := &f.scan
	if s.Kind() != splice.String {
		at := s.Skip()
		if doc := f.doc[at.Start:at.End]; len(doc) > 2 { // {} may be the beginning of a call that arrives in pieces
			return f.memory.SumArgs(doc)
		}
		return 0
	}
	at, escaped := s.String()
	raw := f.doc[at.Start:at.End]
	if len(raw) > maxArgs {
		return 0
	}
	if escaped {
		f.text = splice.AppendText(f.text[:0], raw)
		raw = f.text
	}
	return f.memory.SumArgs(raw)
}
