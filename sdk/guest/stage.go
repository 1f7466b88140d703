package guest

import (
	"errors"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// Phase is a point of an exchange in which a stage is called.
type Phase uint32

// Phases. The manifest names those in which the stage is called.
const (
	Request   = Phase(abi.PhaseRequest)
	Target    = Phase(abi.PhaseTarget)
	Response  = Phase(abi.PhaseResponse)
	StreamEnd = Phase(abi.PhaseStreamEnd)
	Finish    = Phase(abi.PhaseFinish)
)

// StageFunc judges an exchange. What it has to say it says by Deny, Respond, Edit and
// Annotate; if it says nothing, the exchange passes. An error says that it failed, and
// nothing of what it said is carried out. The error's text goes to the gateway's log,
// where nothing of a prompt belongs.
type StageFunc func(p Phase) error

var stager StageFunc

// Stage sets the function that judges. Call it once, from an init function. A plugin
// is a stage or a detector, as its manifest says.
func Stage(fn StageFunc) { stager = fn }

var errNoStage = errors.New("the plugin has no stage")

// RunStage calls the stage as the host would; tests use Trial.
func RunStage(p Phase) error {
	if stager == nil {
		return errNoStage
	}
	return stager(p)
}

// Text tells of one text of the exchange: a segment.
type Text struct {
	Role, Kind uint8 // abi.RoleUser, abi.SegText
	Source     abi.Source
	// Joined says that it goes on where the text before it ends: a model reads both as
	// one.
	Joined bool
	Len    int // bytes
}

// Info tells of text i, of Texts().
func Info(i int) Text {
	s := abi.UnpackSeg(segInfo(uint32(i)))
	return Text{Role: s.Role, Kind: s.Kind, Source: s.Source, Joined: s.Flags&abi.SegJoined != 0, Len: int(s.Len)}
}

// Texts is the number of texts that the plugin may see in this call.
func Texts() int { return int(segCount()) }

// Read gives text i. It is valid until the next Read, which uses the same memory.
func Read(i int) []byte {
	n := Info(i).Len
	if cap(reading) < n {
		reading = make([]byte, n)
	}
	return reading[:segRead(uint32(i), 0, reading[:n])]
}

// reading and asking are memory for texts and for values of the host.
var reading, asking []byte

// Field returns a value of the exchange. ok is false if the plugin must not see it, or
// the host does not know it.
func Field(f abi.Field) (value string, ok bool) {
	b, code := readWhole(func(to []byte) uint32 { return field(uint32(f), to) })
	return string(b), code == 0
}

// readWhole asks for a value with growing buffers until it fits. code is not 0 if there is no value.
func readWhole(ask func(to []byte) uint32) (value []byte, code uint32) {
	if asking == nil {
		asking = make([]byte, 256)
	}
	for {
		n := ask(asking)
		switch {
		case n >= abi.Unavailable:
			return nil, n
		case int(n) <= len(asking):
			return asking[:n], 0
		}
		asking = make([]byte, n+n/4)
	}
}

// Keep keeps up to abi.MaxKeep bytes for the later calls of this exchange, in the place
// of what was kept.
func Keep(b []byte) { keepSet(b) }

// Kept gives a copy of what was kept for this exchange; empty: nothing.
func Kept() []byte {
	b, _ := readWhole(keepGet)
	return append([]byte(nil), b...)
}
