package wasm

import (
	"cmp"
	"slices"

	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// strand is the progress of a guest with hg_stream in one part of an answer, with the matches that are not decided yet. Offsets count
// from the beginning of the part.
type strand struct {
	handle  uint32
	flags   uint32 // the source of the text
	unseen  bool   // the guest does not want to see it
	base    int    // the base of the guest's offsets
	total   int    // bytes shown
	known   int    // no more matches can begin before this offset
	matches []Match
}

// begin announces a part to the guest.
func (i *instance) begin(p *strand, src abi.Source) error {
	i.parts++
	*p = strand{handle: i.parts, flags: abi.WithSource(0, src)}
	result, err := i.callStream(p, "", abi.StreamOpen)
	if err != nil {
		return err
	}
	switch _, low := abi.Unpack(result); low {
	case 0:
	case 1:
		p.unseen = true
	default:
		return i.v.newABIFault("%s returned %d when a part was opened", abi.ExportStream, low)
	}
	return nil
}

// callStream calls the hook.
func (i *instance) callStream(p *strand, text string, op uint32) (uint64, error) {
	if text != "" {
		if err := i.write(text); err != nil {
			return 0, err
		}
	}
	i.stack[0], i.stack[1], i.stack[2], i.stack[3] = uint64(p.handle), uint64(i.in), uint64(len(text)), uint64(p.flags|op)
	i.v.calls.Add(1)
	i.v.bytes.Add(uint64(len(text)))
	if err := i.streamer.CallWithStack(&i.call, i.stack[:4]); err != nil {
		return 0, i.wrapFault(err)
	}
	return i.stack[0], nil
}

// passText passes the new text, text[from:], to the guest. The text before it was passed earlier and ends where the
// part had ended so far.
func (i *instance) passText(p *strand, text string, from int) error {
	for from < len(text) {
		to := findFloor(text, min(from+pieceBytes, len(text)), from+1)
		p.total += to - from
		if err := i.receiveMatches(p, text[:to], text[from:to], abi.StreamPush); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// finish tells the guest that the part ends with text.
func (i *instance) finish(p *strand, text string) error {
	if err := i.receiveMatches(p, text, "", abi.StreamClose); err != nil {
		return err
	}
	p.known = p.total
	return nil
}

// receiveMatches calls the hook with the new text, with which text ends, and records the reported matches.
func (i *instance) receiveMatches(p *strand, text, fresh string, op uint32) error {
	result, err := i.callStream(p, fresh, op)
	if err != nil {
		return err
	}
	records, err := i.readRecords(abi.ExportStream, result)
	if err != nil {
		return err
	}
	origin := p.total - len(text)
	base, mark := p.base, p.known
	if n := len(records); n > 0 {
		if last := abi.GetSpan(records[n-abi.SpanSize:]); last.Label == abi.LabelDecided {
			if last.Start != last.End || int(last.Start) > p.total-base {
				return i.v.newABIFault("a mark lies outside the text")
			}
			p.base = base + int(last.Start)
			mark = max(mark, p.base)
			records = records[:n-abi.SpanSize]
		}
	}
	old := len(p.matches)
	if p.matches, err = i.appendMatches(p.matches, text, base-origin, max(p.known-origin, 0), records); err != nil {
		return err
	}
	for k := old; k < len(p.matches); k++ {
		p.matches[k].Start += origin
		p.matches[k].End += origin
	}
	if old > 0 && len(p.matches) > old && p.matches[old].Start < p.matches[old-1].Start {
		slices.SortStableFunc(p.matches, func(a, b Match) int { return cmp.Compare(a.Start, b.Start) })
	}
	p.known = max(mark, p.total-i.v.Manifest.MaxMatch)
	return nil
}

// decide returns the decided hits of a part, with offsets in text, which begins sent bytes before the first undecided offset. It also
// returns the offset up to which the part is now decided.
func (s *Stage) decide(i *instance, p *strand, text string, sent int, last bool) (hits []hit, known int, err error) {
	origin := p.total - len(text)
	known = len(text)
	if !last {
		known = max(sent, p.known-origin)
		if n := placeholder.FindPartial(text); n > len(text)-known {
			known = max(sent, len(text)-n)
		}
		known = findFloor(text, known, sent)
	}
	i.matches = i.matches[:0]
	for _, m := range p.matches {
		i.matches = append(i.matches, Match{Start: m.Start - origin, End: m.End - origin, Label: m.Label, Score: m.Score})
	}
	if hits, known, err = s.gather(i, text, i.matches, sent, known); err != nil {
		return nil, 0, err
	}
	n := 0
	for n < len(p.matches) && p.matches[n].Start-origin < known {
		n++
	}
	p.matches = slices.Delete(p.matches, 0, n)
	if len(p.matches) > i.v.limits.Spans {
		return nil, 0, i.v.newOverflowFault()
	}
	return hits, known, nil
}

// judgeByStream passes a text to a guest without hg_detect, as a part of a single piece.
func (i *instance) judgeByStream(text string, flags uint32) ([]Match, error) {
	var p strand
	if err := i.begin(&p, abi.SourceOf(flags)); err != nil || p.unseen {
		return nil, err
	}
	if err := i.passText(&p, text, 0); err != nil {
		return nil, err
	}
	if err := i.finish(&p, text); err != nil {
		return nil, err
	}
	return p.matches, nil
}

// judgeTextByStream passes a whole text to a guest without hg_detect and takes the hits.
func (c *check) judgeTextByStream(text string, flags uint32) (known int, err error) {
	matches, err := c.inst.judgeByStream(text, flags)
	if err != nil {
		return 0, err
	}
	hits, known, err := c.s.gather(c.inst, text, matches, 0, len(text))
	if err != nil {
		return 0, err
	}
	if len(hits) > 0 {
		c.recordHits(hits, 0)
	}
	return known, nil
}
