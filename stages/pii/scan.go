package pii

// Bounds of what a decision may depend on, in raw bytes. Streams rely on them.
const (
	// ContextBytes is how much released text a stream keeps in front.
	ContextBytes = 96
	// lookBack bounds how far a detector looks back from a match.
	lookBack = 88
	// numberMax bounds a match that is not an e-mail address.
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
	base int // matches before this belong to the caller
	from int // folded offset before which no match begins

	num  numbers
	line run   // the groups of letters and digits at hand
	val  value // that a format fits

	told    [contextWords]tells // by the words before the place at hand
	tellers int
	toldAt  int

	pair  pairing // what keyed read last
	urlTo int     // where the last URL ends

	best      Match // of the place at hand
	bestTo    int   // its end in the folded text
	bestScore float32
	open      int     // folded offset from which on more text can change what is found
	own       []Match // what the scan keeps for itself
	claims    []claim // every candidate that was good enough, if asked for
	claiming  bool
	at        int                    // the trigger at hand
	next      [len(writtenForms)]int // where the forms of a written address stand
}

func (s *scan) run(e *Engine, dst []Match, text string, from int) []Match {
	s.v.load(text, false)
	s.e, s.dst, s.base = e, dst, len(dst)
	s.from = s.v.index(from)
	s.open = len(s.v.s)
	s.pass()
	if e.custom != nil {
		s.dst = append(s.dst[:s.base], merge(e.custom.find(s.dst[s.base:], text, max(0, min(from, len(text)))))...)
	}
	return s.dst
}

// pass walks the folded text once and runs the detectors at their triggers.
func (s *scan) pass() {
	t, stop := s.v.s, s.e.stop
	s.toldAt, s.pair.at, s.urlTo = -1, -1, 0
	written := s.e.email != nil && s.findWritten()
	for i := s.from; i < len(t); {
		for len(t)-i >= 8 { // most of a text triggers nothing
			w := t[i : i+8]
			if (class[w[0]]|class[w[1]]|class[w[2]]|class[w[3]]|class[w[4]]|class[w[5]]|class[w[6]]|class[w[7]])&stop != 0 {
				break
			}
			i += 8
		}
		if written {
			i = max(i, s.writtenBefore(i))
		}
		if i >= len(t) {
			break
		}
		c := t[i]
		switch k := class[c]; {
		case k&stop == 0:
			i++
		case k&isDigit != 0:
			i = s.group(i)
		case c == '@':
			i = s.try(onAt, i, i+1)
		case c == ':':
			i = s.try(onColon, i, i+1)
		case s.e.worth(t, i, c):
			i = s.try(marks[c], i, i+1)
		default:
			i++
		}
	}
	if written {
		s.writtenBefore(len(t))
	}
}

// group handles the group of digits at i and answers where to go on.
func (s *scan) group(i int) int {
	t := s.v.s
	j := i + 1
	for j < len(t) && digit(t[j]) {
		j++
	}
	if i > 0 && digit(t[i-1]) {
		return j
	}
	if i > 0 && encodedAt(t, i, j) {
		if k := s.try(onAt, i, j); k > j {
			return k
		}
	}
	if !s.num.load(t, i, j) {
		if s.e.wide {
			s.num.n, s.num.total = 0, 0
			return s.try(onNumber, i, j)
		}
		return j
	}
	return s.try(onNumber, i, j)
}

// try runs the detectors of one trigger at a place, keeps the best match, and
// answers where to go on: behind the match, or at next.
func (s *scan) try(on trigger, at, next int) int {
	s.best, s.bestTo, s.at = Match{}, next, at
	for k := range s.e.on[on] {
		d := &s.e.on[on][k]
		if on == onNumber && s.num.total < d.digits {
			continue
		}
		if from, to, score := d.find(s, at); score > 0 {
			s.consider(d, from, to, score)
		}
	}
	if on == onNumber && s.e.wide {
		s.tokens(at)
	}
	if s.best.End == 0 || !s.keep(s.best) {
		return next
	}
	if s.best.Type == typeURL {
		return next // it may hold a key
	}
	return max(s.bestTo, next)
}
