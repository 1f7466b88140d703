package wasm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// An Extism guest is a detector with one export, detect, which takes no parameter and
// returns 0 on success. Its input is the text, as bytes; its output is a
// JSON list of what was found, and none means nothing:
//
//	[{"start": 0, "end": 7, "label": "codename", "score": 1}]
//
// Offsets count bytes; without a score it is 1. Its configuration are the link's
// settings, and the three keys below, which change from text to text.
const (
	extismHook = "detect"

	extismSource = "headgate.source"      // user, tool_result, …: as in the manifest's reads.text
	extismBefore = "headgate.more_before" // 1: other text stands before this one
	extismAfter  = "headgate.more_after"  // 1: more follows, so a match at the end must wait
)

var extismSignature = signature{results: []meter.ValType{meter.I32}}

func checkExtism(exports []meter.Extern) error {
	if !slices.ContainsFunc(exports, func(e meter.Extern) bool { return e.Name == abi.ExportMemory && e.Kind == meter.KindMemory }) {
		return fmt.Errorf("the module does not export %s, which a detector of kind extism must", abi.ExportMemory)
	}
	for _, e := range exports {
		if e.Name != extismHook {
			continue
		}
		if e.Kind != meter.KindFunc || len(e.Params) > 0 || !slices.Equal(e.Results, extismSignature.results) {
			return fmt.Errorf("the export %s must be a function %s", extismHook, extismSignature)
		}
		return nil
	}
	return fmt.Errorf("the module does not export %s, which a detector of kind extism must", extismHook)
}

// errNoBlock ends a guest that asks for more shared memory than is left.
var errNoBlock = errors.New("it asked for more memory than its limit")

// extismGuest is the state of an instance of an Extism plug-in.
type extismGuest struct {
	hook   api.Function
	memory extismMemory
	input  string
	output []byte // in memory
	config map[string]string
	vars   map[string]string // of one call
	room   int               // bytes that vars may still take
	stack  [1]uint64
	spans  []extismSpan
	record []byte
}

type extismSpan struct {
	Start, End int64
	Label      string
	Score      *float64
}

// extismShare is the part of a guest's memory limit that lies outside of its own memory:
// one in so many bytes, and of these again one for variables.
const extismShare = 4

// mostVars returns how many bytes a guest may keep in variables.
func (l *Limits) mostVars() int { return int(l.Memory / extismShare / extismShare) }

// mostShared returns how many bytes a guest may share with the host.
func (l *Limits) mostShared() uint64 { return uint64(l.Memory/extismShare) - uint64(l.mostVars()) }

// guestPages is how large the memory of a guest's own may become, in pages.
func (l *Limits) guestPages(kind string) uint32 {
	n := l.Memory
	if kind == abi.KindExtism {
		n -= n / extismShare
	}
	return uint32(max(1, n/pageSize))
}

// openExtism makes an instance ready. Settings that are no texts are given as JSON.
func (i *instance) openExtism(config []byte) error {
	g := &extismGuest{hook: i.mod.ExportedFunction(extismHook), config: map[string]string{}, vars: map[string]string{}}
	g.memory.most = i.v.limits.mostShared()
	if len(config) > 0 {
		var settings map[string]json.RawMessage
		if json.Unmarshal(config, &settings) != nil {
			return errors.New("settings of a plugin of kind extism are a mapping")
		}
		for key, raw := range settings {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			g.config[key] = text
		}
	}
	i.extism = g
	return nil
}

// set sets a variable for the rest of the call, or deletes it.
func (g *extismGuest) set(key string, value []byte, keep bool) {
	g.room += len(g.vars[key])
	delete(g.vars, key)
	if !keep {
		return
	}
	if g.room -= len(key) + len(value); g.room < 0 {
		panic(errNoBlock)
	}
	g.vars[key] = string(value)
}

// extismJudge asks the guest about a text. Its answer is turned into span records, so
// that it is held against the same rules as any other detector's.
func (i *instance) extismJudge(text string, flags uint32) ([]Match, error) {
	g := i.extism
	clear(g.vars)
	g.input, g.output, g.room = text, nil, i.v.limits.mostVars()
	g.config[extismSource] = abi.SourceOf(flags).String()
	g.config[extismBefore] = bit(flags&abi.DetectBefore != 0)
	g.config[extismAfter] = bit(flags&abi.DetectAfter != 0)
	err := g.hook.CallWithStack(&i.call, g.stack[:])
	defer g.memory.reset() // the output lies in it
	g.input = ""
	if err != nil {
		return nil, i.fault(err)
	}
	if uint32(g.stack[0]) != 0 {
		return nil, &Error{Plugin: i.v.Name, Kind: core.FaultError, Reason: "it reported an error"}
	}
	if len(g.output) == 0 {
		return nil, nil
	}
	g.spans = g.spans[:0]
	if len(g.output) > maxExtismOutput || json.Unmarshal(g.output, &g.spans) != nil {
		return nil, i.v.abiFault("its output is not a list of spans, as JSON of at most %d bytes", maxExtismOutput)
	}
	if len(g.spans) > i.v.limits.Spans {
		return nil, i.v.tooMany()
	}
	slices.SortStableFunc(g.spans, func(a, b extismSpan) int { return cmp.Compare(a.Start, b.Start) })
	g.record = g.record[:0]
	for k, s := range g.spans {
		label := slices.Index(i.v.Manifest.Labels, s.Label)
		if label < 0 || s.Start < 0 || s.End < 0 || s.Start > math.MaxUint32 || s.End > math.MaxUint32 {
			return nil, i.v.abiFault("span %d lies outside the text, or has a label that the manifest does not list", k)
		}
		score := float32(1)
		if s.Score != nil {
			score = float32(*s.Score)
		}
		g.record = append(g.record, make([]byte, abi.SpanSize)...)
		abi.PutSpan(
			g.record[k*abi.SpanSize:],
			abi.Span{Start: uint32(s.Start), End: uint32(s.End), Label: uint16(label), Score: math.Float32bits(score)},
		)
	}
	i.matches, err = i.read(i.matches[:0], text, 0, 0, g.record)
	return i.matches, err
}

// maxExtismOutput is the longest output that is read, in bytes.
const maxExtismOutput = 1 << 20

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
