package guest

import (
	"errors"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// Phase is a point of an exchange at which a stage is called.
type Phase uint32

// The phases. The manifest selects those in which the stage is called.
const (
	Request   = Phase(abi.PhaseRequest)
	Target    = Phase(abi.PhaseTarget)
	Response  = Phase(abi.PhaseResponse)
	StreamEnd = Phase(abi.PhaseStreamEnd)
	Finish    = Phase(abi.PhaseFinish)
)

// StageFunc judges an exchange. It gives its verdict by calling Deny, Respond, Edit and Annotate; without a call, the
// exchange passes. If it returns an error, the calls have no effect and the link's fault rule applies. The error's text
// goes to the gateway's log, so it must not quote a prompt.
type StageFunc func(p Phase) error

var stager StageFunc

// Stage registers the function that judges. Call it once, from an init function. A plugin is either a stage or a detector,
// as its manifest says.
func Stage(fn StageFunc) { stager = fn }

var errNoStage = errors.New("the plugin has no stage")

// RunStage calls the stage as the host would; tests use Trial.
func RunStage(p Phase) error {
	if stager == nil {
		return errNoStage
	}
	return stager(p)
}

// Text describes one text (segment) of the exchange.
type Text struct {
	Role, Kind uint8 // abi.RoleUser, abi.SegText
	Source     abi.Source
	// Joined says that it continues the text before it: a model reads both as one.
	Joined bool
	Len    int // bytes
}

// Info describes text i, from 0 to Texts()-1.
func Info(i int) Text {
	s := abi.UnpackSeg(segInfo(uint32(i)))
	return Text{Role: s.Role, Kind: s.Kind, Source: s.Source, Joined: s.Flags&abi.SegJoined != 0, Len: int(s.Len)}
}

// Texts returns the number of texts that the plugin may see in this call.
func Texts() int { return int(segCount()) }

// Read returns text i. It is valid until the next Read, which reuses the memory.
func Read(i int) []byte {
	n := Info(i).Len
	if cap(reading) < n {
		reading = make([]byte, n)
	}
	return reading[:segRead(uint32(i), 0, reading[:n])]
}

// reading and asking are buffers for texts and for values of the host.
var reading, asking []byte

// Field returns a field of the exchange. ok is false if the plugin must not see it, or if the host does not know its value.
func Field(f abi.Field) (value string, ok bool) {
	b, code := readWhole(func(to []byte) uint32 { return field(uint32(f), to) })
	return string(b), code == 0
}

// readWhole reads a value, with growing buffers until it fits. code is not 0 without a value.
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

// Keep stores up to abi.MaxKeep bytes for later calls of this exchange. It replaces what was kept.
func Keep(b []byte) { keepSet(b) }

// Kept returns a copy of what was kept for this exchange, or an empty slice.
func Kept() []byte {
	b, _ := readWhole(keepGet)
	return append([]byte(nil), b...)
}
