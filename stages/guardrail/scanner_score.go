package guardrail

import (
	"context"
	"unicode/utf8"
)

// scoreOverlap is how many bytes of a piece the next one repeats, so that an order of that length is complete in one of them.
const scoreOverlap = wholeBytes / 2

// Score returns the highest score of all detectors for a text, 0 to 1. Unlike Scan, it also judges a long text piece by piece,
// without the gate that skips most of a long text: a caller that relies on a low score needs every piece judged. tool
// says that the text comes from a tool. It returns 1 if ctx ends before the text was judged. It does not retain the text.
func (s *Scanner) Score(ctx context.Context, text string, tool bool) float32 {
	defer func() { s.w.view.raw, s.w.scan.window.raw, s.w.scan.second.raw = "", "", "" }()
	score := s.scanWith(ctx, text, tool).Score
	if len(text) > wholeBytes {
		s.w.scan.ungated = true
		defer func() { s.w.scan.ungated = false }()
		for start := 0; start < len(text) && !s.w.pace.isStopped(); {
			end := findPieceEnd(text, start)
			score = max(score, s.scanWith(ctx, text[start:end], tool).Score)
			if end == len(text) {
				break
			}
			start = findRuneStart(text, end-scoreOverlap)
		}
	}
	if s.w.pace.isStopped() || ctx.Err() != nil {
		return 1
	}
	return score
}

// findPieceEnd returns the end of the piece that starts at start.
func findPieceEnd(text string, start int) int {
	if len(text)-start <= wholeBytes {
		return len(text)
	}
	return findRuneStart(text, start+wholeBytes)
}

// findRuneStart returns the start of the character that contains the byte at.
func findRuneStart(text string, at int) int {
	for back := 0; back < utf8.UTFMax && at-back > 0; back++ {
		if utf8.RuneStart(text[at-back]) {
			return at - back
		}
	}
	return at
}
