package meter

import "strconv"

// private begins the names of exports that the rewriter adds. A module that has
// such an export itself is refused.
const private = "headgate."

// ExportDepth is the added export of the private count of frames, a mutable
// i32. It is above Limits.Depth when that is why the guest trapped, and never
// otherwise: no code of the module can reach it.
const ExportDepth = private + "depth"

// State says what code of a module may change besides its memory.
type State struct {
	// Globals are the names of added exports: all globals of the module that can
	// change and that a host can set.
	Globals []string
	// Beyond says that it can change more than memory and Globals: tables,
	// segments that it drops, globals that hold vectors or references. What such
	// an instance remembers cannot be taken from it; it has to be made anew.
	Beyond bool
}

// variable takes note of a global that can change.
func (m *rewriter) variable(x uint32, typ ValType) {
	if typ == V128 || typ == FuncRef || typ == ExternRef {
		m.out.State.Beyond = true
		return
	}
	m.variables = append(m.variables, x)
	m.out.State.Globals = append(m.out.State.Globals, private+"global."+strconv.FormatUint(uint64(x), 10))
}

// exportSection adds the exports of what changes.
func (m *rewriter) exportSection() []byte {
	b := appendU32(nil, uint32(len(m.out.Exports)+len(m.variables)+1))
	b = append(b, m.exportBytes...)
	for i, x := range m.variables {
		b = appendU32(append(appendName(b, m.out.State.Globals[i]), 3), x)
	}
	return appendU32(append(appendName(b, ExportDepth), 3), m.depth())
}
