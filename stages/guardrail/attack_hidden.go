package guardrail

import (
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// minSpaced is how many single letters in a row are read as a word.
const minSpaced = 5

// judgeEncoded judges text that is encoded in raw[start:end] of a view, up to two levels deep.
func (a *attackScan) judgeEncoded(v *view, start, end int, out *attack) {
	var kind int
	if a.decoded, kind = decodeRuns(a.decoded[:0], v.raw[start:end], v.pace); kind != plain {
		a.judgeDecoded(v, out, kind, start, end)
	}
}

// judgeDecoded judges the text decoded from raw[start:end] of a view, and text that is encoded in it.
func (a *attackScan) judgeDecoded(v *view, out *attack, kind, start, end int) {
	a.judgeText(v, out, kind, start, end)
	if a.again, kind = decodeRuns(a.again[:0], string(a.decoded), v.pace); kind != plain {
		a.decoded, a.again = a.again, a.decoded
		a.judgeText(v, out, kind, start, end)
	}
}

// judgeHidden judges text that the window raw[start:end] hides in ways other than encodings.
func (a *attackScan) judgeHidden(v *view, out *attack, start, end int) {
	d := readDisguises(v)
	if d.leets >= 2 && a.lex.hasLeetWord(v.norm) {
		a.decoded = a.lex.appendLeet(a.decoded[:0], v.norm)
		a.judgeText(v, out, encodedLeet, start, end)
	}
	if d.spaced >= minSpaced {
		a.decoded = appendJoined(a.decoded[:0], v)
		a.judgeText(v, out, encodedSpaced, start, end)
	}
	if d.long || d.spaced >= minUnspaced {
		var cut bool
		if a.decoded, cut = appendUnspaced(a.decoded[:0], v, a.lex); cut || d.spaced >= minUnspaced || !v.ascii {
			a.judgeText(v, out, encodedUnspaced, start, end)
		}
	}
	if by, backwards, ok := d.votes.chooseShift(); ok {
		a.decoded = appendShifted(a.decoded[:0], v.norm, by, backwards)
		a.judgeText(v, out, encodedShift, start, end)
	}
	if !v.ascii {
		if a.decoded = appendTurned(a.decoded[:0], v.norm); len(a.decoded) > 0 {
			a.judgeText(v, out, encodedTurned, start, end)
		}
	}
	if a.decoded = appendUnbroken(a.decoded[:0], v.norm); len(a.decoded) > 0 {
		a.judgeText(v, out, encodedBroken, start, end)
	}
	if a.decoded = appendUntagged(a.decoded[:0], v.norm); len(a.decoded) > 0 {
		a.judgeText(v, out, encodedTagged, start, end)
	}
	a.judgeRespelt(v, &d, out, start, end)
	if d.rot13 {
		a.decoded = appendRot13(a.decoded[:0], v.norm)
		a.judgeText(v, out, encodedRot13, start, end)
	}
	if d.reversed {
		a.decoded = appendReversed(a.decoded[:0], v.norm)
		a.judgeText(v, out, encodedReversed, start, end)
		a.decoded = appendWordsReversed(a.decoded[:0], v)
		a.judgeText(v, out, encodedReversed, start, end)
	}
}

// judgeRespelt judges a window after correcting its misspelt words to words of the rules.
func (a *attackScan) judgeRespelt(v *view, d *disguiseSigns, out *attack, start, end int) {
	if d.mixed >= minRespelt {
		a.decoded, _ = appendRespelt(a.decoded[:0], v, respelt().correct)
		a.judgeText(v, out, encodedMistyped, start, end)
	}
	if d.bare >= minBared {
		a.decoded, _ = appendRespelt(a.decoded[:0], v, respelt().complete)
		a.judgeText(v, out, encodedRespelt, start, end)
	}
	if d.pigs >= minBared {
		var n int
		if a.decoded, n = appendRespelt(a.decoded[:0], v, a.lex.decodePigLatin); n > 0 { // "monday" and "today" hide nothing
			a.judgeText(v, out, encodedRespelt, start, end)
		}
	}
}

// disguiseSigns count the signs that words of a text are disguised.
type disguiseSigns struct {
	leets    int // words with digits
	spaced   int // single letters in a row
	long     bool
	rot13    bool
	reversed bool
	votes    shiftVotes
	mixed    int // anagrams of a word of the rules
	bare     int // words of the rules without their vowels
	pigs     int // words with an ending of pig Latin
}

func readDisguises(v *view) (d disguiseSigns) {
	hides, moved, singles := disguised(), shiftedWords(), 0
	for i := range v.words {
		w := &v.words[i]
		if w.digits {
			d.leets++
		}
		if singles++; !isSingle(w) || i > 0 && w.start-v.words[i-1].end > 3 {
			singles = 0
		}
		d.spaced = max(d.spaced, singles)
		if w.id != 0 {
			continue
		}
		size := w.end - w.start
		d.addRespelt(v.norm[w.start:w.end])
		d.long = d.long || size >= minUnspaced && size <= maxUnspaced
		if size >= minShifted && size <= maxPart {
			d.votes.add(moved, v.norm[w.start:w.end])
		}
		if size >= 4 {
			kind := hides.classifyHash(w.hash)
			d.rot13 = d.rot13 || kind == encodedRot13
			d.reversed = d.reversed || kind == encodedReversed
		}
	}
	return d
}

// addRespelt counts an unknown word that may be misspelt.
func (d *disguiseSigns) addRespelt(w []byte) {
	switch {
	case len(w) < minBare || w[0]-'a' >= 26:
	case respelt().correct(w) != "":
		d.mixed++
	case respelt().complete(w) != "":
		d.bare++
	case len(w) > 4 && w[len(w)-1] == 'y' && w[len(w)-2] == 'a':
		d.pigs++
	}
}

// judgeText judges a text that was hidden in raw[start:end].
func (a *attackScan) judgeText(v *view, out *attack, kind, start, end int) {
	text := zerocopy.String(a.decoded) // valid until the next text is decoded
	for from := 0; from < len(text) && v.pace.spendSteps(windowSteps); {
		to := min(len(text), from+2*learned.BlockBytes)
		a.second.read(text[from:to])
		// The rules always run: an order among harmless words must not pass.
		a.readWords(&a.second)
		if e := a.gatherEvidence(&a.second); e.isStrong() || !a.long || isCode(kind) || a.passes(a.second.norm) {
			a.mergeOpinion(out, a.judge(&a.second, &e, kind, a.score(&a.hidden, &a.second)), start, end)
		}
		if to == len(text) {
			return
		}
		from = findWordStart(text, from+learned.BlockBytes)
	}
}

// isCode reports whether a way of hiding seldom occurs by chance in ordinary text.
func isCode(kind int) bool { return kind <= encodedEscape || kind == encodedMorse }

// passes reports whether the gate lets a decoded window of a long text through. Nearly every window of code contains names
// that decode to words, so the gate saves scoring them all.
func (a *attackScan) passes(norm []byte) bool {
	g := a.model.Gate()
	a.inner = g.Scan(a.inner[:0], norm)
	for i := range a.inner {
		if g.Passes(a.inner, i) {
			return true
		}
	}
	return false
}
