package meter

// Bounds on the control flow of a body. The compiler gives each local a separate value in each block where control paths join, and visits
// all of them more than once. Its time grows with blocks times locals, and in nested loops with the square of that: 500 nested loops over
// 100 locals, 4 KB, took 4.6 s. Without these bounds a module of 58 KB took 30 s and 596 MB. At the bounds a body takes 1 to 2 s; the
// guests of sdk/project in all languages stay below them.
const (
	maxBlocks     = 8192
	maxLoops      = 2048
	maxLoopDepth  = 64
	maxBlockWork  = 512 << 10 // blocks times locals
	maxLoopWork   = 192 << 10 // loops times locals
	maxNestedWork = 20 << 10  // nested loops times locals
	maxModuleWork = 64 << 20  // blocks times locals, of all bodies
	minLocals     = 8         // added to the locals of every body: the operand stack needs values too
)

// countBlock counts an opened block, loop or if, and refuses bodies that would keep the compiler busy.
func (f *function) countBlock(op byte) {
	locals := max(f.locals, minLocals)
	f.opened++
	requireAtMost("blocks in a function", f.opened, maxBlocks)
	requireAtMost("blocks times locals in a function", f.opened*locals, maxBlockWork)
	if op != opLoop {
		return
	}
	f.loops++
	f.depth++
	requireAtMost("loops in a function", f.loops, maxLoops)
	requireAtMost("nested loops in a function", f.depth, maxLoopDepth)
	requireAtMost("loops times locals in a function", f.loops*locals, maxLoopWork)
	requireAtMost("nested loops times locals in a function", f.depth*locals, maxNestedWork)
}

// countBody adds a body to the totals of the module.
func (m *rewriter) countBody(f *function) {
	m.work += f.opened * max(f.locals, minLocals)
	requireAtMost("blocks times locals in the module", m.work, maxModuleWork)
}
