package pii

// readWhole does the work of findLooseNumber on a number that begins at from and ends at i, if the
// rules have read it to its end and its groups have no unusual separators: most numbers at the
// end of a sentence. It returns false when findLooseNumber has to look at it.
func (s *scan) readWhole(i, from int) bool {
	t, n := s.v.s, &s.num
	if n.n == 0 || n.sep[n.n-1] != 0 || n.n > looseMax || n.total >= looseDigits {
		return false
	}
	end := n.end[n.n-1]
	_, next, reach := readLooseSeparator(t, end)
	if next != 0 {
		return false
	}
	if n.n < 2 || n.total < 7 {
		s.noteLookAhead(from, reach)
		return true
	}
	switch plus := from < i; {
	case plus && !s.claiming && s.best.Type == "PHONE" && s.bestTo == end && s.best.Score >= internationalScore:
		// findLooseNumber would find the same with a lower score
	case plus, t[i] == '0', n.total == 9: // it may have another form
		return false
	case n.card == n.n && n.total >= 14:
		if (end == len(t) || !isWordByte(t[end])) && !s.followsLooseDigits(i) {
			s.offerMatch(s.e.loose[looseCard], i, end, n.scoreCardLayout())
		}
	case n.total >= 14:
		// findCard has rejected it
		return false
	}
	s.noteLookAhead(from, max(reach, end+2))
	return true
}

// scoreCardLayout judges the groups of a card, as loose.scoreCard does.
func (n *numbers) scoreCardLayout() float32 {
	if n.countDigits(0) == 4 && (n.n == 4 && n.countDigits(1) == 4 && n.countDigits(2) == 4 || n.n == 3 && n.countDigits(1) == 6 &&
		n.countDigits(2) == 5) {
		return looseCardScore
	}
	return spokenScore
}
