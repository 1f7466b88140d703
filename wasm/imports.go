package wasm

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/extism"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
	"github.com/headgate-dev/headgate/wasm/meter"
	"github.com/headgate-dev/headgate/wasm/rego"
)

// hostFunc is one function that a guest may import.
type hostFunc struct {
	params, results []api.ValueType
	capability      string // "" if linked without a capability
	stage           bool   // for stages only
	reads           string // what the manifest must read; "" for none
	fn              api.GoModuleFunc
}

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

var headgateFuncs = map[string]hostFunc{
	abi.ImportLog:    {params: []api.ValueType{i32, i32, i32}, fn: handleLog},
	abi.ImportNow:    {results: []api.ValueType{i64}, capability: abi.CapabilityNow, fn: handleNow},
	abi.ImportRandom: {params: []api.ValueType{i32, i32}, capability: abi.CapabilityRandom, fn: handleRandom},
}

// findImport returns the host function for an import, or the reason why it has none.
func findImport(m meter.Extern, manifest *Manifest) (hostFunc, error) {
	if m.Kind != meter.KindFunc {
		return hostFunc{}, fmt.Errorf("imports %q.%q, which is not a function", stripControls(m.Module, 40), stripControls(m.Name, 40))
	}
	var f hostFunc
	ok := false
	switch m.Module {
	case abi.HostModule:
		if f, ok = headgateFuncs[m.Name]; !ok {
			f, ok = stageFuncs[m.Name]
		}
		switch {
		case m.Name == meter.TickName:
			return f, fmt.Errorf("imports %s.%s, which is reserved for the host", m.Module, m.Name)
		case ok && f.stage && manifest.Kind != abi.KindStage:
			return f, fmt.Errorf("imports %s.%s, which is for stages; its manifest says kind: %s", m.Module, m.Name, manifest.Kind)
		case ok && f.capability != "" && !manifest.has(f.capability):
			return f, fmt.Errorf("imports %s.%s, but its manifest does not list the capability %q", m.Module, m.Name, f.capability)
		case ok && f.reads != "" && !manifest.Reads.hasAny(f.reads):
			return f, fmt.Errorf("imports %s.%s, but its manifest lists nothing under %s", m.Module, m.Name, f.reads)
		}
	case wasiModule:
		f, ok = newWASIFunc(m)
	case rego.Module:
		if manifest.Kind == abi.KindRego {
			f, ok = regoFuncs[m.Name]
		}
	case extism.Module:
		if manifest.Kind == abi.KindExtism {
			f, ok = extismFuncs[m.Name]
		}
	case httpwasm.Module:
		if manifest.Kind == abi.KindHTTP {
			var err error
			if f, ok, err = findHTTPFunc(m, manifest); err != nil {
				return f, err
			}
		}
	}
	if !ok {
		return f, fmt.Errorf("imports %q.%q, which this host does not offer", stripControls(m.Module, 40), stripControls(m.Name, 40))
	}
	if !slices.Equal(convertTypes(m.Params), f.params) || !slices.Equal(convertTypes(m.Results), f.results) {
		return f, fmt.Errorf("imports %s.%s with a wrong signature", m.Module, m.Name)
	}
	return f, nil
}

func convertTypes(in []meter.ValType) []api.ValueType {
	out := make([]api.ValueType, len(in))
	for i, t := range in {
		out[i] = byte(t)
	}
	return out
}

// linkModule instantiates the host modules that the guest imports from, and no others.
func linkModule(ctx context.Context, r wazero.Runtime, imports []meter.Extern, manifest *Manifest) error {
	host := r.NewHostModuleBuilder(abi.HostModule)
	host.NewFunctionBuilder().WithGoFunction(api.GoFunc(handleTick), nil, []api.ValueType{i32}).Export(meter.TickName)
	others := map[string]wazero.HostModuleBuilder{} // by name
	done := map[[2]string]bool{}
	for _, m := range imports {
		if m.Kind == meter.KindMemory { // the guest gets its own memory
			continue
		}
		f, err := findImport(m, manifest)
		if err != nil {
			return err
		}
		if key := [2]string{m.Module, m.Name}; done[key] {
			continue
		} else {
			done[key] = true
		}
		b := host
		if m.Module != abi.HostModule {
			if b = others[m.Module]; b == nil {
				b = r.NewHostModuleBuilder(m.Module)
				others[m.Module] = b
			}
		}
		b.NewFunctionBuilder().WithGoModuleFunction(f.fn, f.params, f.results).Export(m.Name)
	}
	if _, err := host.Instantiate(ctx); err != nil {
		return fmt.Errorf("link the host's functions: %w", err)
	}
	for name, b := range others {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("link the functions of %s: %w", name, err)
		}
	}
	return nil
}

func handleLog(ctx context.Context, m api.Module, stack []uint64) {
	c := ctx.(*callContext)
	c.check()
	n := min(uint32(stack[2]), maxLogLine)
	if text, ok := m.Memory().Read(uint32(stack[1]), n); ok {
		c.inst.v.log.writeLine(abi.Level(uint32(stack[0])), text)
	}
}

func handleNow(ctx context.Context, _ api.Module, stack []uint64) {
	c := ctx.(*callContext)
	c.check()
	now := time.Now
	if s := c.inst.talk.s; s != nil && s.services.Now != nil {
		now = s.services.Now
	}
	stack[0] = uint64(now().UnixMilli())
}

func handleRandom(ctx context.Context, m api.Module, stack []uint64) {
	fillRandom(ctx.(*callContext), m.Memory(), uint32(stack[0]), uint32(stack[1]))
}

// randomPiece is the number of random bytes generated between two checks of the deadline.
const randomPiece = 4 << 10

func fillRandom(c *callContext, mem api.Memory, ptr, n uint32) bool {
	c.check()
	b, ok := mem.Read(ptr, n)
	if !ok {
		return false
	}
	for len(b) > 0 {
		piece := b[:min(len(b), randomPiece)]
		_, _ = rand.Read(piece) // never fails
		b = b[len(piece):]
		c.check()
	}
	return true
}
