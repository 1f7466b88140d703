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

	num numbers
}

func (s *scan) run(e *Engine, dst []Match, text string, from int) []Match {
	s.v.load(text, false)
	s.e, s.dst, s.base = e, dst, len(dst)
	s.from = s.v.index(from)
	s.pass()
	return s.dst
}

// pass walks the folded text once and runs the detectors at their triggers.
func (s *scan) pass() {
	t := s.v.s
	for i := s.from; i < len(t); {
		for len(t)-i >= 8 { // most of a text triggers nothing
			w := t[i : i+8]
			if (class[w[0]]|class[w[1]]|class[w[2]]|class[w[3]]|class[w[4]]|class[w[5]]|class[w[6]]|class[w[7]])&isTrigger != 0 {
				break
			}
			i += 8
		}
		if i == len(t) {
			return
		}
		c := t[i]
		if class[c]&isTrigger == 0 {
			i++
			continue
		}
		switch c {
		case '@':
			i = s.try(onAt, i, i+1)
		case ':':
			i = s.try(onColon, i, i+1)
		default:
			i = s.group(i)
		}
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
		return j
	}
	return s.try(onNumber, i, j)
}

// try runs the detectors of one trigger at a place, keeps the best match, and
// answers where to go on: behind the match, or at next.
func (s *scan) try(on trigger, at, next int) int {
	var best Match
	end := next
	for k := range s.e.on[on] {
		d := &s.e.on[on][k]
		if on == onNumber && s.num.total < d.digits {
			continue
		}
		from, to, score := d.find(s, at)
		if score <= 0 || from < s.from {
			continue
		}
		if score < 1 && d.words != nil {
			switch s.context(from, d) {
			case speaksFor:
				score = min(1, score+boost)
			case hints:
				score = min(1, score+hintBoost)
			case speaksAgainst:
				score -= d.penalty
			}
		}
		if score < d.threshold {
			continue
		}
		m := Match{s.v.start(from), s.v.end(to), d.name, score}
		if on != onAt && m.End-m.Start > numberMax {
			continue
		}
		if best.End == 0 || m.End-m.Start > best.End-best.Start || m.End-m.Start == best.End-best.Start && m.Score > best.Score {
			best, end = m, to
		}
	}
	if best.End == 0 || !s.keep(best) {
		return next
	}
	return max(end, next)
}

// keep adds m, unless a match that it overlaps is at least as good. Only an
// e-mail address reaches back, over the numbers in its local part.
func (s *scan) keep(m Match) bool {
	n := len(s.dst)
	for n > s.base && s.dst[n-1].End > m.Start {
		n--
		if o := s.dst[n]; o.End-o.Start > m.End-m.Start || o.End-o.Start == m.End-m.Start && o.Score >= m.Score {
			return false
		}
	}
	s.dst = append(s.dst[:n], m)
	return true
}
