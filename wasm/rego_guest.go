package wasm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/rego"
)

// regoGuest is the state of an instance of a compiled policy besides its memory.
type regoGuest struct {
	eval, malloc, parse, dump api.Function

	data       uint32 // address of the document data
	base       uint32 // address at which the heap of an evaluation begins
	entrypoint uint32
	builtins   map[uint32]rego.Builtin
	// evaluating is true while the guest runs in opa_eval only, so that it may call a built-in, for which the host calls the guest again.
	evaluating bool
	stack      [7]uint64
}

// openRego prepares an instance for evaluation. The settings become data.settings.
func (i *instance) openRego(config []byte, entrypoint string) error {
	for name, want := range map[string]uint64{rego.VersionMajor: 1} {
		if got := i.mod.ExportedGlobal(name).Get(); got != want {
			return i.v.newABIFault("the policy speaks version %d of OPA's ABI; this host speaks version 1", got)
		}
	}
	if minor := i.mod.ExportedGlobal(rego.VersionMinor).Get(); minor < 2 {
		return i.v.newABIFault("the policy speaks version 1.%d of OPA's ABI; this host speaks 1.2 and later: build it with OPA 0.35 or later", minor)
	}
	g := &regoGuest{
		eval: i.mod.ExportedFunction(rego.Eval), malloc: i.mod.ExportedFunction(rego.Malloc),
		parse: i.mod.ExportedFunction(rego.Parse), dump: i.mod.ExportedFunction(rego.Dump),
	}
	i.rego = g
	needed, err := i.readRegoTable(rego.BuiltinTable)
	if err != nil {
		return err
	}
	g.builtins = make(map[uint32]rego.Builtin, len(needed))
	for name, id := range needed {
		f, ok := rego.Builtins[name]
		if !ok {
			return i.v.newABIFault(
				"the policy calls the built-in %s, which this host does not offer; it offers those that OPA compiles into the module, and %s",
				stripControls(name, 60),
				slices.Sorted(maps.Keys(rego.Builtins)),
			)
		}
		g.builtins[id] = f
	}
	entries, err := i.readRegoTable(rego.EntrypointTable)
	if err != nil {
		return err
	}
	var ok bool
	if g.entrypoint, ok = entries[entrypoint]; !ok {
		if entrypoint != "" || len(entries) != 1 {
			return i.v.newABIFault(
				"the policy has no entrypoint %q; it has %s: name one with entrypoint:",
				stripControls(entrypoint, 100),
				stripControls(fmt.Sprint(slices.Sorted(maps.Keys(entries))), 300),
			)
		}
		for _, id := range entries {
			g.entrypoint = id
		}
	}
	if len(config) == 0 {
		config = []byte("{}")
	}
	if g.data, err = i.writeRegoValue(slices.Concat([]byte(`{"settings":`), config, []byte("}"))); err != nil {
		return err
	}
	g.base, err = i.callRego(i.mod.ExportedFunction(rego.HeapPointer))
	return err
}

// callRego calls a function with i32 parameters and one i32 result.
func (i *instance) callRego(f api.Function, args ...uint32) (uint32, error) {
	stack := make([]uint64, max(1, len(args)))
	for k, a := range args {
		stack[k] = uint64(a)
	}
	if err := f.CallWithStack(&i.call, stack); err != nil {
		return 0, i.wrapFault(err)
	}
	return uint32(stack[0]), nil
}

// readRegoTable reads a table of names and numbers.
func (i *instance) readRegoTable(export string) (map[string]uint32, error) {
	at, err := i.callRego(i.mod.ExportedFunction(export))
	if err != nil {
		return nil, err
	}
	text, err := i.readRegoJSON(at)
	if err != nil {
		return nil, err
	}
	var table map[string]uint32
	if json.Unmarshal(text, &table) != nil {
		return nil, i.v.newABIFault("its export %s does not return names with numbers", export)
	}
	return table, nil
}

// readRegoJSON returns a value of the guest as JSON. It is valid until the next call.
func (i *instance) readRegoJSON(value uint32) ([]byte, error) {
	at, err := i.callRego(i.rego.dump, value)
	if err != nil {
		return nil, err
	}
	return i.readRegoText(at)
}

// maxRegoResult is the longest text that the host reads from a policy, in bytes.
const maxRegoResult = 1 << 20

// readRegoText reads a null-terminated text.
func (i *instance) readRegoText(at uint32) ([]byte, error) {
	if i.mem == nil {
		return nil, i.v.newABIFault(early)
	}
	size := i.mem.Size()
	if at >= size {
		return nil, i.v.newABIFault("it returned a text outside its memory")
	}
	text, _ := i.mem.Read(at, min(size-at, maxRegoResult+1))
	end := bytes.IndexByte(text, 0)
	if end < 0 {
		return nil, i.v.newABIFault("it returned a text of more than %d bytes", maxRegoResult)
	}
	return text[:end], nil
}

// writeRegoValue creates a value in the guest's memory and returns its address.
func (i *instance) writeRegoValue(doc []byte) (uint32, error) {
	at, err := i.callRego(i.rego.malloc, uint32(len(doc)))
	if err != nil {
		return 0, err
	}
	if !i.mem.Write(at, doc) {
		return 0, i.v.newABIFault("opa_malloc returned an address outside the memory")
	}
	value, err := i.callRego(i.rego.parse, at, uint32(len(doc)))
	if err == nil && value == 0 {
		err = i.v.newABIFault("it cannot read the JSON that it was given")
	}
	return value, err
}

// evaluate evaluates the policy with an input, which is JSON, and returns the result set as JSON, valid until the next call. After an
// error the caller must close the instance.
func (i *instance) evaluate(input []byte) ([]byte, error) {
	g := i.rego
	end := uint64(g.base) + uint64(len(input))
	if size := uint64(i.mem.Size()); end > size {
		if _, ok := i.mem.Grow(uint32((end - size + pageSize - 1) / pageSize)); !ok {
			return nil, &Error{Plugin: i.v.Name, Kind: core.FaultMemory, Reason: "the input does not fit into its memory limit"}
		}
	}
	i.mem.Write(g.base, input)
	g.stack = [7]uint64{0, uint64(g.entrypoint), uint64(g.data), uint64(g.base), uint64(len(input)), end, 0}
	g.evaluating = true
	err := g.eval.CallWithStack(&i.call, g.stack[:])
	g.evaluating = false
	if err != nil {
		return nil, i.wrapFault(err)
	}
	return i.readRegoText(uint32(g.stack[0]))
}
