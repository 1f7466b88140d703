package learned

import "encoding/binary"

// sums hold the running totals of the weights of a text's features, so that the score of a segment is the difference of two
// sums: BenchmarkScore takes half the time of reading each segment separately.
//
// A feature counts once in a segment. A feature that occurs twice in a text is recorded with its previous position, and is
// subtracted once in each segment that contains both.
type sums struct {
	letters, words []partialSum // sums before each offset of page.flat, and before each word
	letterTwins    []twin
	wordTwins      []twin
	last           [2048]lastPlace
	epoch          uint32
}

// partialSum is the sum of the weights before a place, and the number of twins there.
type partialSum struct{ sum, twins int32 }

// twin is a feature that occurred in the text before.
type twin struct {
	since  int32 // the segment contains the first of the two if it starts here or before
	weight int32
}

// lastPlace is where a slot was seen last. As in Reader.add, slots with the same lowest bits overwrite each other.
type lastPlace struct {
	slot uint32 // with the epoch in the upper bits
	at   int32
}

func (s *sums) nextEpoch() {
	if s.epoch++; s.epoch == 1<<(32-slotBits) {
		s.epoch, s.last = 1, [2048]lastPlace{}
	}
}

// hashSlot returns the slot of a feature.
func hashSlot(h, salt uint32) uint32 { return (h ^ salt) * 0x9e3779b1 >> (32 - slotBits) }

// weigh returns the weight of a feature.
func (m *Model) weigh(h, salt uint32) int32 { return int32(m.attack[hashSlot(h, salt)]) }

// add returns the weight of the feature at an offset, and records a twin of an earlier feature. back is how far before the
// offset a segment must start to contain the feature.
func (s *sums) add(m *Model, twins []twin, h, salt uint32, at, back int32) (int32, []twin) {
	slot := hashSlot(h, salt)
	weight := int32(m.attack[slot])
	last := &s.last[slot&2047]
	slot |= s.epoch << slotBits
	if last.slot == slot && weight != 0 {
		twins = append(twins, twin{last.at - back, weight})
	}
	last.slot, last.at = slot, at
	return weight, twins
}

// addPage adds up the features of the text that a reader's page has.
func (s *sums) addPage(m *Model, r *Reader) {
	s.nextEpoch()
	s.words = resizeSlice(s.words, len(r.all)+1)
	sum, twins := int32(0), s.wordTwins[:0]
	var before, earlier uint32
	var w int32
	for i := range r.all {
		s.words[i] = partialSum{sum, int32(len(twins))}
		at, h := int32(i), r.all[i].Hash
		w, twins = s.add(m, twins, h, saltWord, at, 0)
		sum += w
		w, twins = s.add(m, twins, hashPair(before, h), saltPair, at, 1)
		sum += w
		w, twins = s.add(m, twins, hashPair(earlier, h), saltSkip, at, 2)
		sum += w
		w, twins = s.add(m, twins, hashPair(hashPair(earlier, before), h), saltTriple, at, 2)
		sum += w
		if r.all[i].First {
			w, twins = s.add(m, twins, h, saltFirst, at, 0)
			sum += w
			if i+1 < len(r.all) {
				w, twins = s.add(m, twins, hashPair(h, r.all[i+1].Hash), saltFirstPair, at, 0)
				sum += w
			}
		}
		earlier, before = before, h
	}
	s.words[len(r.all)], s.wordTwins = partialSum{sum, int32(len(twins))}, twins
	s.addLetters(m, &r.page)
}

// addLetters adds up what the runs of letters of a page count for. It is add for each of them, in a loop that keeps all
// it needs at hand: this is half of what a text costs.
func (s *sums) addLetters(m *Model, p *page) {
	s.nextEpoch()
	n := max(0, len(p.flat)-letters+1)
	s.letters = resizeSlice(s.letters, n+1)
	letterSums, flat, last, epoch := s.letters[:n], p.flat[:n+letters+7:cap(p.flat)], &s.last, s.epoch<<slotBits
	sum, twins := int32(0), s.letterTwins[:0]
	for i := range letterSums {
		letterSums[i] = partialSum{sum, int32(len(twins))}
		slot := hashSlot(hashShort(binary.LittleEndian.Uint64(flat[i:]), letters), saltLetters)
		weight := int32(m.attack[slot&(slots-1)])
		before := &last[slot&2047]
		slot |= epoch
		if before.slot == slot && weight != 0 {
			twins = append(twins, twin{before.at, weight})
		}
		*before = lastPlace{slot, int32(i)}
		sum += weight
	}
	s.letters[n], s.letterTwins = partialSum{sum, int32(len(twins))}, twins
}

// sumBetween returns the sum of those features between two offsets that belong to a segment which starts at start.
func sumBetween(sums []partialSum, twins []twin, from, to, start int) int32 {
	a, b := sums[from], sums[to]
	sum := b.sum - a.sum
	for _, t := range twins[a.twins:b.twins] {
		if int(t.since) >= start {
			sum -= t.weight
		}
	}
	return sum
}

// sumSegment returns the sum of the features of the segment of the words first to end-1. It differs from that of listPageSlots where
// the first word of a line is also at the segment's start, and where features of different kinds share a slot.
func (s *sums) sumSegment(m *Model, r *Reader, first, end int) int32 {
	p, last := &r.page, &r.all[end-1]
	from, to := int(p.at[first]), int(p.at[end-1]+last.End-last.Start)
	if int(last.End-r.all[first].Start) > maxBytes || to-from < letters {
		sum := int32(0)
		for _, k := range r.listPageSlots(r.text, first, end) {
			sum += int32(m.attack[k&(slots-1)])
		}
		return sum
	}
	sum := sumBetween(s.letters, s.letterTwins, from, to-letters+1, from)
	edge := [8]byte{' '}
	copy(edge[1:letters], p.flat[from:])
	sum += m.weigh(hashBytes(edge[:], 0, letters), saltLetters)
	copy(edge[:letters-1], p.flat[to-letters+1:])
	edge[letters-1] = ' '
	sum += m.weigh(hashBytes(edge[:], 0, letters), saltLetters)
	sum += m.weigh(bucketLength(end-first), saltLength)

	// The first two words of a segment have no preceding words, whatever precedes them in the text.
	h := r.all[first].Hash
	sum += m.weigh(h, saltWord) + m.weigh(hashPair(0, h), saltPair) + m.weigh(hashPair(0, h), saltSkip) +
		m.weigh(hashPair(hashPair(0, 0), h), saltTriple) + m.weigh(h, saltFirst)
	if first+1 == end {
		return sum
	}
	next := &r.all[first+1]
	sum += m.weigh(hashPair(h, next.Hash), saltFirstPair) + m.weigh(hashPair(h, next.Hash), saltPair) + m.weigh(hashPair(0, next.Hash),
		saltSkip) +
		m.weigh(hashPair(hashPair(0, h), next.Hash), saltTriple)
	if next.Hash != h {
		sum += m.weigh(next.Hash, saltWord)
	}
	if next.First {
		sum += m.weigh(next.Hash, saltFirst)
		if first+2 < end {
			sum += m.weigh(hashPair(next.Hash, r.all[first+2].Hash), saltFirstPair)
		}
	}
	if first+2 == end {
		return sum
	}
	sum += sumBetween(s.words, s.wordTwins, first+2, end, first)
	if last.First && end < len(r.all) { // the pair with the word behind the segment
		sum -= m.weigh(hashPair(last.Hash, r.all[end].Hash), saltFirstPair)
	}
	return sum
}
