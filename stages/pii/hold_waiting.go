package pii

import (
	"strings"
	"unicode/utf8"
)

// HoldMax bounds the result of Hold: one private key, and a word before it.
const HoldMax = pemMax + holdMax + LineMax

// cutBeforeUnjudged moves the cut before everything that a detector has started to judge and could not finish, and out
// of every candidate, including those that a better one hides, because the better one may be rejected later. A waiting
// candidate waits together with its trigger.
func (e *Engine) cutBeforeUnjudged(text string, from, cut int) int {
	lo := max(0, from-ContextBytes)
	for lo > 0 && lo < len(text) && !utf8.RuneStart(text[lo]) {
		lo++
	}
	s := e.pool.Get().(*scan)
	s.v.load(text[lo:], true)
	s.clearLimits()
	s.e, s.dst, s.base = e, s.own[:0], 0
	s.from, s.open = s.v.findFolded(from-lo), len(s.v.s)
	s.claiming, s.claims = true, s.claims[:0]
	s.scanText()
	s.claiming = false
	s.own = s.dst[:0]
	if open := min(s.open, textEnd{s}.findUninspectedStart()); open < len(s.v.s) {
		cut = min(cut, lo+s.v.findRawStart(open))
	}
	for last := -1; last != cut; {
		last = cut
		if e.custom != nil {
			cut = findLineBefore(text, from, max(cut, from))
		}
		for k := len(s.claims) - 1; k >= 0; k-- {
			if c := &s.claims[k]; cut < lo+c.End {
				cut = min(cut, lo+c.Start, lo+c.at)
			}
		}
	}
	e.releaseScan(s)
	return cut
}

// findUninspectedStart returns the start of text at the end that no detector has inspected, because its trigger is
// still to come.
func (w textEnd) findUninspectedStart() int {
	t := w.s.v.s
	open := len(t)
	if w.s.e.email != nil {
		open = min(open, w.findBegunAddress())
	}
	if w.s.e.leads {
		open = min(open, w.findBegunLead())
	}
	if n := len(t); n > 2 && t[n-1] == ' ' && isUpper(t[n-2]) && isUpper(t[n-3]) && canBeginIBAN(t, n-3) &&
		findIBANLength(t[n-3], t[n-2]) > 0 {
		open = min(open, n-3) // the country of an IBAN, and a space
	}
	return open
}

// findBegunAddress returns the start of a local part whose '@' may still follow in words: "anna (at", "anna at example d".
func (w textEnd) findBegunAddress() int {
	t := w.s.v.s
	open := min(w.findBegunBracket(), w.findBegunEscape())
	if strings.HasSuffix(t, " ") {
		open = min(open, w.findBegunLocal(len(t)))
	}
	if t == "" || !w.s.e.wide {
		return open
	}
	return min(open, w.findBegunJoined(), w.findBegunDot(), w.findBegunAt())
}

// findBegunLocal returns the start of the local part that ends at i, with the text before it that affects the decision, or the
// end of the text without one.
func (w textEnd) findBegunLocal(i int) int {
	t := w.s.v.s
	if i > 0 && t[i-1] == ' ' {
		i--
	}
	from := w.s.findLocalStart(i)
	if from == i {
		return len(t)
	}
	for low := w.s.v.stepBack(i, lookBack); from > low && t[from-1] != ' ' && !isHardAt(t, from); {
		from-- // the result for the text before the cut must not depend on the rest
	}
	for from > 0 && from < len(t) && !utf8.RuneStart(t[from]) {
		from--
	}
	return from
}

// findBegunEscape looks for an '@' in a JSON escape, whose '\\' is a hard break: for the start of the escape, and for one whose
// domain may continue.
func (w textEnd) findBegunEscape() int {
	t := w.s.v.s
	const escape = `\u0040`
	for n := 1; n < len(escape); n++ {
		if strings.HasSuffix(t, escape[:n]) {
			return w.findBegunLocal(len(t) - n)
		}
	}
	word := max(strings.LastIndexByte(t, ' ')+1, len(t)-emailDomainMax-len(escape))
	at := strings.LastIndex(t[word:], escape)
	if at < 0 {
		return len(t)
	}
	at += word
	for i := at + len(escape); i < len(t); i++ {
		if isHardAt(t, i+1) {
			return len(t)
		}
	}
	return w.findBegunLocal(at)
}

// findBegunBracket looks for unclosed brackets and tags.
func (w textEnd) findBegunBracket() int {
	t := w.s.v.s
	open := len(t)
	for i := len(t) - 1; i >= 0 && i >= len(t)-tagMax-1; i-- {
		if !opensBracket(t[i]) {
			continue
		}
		if e := findTagEnd(t, i); e >= len(t) || e == len(t)-1 && t[e] == ' ' || isInBrackets(t[i+1:]) {
			open = min(open, w.findBegunLocal(i))
		}
	}
	return open
}

// findBegunJoined looks for the beginning of "_at_" and "-at-".
func (w textEnd) findBegunJoined() int {
	t := w.s.v.s
	open := len(t)
	for _, f := range [...]string{"_at", "-at", "at"} {
		for n := 1; n <= min(len(f), len(t)); n++ {
			if !hasFold(t, len(t)-n, f[:n]) {
				continue
			}
			i := len(t) - n
			for f[0] == '_' && i > 0 && t[i-1] == '_' {
				i--
			}
			open = min(open, w.findBegunLocal(i))
		}
	}
	return open
}

// findBegunDot looks for the label of a domain behind " at ", and the beginning of " dot"
// behind that.
func (w textEnd) findBegunDot() int {
	t := w.s.v.s
	open, low, last := len(t), max(0, len(t)-lookBack), t[len(t)-1]
	const dot = " dot"
	for n := 0; n <= len(dot); n++ {
		if n > 0 && (last != dot[n-1] || !strings.HasSuffix(t, dot[:n])) {
			continue
		}
		j := len(t) - n
		for j > low && (isAlnum(t[j-1]) || t[j-1] == '-' || t[j-1] == '.') {
			j--
		}
		if j > low && t[j-1] == ' ' && strings.HasSuffix(t[low:j], " at ") {
			open = min(open, w.findBegunLocal(j-len(" at ")))
		}
	}
	return open
}

// findBegunAt looks for the beginning of " at" at the end of the text.
func (w textEnd) findBegunAt() int {
	t := w.s.v.s
	if strings.HasSuffix(t, " a") || strings.HasSuffix(t, " at") {
		return w.findBegunLocal(strings.LastIndexByte(t, ' '))
	}
	return len(t)
}

// findBegunLead returns the start of groups of letters that digits may follow.
func (w textEnd) findBegunLead() int {
	t, open := w.s.v.s, len(w.s.v.s)
	i := len(t)
	for n := 0; n < 3; n++ {
		if n > 0 || i > 0 && separates(t[i-1]) {
			if i == 0 || !separates(t[i-1]) {
				break
			}
			i--
		}
		j := i
		for j > 0 && i-j <= leadMax && isLetterByte(t[j-1]) {
			j--
		}
		if i-j > leadMax || j == i || j > 0 && isWordByte(t[j-1]) {
			if n == 0 && i-j > leadMax { // the name of a month
				for j > 0 && i-j < 12 && (isLetterByte(t[j-1]) || t[j-1] >= 0x80) {
					j--
				}
				if parseMonth(t[j:i]) > 0 {
					open = j
				}
			}
			break
		}
		open, i = j, j
	}
	return open
}

// isInBrackets reports whether t, behind a bracket, may be a spelled-out '@'.
func isInBrackets(t string) bool {
	for i := range len(t) {
		if !isLetterByte(t[i]) && t[i] != ' ' && t[i] < utf8.RuneSelf && t[i] != '@' {
			return false
		}
	}
	return len(t) <= atWordMax
}
