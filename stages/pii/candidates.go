package pii

// A claim is a candidate, and the position of its trigger in the raw text.
type claim struct {
	Match
	at int
}

// offerMatch makes a candidate the best of its place if it is good enough.
func (s *scan) offerMatch(d *detector, from, to int, score float32) {
	if from < s.from || s.isBeaten(from, to, score) {
		return
	}
	spoken := float32(0)
	if score < 1 && d.words != nil {
		switch s.judgeContext(from, d) {
		case speaksFor:
			score, spoken = min(1, score+boost), spokenFor
		case hints:
			score = min(1, score+hintBoost)
		case speaksAgainst:
			score -= d.penalty
		}
	}
	if score < d.threshold || d.reach == 0 && class[s.v.s[from]]&isHex != 0 && isInDumpRow(s, from) {
		return
	}
	m := Match{s.v.findRawStart(from), s.v.findRawEnd(to), d.name, score}
	if d.reach == 0 && m.End-m.Start > numberMax || s.isCoded(from) {
		return
	}
	if s.e.allow != nil && s.e.allow.has(s.v.s[from:to], d.name) {
		return
	}
	if s.claiming {
		s.claims = append(s.claims, claim{m, s.v.findRawStart(s.at)})
	}
	if s.isBetter(m, score+spoken) {
		s.best, s.bestTo, s.bestScore = m, to, score+spoken
	}
}

// spokenFor is added to the score of a candidate behind a telling word when it is compared with others for the same bytes:
// check digits can be right by chance.
const spokenFor = 0.3

// isBetter reports whether a candidate is better than the best one of its place.
func (s *scan) isBetter(m Match, score float32) bool {
	b := &s.best
	switch {
	case b.End == 0:
		return true
	case b.Type == typeURL && isSecretType(m.Type):
		return true // an address gives way to the key in it
	case m.Type == typeURL && isSecretType(b.Type):
		return false
	case m.End-m.Start != b.End-b.Start:
		return m.End-m.Start > b.End-b.Start
	}
	return score > s.bestScore
}

// isBeaten reports whether a candidate cannot become the best of its place, whatever words precede it. That saves looking
// them up.
func (s *scan) isBeaten(from, to int, score float32) bool {
	b := &s.best
	if b.End == 0 || s.claiming || s.e.hosts || len(s.v.segs) != 0 {
		return false
	}
	return to-from < b.End-b.Start || to-from == b.End-b.Start && min(1, score+boost)+spokenFor <= s.bestScore
}

// noteLookAhead records that the judgement of the text at from depended on the bytes before to: if these extend beyond the
// text, more text can change it.
func (s *scan) noteLookAhead(from, to int) {
	if to > len(s.v.s) && from < s.open {
		s.open = from
	}
}

// isSecretType reports whether a type is a credential.
func isSecretType(name string) bool {
	switch name {
	case "API_KEY", "JWT", "URL_CREDENTIALS", "PASSWORD", "PRIVATE_KEY":
		return true
	}
	return false
}

// addMatch adds m, unless a match that it overlaps is at least as good.
func (s *scan) addMatch(m Match) bool {
	n := len(s.dst)
	for n > s.base && s.dst[n-1].End > m.Start {
		n--
		if o := s.dst[n]; o.Type == typeURL && isSecretType(m.Type) {
			continue // an address gives way to the key in it
		} else if isSecretType(o.Type) && m.Type == "EMAIL" {
			return false // the password and the host
		} else if o.End-o.Start > m.End-m.Start || o.End-o.Start == m.End-m.Start && o.Score >= m.Score {
			return false
		}
	}
	if s.dst = append(s.dst[:n], m); len(s.dst)-s.base > s.limit {
		s.pause = 0
	}
	return true
}
