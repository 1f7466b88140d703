package wasm

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/extism"
)

// errNoBlock ends the call of a guest that asks for more shared memory than is left.
var errNoBlock = errors.New("the memory request exceeds `limits.memory`")

// extismGuest is the state of an instance of an Extism plug-in.
type extismGuest struct {
	hook   api.Function
	memory extism.Memory
	input  string
	output []byte // in memory
	config map[string]string
	vars   extism.Vars // of one call
	stack  [1]uint64
	spans  []extism.Span
	record []byte
}

// extismShare is the fraction of a guest's memory limit that lies outside its own memory: a quarter. A quarter of that is for variables.
const extismShare = 4

// computeVarsLimit returns the most bytes of a guest's variables.
func (l *Limits) computeVarsLimit() int { return int(l.Memory / extismShare / extismShare) }

// computeSharedLimit returns the most bytes that a guest may share with the host.
func (l *Limits) computeSharedLimit() uint64 {
	return uint64(l.Memory/extismShare) - uint64(l.computeVarsLimit())
}

// countGuestPages returns the maximum size of a guest's own memory, in pages of 64 KiB.
func (l *Limits) countGuestPages(kind string) uint32 {
	n := l.Memory
	if kind == abi.KindExtism {
		n -= n / extismShare
	}
	return uint32(max(1, n/pageSize))
}

// openExtism prepares an instance for calls.
func (i *instance) openExtism(config []byte) error {
	settings, err := extism.ReadSettings(config)
	if err != nil {
		return err
	}
	i.extism = &extismGuest{
		hook: i.mod.ExportedFunction(extism.Hook), config: settings, memory: extism.NewMemory(i.v.limits.computeSharedLimit()),
	}
	return nil
}

// judgeByExtism runs the guest on a text. It converts the answer into span records, so that the rules of every other detector apply to it.
func (i *instance) judgeByExtism(text string, flags uint32) ([]Match, error) {
	g := i.extism
	g.vars.Reset(i.v.limits.computeVarsLimit())
	g.input, g.output = text, nil
	g.config[extism.KeySource] = abi.SourceOf(flags).String()
	g.config[extism.KeyBefore] = formatBit(flags&abi.DetectBefore != 0)
	g.config[extism.KeyAfter] = formatBit(flags&abi.DetectAfter != 0)
	err := g.hook.CallWithStack(&i.call, g.stack[:])
	defer g.memory.Reset() // it contains the output
	g.input = ""
	if err != nil {
		return nil, i.wrapFault(err)
	}
	if uint32(g.stack[0]) != 0 {
		return nil, &Error{Plugin: i.v.Name, Kind: core.FaultError, Reason: "it reported an error"}
	}
	if len(g.output) == 0 {
		return nil, nil
	}
	var ok bool
	if g.spans, ok = extism.ReadSpans(g.spans, g.output); !ok {
		return nil, i.v.newABIFault("its output is not a list of spans, as JSON of at most %d bytes", extism.MaxOutput)
	}
	if len(g.spans) > i.v.limits.Spans {
		return nil, i.v.newOverflowFault()
	}
	slices.SortStableFunc(g.spans, func(a, b extism.Span) int { return cmp.Compare(a.Start, b.Start) })
	g.record = g.record[:0]
	for k, s := range g.spans {
		label := slices.Index(i.v.Manifest.Labels, s.Label)
		if label < 0 || s.Start < 0 || s.End < 0 || s.Start > math.MaxUint32 || s.End > math.MaxUint32 {
			return nil, i.v.newABIFault("span %d lies outside the text, or has a label that the manifest does not list", k)
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
	i.matches, err = i.appendMatches(i.matches[:0], text, 0, 0, g.record)
	return i.matches, err
}

func formatBit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
