package httpwasm

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// ErrStructure means that a guest wrote a body that differs from the one before in more than its texts.
var ErrStructure = errors.New("it writes a body that differs from the one it was shown in more than texts")

// ErrNotJSON means that a guest wrote a body that is not JSON.
var ErrNotJSON = errors.New("it writes a body that is not JSON")

// BodyChange is how a body that a guest wrote differs from the one before.
type BodyChange struct {
	Edits []core.Edit // in the order of the segments
	Model string      // the new value of the member model; "" if it is the same
}

// FindChange compares a body with what a guest wrote in its place. The order of members, white space and escapes do not matter. All edits
// of body must be flushed. The error is ErrNotJSON or ErrStructure.
func FindChange(body *core.Payload, written []byte) (BodyChange, error) {
	if !json.Valid(written) {
		return BodyChange{}, ErrNotJSON
	}
	c := comparison{body: body, old: body.Raw}
	if !c.compare(trimSpan(body.Raw, 0, len(body.Raw)), bytes.TrimSpace(written), 0) {
		return BodyChange{}, ErrStructure
	}
	return c.change, nil
}

// comparison is one run of FindChange. Its methods report whether the two differ in texts only.
type comparison struct {
	body   *core.Payload
	old    []byte
	change BodyChange
}

// findSegment returns the index of the segment with a span, or -1.
func (c *comparison) findSegment(at splice.Span) int {
	list := c.body.Segments
	k, ok := slices.BinarySearchFunc(list, at.Start, func(s core.Segment, start int) int { return s.Span.Start - start })
	if ok && list[k].Span == at {
		return k
	}
	return -1
}

// findWithin returns the indexes of the segments inside a span.
func (c *comparison) findWithin(at splice.Span) (inside []int) {
	list := c.body.Segments
	k, _ := slices.BinarySearchFunc(list, at.Start, func(s core.Segment, start int) int { return s.Span.Start - start })
	for ; k < len(list) && list[k].Span.End <= at.End; k++ {
		inside = append(inside, k)
	}
	return inside
}

// compare compares the value at a place of the old body with a new one.
func (c *comparison) compare(at splice.Span, now []byte, depth int) bool {
	was := c.old[at.Start:at.End]
	if bytes.Equal(was, now) {
		return true
	}
	if k := c.findSegment(at); k >= 0 && c.body.Segments[k].Bare && now[0] == '"' {
		return c.replaceText(k, now)
	}
	switch {
	case was[0] != now[0] && (was[0] == '{' || was[0] == '[' || was[0] == '"' || now[0] == '{' || now[0] == '[' || now[0] == '"'):
		return false
	case was[0] == '{':
		return c.compareObjects(at, now, depth)
	case was[0] == '[':
		return c.compareLists(at, now, depth)
	case was[0] == '"':
		return c.compareStrings(at, now)
	}
	return equalNumbers(was, now)
}

func (c *comparison) compareObjects(at splice.Span, now []byte, depth int) bool {
	fresh := map[string][]byte{}
	unique := true
	visitMembers(now, func(key string, value splice.Span) bool {
		_, known := fresh[key]
		unique = unique && !known
		fresh[key] = now[value.Start:value.End]
		return unique
	})
	same, count := unique, 0
	was := c.old[at.Start:at.End]
	visitMembers(was, func(key string, value splice.Span) bool {
		count++
		found, ok := fresh[key]
		at := splice.Span{Start: at.Start + value.Start, End: at.Start + value.End}
		if ok && depth == 0 && key == "model" && found[0] == '"' && c.old[at.Start] == '"' {
			if before, after := readString(c.old[at.Start:at.End]), readString(found); before != after {
				c.change.Model = after
			}
			return same
		}
		same = same && ok && c.compare(at, found, depth+1)
		return same
	})
	return same && count == len(fresh)
}

func (c *comparison) compareLists(at splice.Span, now []byte, depth int) bool {
	var fresh [][]byte
	visitElements(now, func(value splice.Span) bool {
		fresh = append(fresh, now[value.Start:value.End])
		return true
	})
	same, k := true, 0
	visitElements(c.old[at.Start:at.End], func(value splice.Span) bool {
		same = k < len(fresh) && c.compare(splice.Span{Start: at.Start + value.Start, End: at.Start + value.End}, fresh[k], depth+1)
		k++
		return same
	})
	return same && k == len(fresh)
}

func (c *comparison) compareStrings(at splice.Span, now []byte) bool {
	inner := splice.Span{Start: at.Start + 1, End: at.End - 1}
	if k := c.findSegment(inner); k >= 0 && c.body.Segments[k].Depth == 1 {
		return c.replaceText(k, now)
	}
	was, fresh := readString(c.old[at.Start:at.End]), readString(now)
	if was == fresh {
		return true
	}
	inside := c.findWithin(inner)
	n := nestedComparison{c: c, inside: inside}
	return len(inside) > 0 && json.Valid([]byte(was)) && json.Valid([]byte(fresh)) &&
		n.compare([]byte(strings.TrimSpace(was)), []byte(strings.TrimSpace(fresh))) && len(n.inside) == 0
}

// replaceText records the edit of a segment's text. A new file of text is not possible: its bytes are encoded.
func (c *comparison) replaceText(k int, now []byte) bool {
	was, fresh := c.body.ReadText(k), readString(now)
	if was == fresh {
		return true
	}
	if c.body.Segments[k].Base64 {
		return false
	}
	e := TrimEdit(was, fresh)
	e.Segment = k
	c.change.Edits = append(c.change.Edits, e)
	return true
}

// TrimEdit returns the edit of the part in which two texts differ.
func TrimEdit(was, now string) core.Edit {
	from := 0
	for from < len(was) && from < len(now) && was[from] == now[from] {
		from++
	}
	for from > 0 && (from < len(was) && !utf8.RuneStart(was[from]) || from < len(now) && !utf8.RuneStart(now[from])) {
		from--
	}
	end, to := len(was), len(now)
	for end > from && to > from && was[end-1] == now[to-1] {
		end, to = end-1, to-1
	}
	for end < len(was) && !utf8.RuneStart(was[end]) {
		end, to = end+1, to+1
	}
	return core.Edit{Start: from, End: end, With: now[from:to]}
}
