package cases

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// parts holds the texts of an answer by their part of the stream.
type parts []partText

type partText struct {
	part core.Part
	text string
}

// add appends text to its part. It ignores the place of the text in the dialect.
func (p *parts) add(of core.Part, text string) {
	if text == "" {
		return
	}
	of.Form = 0
	if of.Kind != core.KindToolArgs {
		of.Index = 0
	}
	for i := range *p {
		if (*p)[i].part == of {
			(*p)[i].text += text
			return
		}
	}
	*p = append(*p, partText{of, text})
}

// listTexts returns the texts without their parts.
func (p parts) listTexts() (out []string) {
	for i := range p {
		out = append(out, p[i].text)
	}
	return out
}

// splitEvents returns the events of a stream.
func splitEvents(stream []byte) ([][]byte, error) {
	var s sse.Splitter
	if err := s.Write(stream); err != nil {
		return nil, fmt.Errorf("the stream: %w", err)
	}
	var out [][]byte
	for ev := s.Next(); ev != nil; ev = s.Next() {
		out = append(out, ev)
	}
	if len(s.Rest()) > 0 {
		return nil, errors.New("the stream ends within an event")
	}
	return out, nil
}

// readEvent reads an event; doc is the text to which its spans refer.
func readEvent(d core.Dialect, x *core.Exchange, raw []byte) (ev core.Event, doc []byte, err error) {
	ev.Reset(raw)
	if err = d.ScanEvent(x, &ev); err != nil {
		return ev, nil, fmt.Errorf("an event of the stream does not have the shape %s: %w", d.Name(), err)
	}
	if doc = ev.Raw; ev.Joined != nil {
		doc = ev.Joined
	}
	return ev, doc, nil
}

// splitStreamParts returns the texts of a stream.
func splitStreamParts(d core.Dialect, stream []byte) (out parts, err error) {
	events, err := splitEvents(stream)
	if err != nil {
		return nil, err
	}
	x := &core.Exchange{Dialect: d.Name()}
	for _, raw := range events {
		ev, doc, err := readEvent(d, x, raw)
		if err != nil {
			return nil, err
		}
		for i := range ev.Deltas {
			text, _ := splice.ReadText(doc, ev.Deltas[i].Span, ev.Deltas[i].Depth, nil)
			out.add(ev.Deltas[i].Part, string(text))
		}
	}
	return out, nil
}

// countPlaces counts the positions between two characters of the stream's texts at which an event can be split.
func countPlaces(d core.Dialect, stream []byte) (n int, err error) {
	_, err = cutEvents(d, stream, func(total int) []int { n = total; return nil })
	return n, err
}

// cutEvents splits events at positions that choose returns in ascending order, given their number. The texts of the stream
// stay the same, in more events.
func cutEvents(d core.Dialect, stream []byte, choose func(total int) []int) ([]byte, error) {
	events, err := splitEvents(stream)
	if err != nil {
		return nil, err
	}
	type cuttable struct {
		doc   []byte
		delta core.Delta
		text  string
		ends  bool
		at    []int // offsets between characters
	}
	x := &core.Exchange{Dialect: d.Name()}
	list, total := make([]cuttable, len(events)), 0
	for i, raw := range events {
		ev, doc, err := readEvent(d, x, raw)
		if err != nil {
			return nil, err
		}
		if ev.Failed || len(ev.Deltas) != 1 || len(ev.Tied) > 0 {
			continue
		}
		text, _ := splice.ReadText(doc, ev.Deltas[0].Span, ev.Deltas[0].Depth, nil)
		c := &list[i]
		*c = cuttable{doc: bytes.Clone(doc), delta: ev.Deltas[0], text: string(text), ends: len(ev.Closes)+len(ev.Ends) > 0}
		for at := range c.text {
			if at > 0 {
				c.at = append(c.at, at)
			}
		}
		total += len(c.at)
	}
	var chosen []int
	if choose != nil {
		chosen = choose(total)
	}
	var out []byte
	base := 0
	for i, raw := range events {
		c := &list[i]
		pieces, from := []string(nil), 0
		for k, at := range c.at {
			if _, here := slices.BinarySearch(chosen, base+k); here {
				pieces, from = append(pieces, c.text[from:at]), at
			}
		}
		base += len(c.at)
		if len(pieces) == 0 {
			out = append(out, raw...)
			continue
		}
		pieces = append(pieces, c.text[from:])
		own := 0 // the piece that stays in the event: the end of a part comes last, and its start first
		if c.ends {
			own = len(pieces) - 1
		}
		for k, piece := range pieces {
			if k != own {
				out = d.AppendDelta(out, c.doc, c.delta.Part, piece)
				continue
			}
			if out, err = splice.Append(out, c.doc, []splice.Cut{{Span: c.delta.Span, With: escapeText(piece, c.delta.Depth)}}); err != nil {
				return nil, fmt.Errorf("cut an event: %w", err)
			}
		}
	}
	return out, nil
}

// escapeText escapes a text depth times, as in nested JSON strings.
func escapeText(text string, depth uint8) string {
	for range depth {
		text = string(splice.AppendEscaped(nil, text))
	}
	return text
}

// isPrefix reports whether a text is a prefix of another, at a character boundary.
func isPrefix(text, of string) bool {
	return len(text) <= len(of) && of[:len(text)] == text && (len(text) == len(of) || utf8.RuneStart(of[len(text)]))
}
