package meter

import "strconv"

// private is the prefix of the exports that the rewriter adds. A module that has such an export itself is refused.
const private = "headgate."

// ExportDepth is the added export of the private frame counter, a mutable i32. It is above Limits.Depth if and only if the depth made the
// guest trap: no code of the module can change it.
const ExportDepth = private + "depth"

// State describes what the code of a module may change besides its memory.
type State struct {
	// Globals are the names of added exports: all mutable globals of the module that a host can set.
	Globals []string
	// Beyond is true if the module can change more than memory and Globals: tables, segments that it drops, globals that hold vectors or
	// references. Such an instance cannot be reset; the host has to create a new one.
	Beyond bool
}

// recordVariable records a mutable global.
func (m *rewriter) recordVariable(x uint32, typ ValType) {
	if typ == V128 || typ == FuncRef || typ == ExternRef {
		m.out.State.Beyond = true
		return
	}
	m.variables = append(m.variables, x)
	m.out.State.Globals = append(m.out.State.Globals, private+"global."+strconv.FormatUint(uint64(x), 10))
}

// buildExportSection adds the exports of the mutable state.
func (m *rewriter) buildExportSection() []byte {
	b := appendU32(nil, uint32(len(m.out.Exports)+len(m.variables)+1))
	b = append(b, m.exportBytes...)
	for i, x := range m.variables {
		b = appendU32(append(appendName(b, m.out.State.Globals[i]), 3), x)
	}
	return appendU32(append(appendName(b, ExportDepth), 3), m.findDepth())
}
