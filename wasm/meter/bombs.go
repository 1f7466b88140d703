package meter

// Bounds on the control flow of a body. The compiler gives each local a value of its own in each block where ways meet, and
// looks at all of them more than once, so that its time grows with blocks times locals, and with the square of that in loops
// that are nested: 500 loops within each other over 100 locals, 4 KB, took 4.6 s. Without these bounds a module of 58 KB took
// 30 s and 596 MB. At the bounds a body takes 1 to 2 s; the guests of sdk/project in all languages stay below them.
const (
	maxBlocks     = 8192
	maxLoops      = 2048
	maxLoopDepth  = 64
	maxBlockWork  = 512 << 10 // blocks times locals
	maxLoopWork   = 192 << 10 // loops times locals
	maxNestedWork = 20 << 10  // nested loops times locals
	maxModuleWork = 64 << 20  // blocks times locals, of all bodies
	leastLocals   = 8         // that a body counts as having: the operand stack needs values too
)

// countBlock counts a block, loop or if that is opened, and refuses bodies that would keep the compiler busy.
func (f *function) countBlock(op byte) {
	locals := max(f.locals, leastLocals)
	f.opened++
	limit("blocks in a function", f.opened, maxBlocks)
	limit("blocks times locals in a function", f.opened*locals, maxBlockWork)
	if op != opLoop {
		return
	}
	f.loops++
	f.depth++
	limit("loops in a function", f.loops, maxLoops)
	limit("nested loops in a function", f.depth, maxLoopDepth)
	limit("loops times locals in a function", f.loops*locals, maxLoopWork)
	limit("nested loops times locals in a function", f.depth*locals, maxNestedWork)
}

// countBody adds up the bodies of a module.
func (m *rewriter) countBody(f *function) {
	m.work += f.opened * max(f.locals, leastLocals)
	limit("blocks times locals in the module", m.work, maxModuleWork)
}
