package guardrail

import "github.com/headgate-dev/headgate/stages/guardrail/learned"

// runBlocks is how many blocks are read for the model at once.
const runBlocks = 16

// readRun reads the window of block i for the model, and the following windows that pass the gate. It returns the number of
// the first block behind them.
func (a *attackScan) readRun(v *view, i int) (end int) {
	for end = i + 1; end < len(a.blocks) && end < i+runBlocks && a.model.Gate().Passes(a.blocks, end); end++ {
	}
	end = min(end+1, len(a.blocks))
	a.runAt = int(a.blocks[i].Start)
	a.model.ReadText(&a.reader, v.norm[a.runAt:a.blocks[end-1].End])
	return end
}

// hopeless is the log-odds of the model below which the rules cannot make a window of a long text an attack: nothing that
// they could add has ever raised an alarm there. Most windows that pass the gate by mistake end here.
const hopeless = -2.5

// judgeBlocks judges the window that starts at block i. The reader has read the blocks before read.
func (a *attackScan) judgeBlocks(v *view, i, read int, out *attack) {
	start, end := int(a.blocks[i].Start), int(a.blocks[min(i+1, len(a.blocks)-1)].End)
	floor := float32(hopeless)
	if a.blocks[i].Opens() || a.blocks[min(i+1, len(a.blocks)-1)].Opens() {
		floor = learned.NoFloor
	}
	m := a.model.ScoreWindow(&a.reader, start-a.runAt, end-a.runAt, true, floor)
	if m.Attack < floor {
		a.next.reset()
		return
	}
	m.Start, m.End = m.Start+a.runAt-start, m.End+a.runAt-start
	at, middle := start, int(a.blocks[i].End)-start
	start, end = v.findRawSpan(start, end)
	a.window.read(v.raw[start:end]) // other detectors need the view unchanged
	if v.ascii {
		a.readHalves(&a.window, at, middle)
	} else {
		a.readWords(&a.window)
	}
	m.Start, m.End = min(m.Start, len(a.window.norm)), min(m.End, len(a.window.norm))
	a.judgeWindow(v, start, end, m, out)
}
