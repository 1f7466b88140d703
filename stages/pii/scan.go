package pii

import (
	"context"
	"math"
	"math/bits"

	"github.com/headgate-dev/headgate/core"
)

// Bounds of the bytes on which a decision may depend, in raw bytes. Streams rely on them.
const (
	// ContextBytes is how much released text a stream keeps as context.
	ContextBytes = 96
	// lookBack bounds how far a detector looks back from a match.
	lookBack = 88
	// numberMax is the maximum length of a match that is not an e-mail address.
	numberMax = 110
	// emailDomainMax bounds the domain of an address. The local part has
	// lookBack bytes at most, so an address has fewer than 200.
	emailDomainMax = 104
)

// scan is the state of one pass. It is pooled, so that a pass without a match
// allocates nothing.
type scan struct {
	e    *Engine
	v    view
	dst  []Match
	base int // matches before this index belong to the caller
	from int // folded offset before which no match begins

	num   numbers
	apart loose
	line  run   // the current groups of letters and digits
	val   value // text that matches a format

	before precedingWords // the words before the current place

	pair    pairing          // last result of keyed
	classes [keyClasses]span // last results of findClassEnd
	urlTo   int              // end of the last URL

	best      Match // of the current place
	bestTo    int   // its end in the folded text
	bestScore float32
	open      int     // folded offset from which more text can change the matches
	own       []Match // buffer for the scan's own matches
	claims    []claim // every candidate that was good enough, if requested
	claiming  bool
	at        int                    // the current trigger
	next      [len(writtenForms)]int // positions of the forms of a written address
	written   int                    // the first of them

	pause int             // folded offset at which the scan next checks whether to stop
	limit int             // of matches
	ctx   context.Context // optional

	stopped error // why the scan ended early
}

func (s *scan) run(e *Engine, dst []Match, text string, from int) []Match {
	s.v.load(text, false)
	s.e, s.dst, s.base = e, dst, len(dst)
	s.from = s.v.findFolded(from)
	s.open = len(s.v.s)
	s.scanText()
	if e.custom != nil && s.stopped == nil {
		s.dst = append(s.dst[:s.base], mergeMatches(e.custom.find(s, s.dst[s.base:], text, max(0, min(from, len(text)))))...)
	}
	return s.dst
}

// stopEvery is how many bytes a scan reads between checks whether its caller has left.
const stopEvery = 32 << 10

// limitScan makes the scan stop early: if it has more matches than limit, or if ctx ends.
func (s *scan) limitScan(ctx context.Context, limit int) {
	s.ctx, s.limit, s.pause, s.stopped = ctx, limit, math.MaxInt, nil
	if ctx != nil {
		s.pause = stopEvery
	}
}

// clearLimits removes the limits of the next scan.
func (s *scan) clearLimits() { s.ctx, s.limit, s.pause, s.stopped = nil, math.MaxInt, math.MaxInt, nil }

// stops reports whether the scan must end at i.
func (s *scan) stops(i int) bool {
	if len(s.dst)-s.base > s.limit {
		return true
	}
	if s.ctx == nil {
		return false
	}
	s.pause = i + stopEvery
	s.stopped = core.CheckWork(s.ctx)
	return s.stopped != nil
}

// scanText walks the folded text once and runs the detectors at their triggers.
func (s *scan) scanText() {
	t, stops := s.v.s, &s.e.stops
	s.before.at, s.pair.at, s.urlTo = -1, -1, 0
	for k := range s.classes {
		s.classes[k] = span{-1, -1}
	}
	s.written = len(t)
	if s.e.email != nil || s.e.password != nil {
		s.findWrittenForms()
	}
	for i := s.from; ; {
		if s.e.near {
			i = s.e.findNear(t, i)
		} else {
			i = findInSet(t, i, stops, s.e.lower)
		}
		if s.written < i {
			if end := s.findWrittenBefore(i); end > i {
				i = end
				continue
			}
		}
		if i >= len(t) || i >= s.pause && s.stops(i) {
			return
		}
		if isDigitByte(t[i]) {
			i = s.readGroup(i)
		} else if c := s.e.marks.findCandidates(t, i); c != 0 {
			i = s.runMarkRules(c, i)
		} else {
			i++
		}
	}
}

// readGroup handles the group of digits at i and returns where to continue.
func (s *scan) readGroup(i int) int {
	t := s.v.s
	j := findDigitsEnd(t, i)
	if i > 0 && t[i-1] != ' ' {
		switch c := t[i-1]; {
		case isDigitByte(c):
			return j
		case c != '%' && c != '#' && c|0x20 != 'x' && c != 'u':
		case isInAtSign(t, i, j):
			if k := s.findCodedAddress(i, j); k > j {
				return k
			}
		}
	}
	if j-i < s.e.lone && isAloneAt(t, i, j) {
		return j
	}
	if s.num.load(t, i, j) {
		return s.runNumberRules(s.findNumberRules(i, j), i, j)
	}
	if s.e.wide {
		s.num.n, s.num.total = 0, 0
		return s.runNumberRules(s.e.numbers.total[0], i, j)
	}
	return j
}

// runNumberRules runs some of the rules for numbers, and the formats.
func (s *scan) runNumberRules(rules uint32, at, next int) int {
	s.best.End, s.bestTo, s.at = 0, next, at
	list := s.e.numbers.list
	for ; rules != 0; rules &= rules - 1 {
		s.applyRule(&list[bits.TrailingZeros32(rules)], at)
	}
	if s.mayBeLoose(at, next) {
		s.findLooseNumber(at, next)
	}
	if s.e.wide {
		s.tryTokens(at)
	}
	return s.finishPlace(next)
}

// findCodedAddress looks for an e-mail address around the encoded '@' that contains the digits at i. It returns where to continue:
// behind the address, or at next.
func (s *scan) findCodedAddress(i, next int) int {
	if s.e.email == nil {
		return next
	}
	s.best.End, s.bestTo, s.at = 0, next, i
	s.applyRule(&rule{findEmail, s.e.email}, i)
	return s.finishPlace(next)
}

func (s *scan) applyRule(r *rule, at int) {
	if from, to, score := r.find(s, at); score > 0 {
		s.offerMatch(r.d, from, to, score)
	}
}

// finishPlace keeps the best match of the place.
func (s *scan) finishPlace(next int) int {
	if s.best.End == 0 {
		return next
	}
	return s.addBest(next)
}

func (s *scan) addBest(next int) int {
	if !s.addMatch(s.best) {
		return next
	}
	if s.best.Type == typeURL {
		return next // it may hold a key
	}
	return max(s.bestTo, next)
}
