package httpwasm

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// nestedComparison compares JSON text inside a string of the body, such as the arguments of a tool call. Its texts are segments in the
// same order.
type nestedComparison struct {
	c      *comparison
	inside []int // segments that have not been met
}

func (n *nestedComparison) compare(was, now []byte) bool {
	if len(n.inside) > 0 && (was[0] == '"' || isNumber(was)) {
		k := n.inside[0]
		text := string(was)
		if was[0] == '"' {
			text = readString(was)
		}
		if n.c.body.ReadText(k) == text {
			n.inside = n.inside[1:]
			return bytes.Equal(was, now) || now[0] == '"' && n.c.replaceText(k, now)
		}
	}
	switch {
	case was[0] == '{' && now[0] == '{':
		return n.compareObjects(was, now)
	case was[0] == '[' && now[0] == '[':
		return n.compareLists(was, now)
	case was[0] == '"' && now[0] == '"':
		return readString(was) == readString(now)
	}
	return bytes.Equal(was, now) || equalNumbers(was, now)
}

func (n *nestedComparison) compareObjects(was, now []byte) bool {
	fresh := map[string][]byte{}
	visitMembers(now, func(key string, value splice.Span) bool {
		fresh[key] = now[value.Start:value.End]
		return true
	})
	same, count := true, 0
	visitMembers(was, func(key string, value splice.Span) bool {
		count++
		if len(n.inside) > 0 && n.c.body.ReadText(n.inside[0]) == key { // names are segments too
			n.inside = n.inside[1:]
		}
		found, ok := fresh[key]
		same = ok && n.compare(was[value.Start:value.End], found)
		return same
	})
	return same && count == len(fresh)
}

func (n *nestedComparison) compareLists(was, now []byte) bool {
	var fresh [][]byte
	visitElements(now, func(value splice.Span) bool {
		fresh = append(fresh, now[value.Start:value.End])
		return true
	})
	same, k := true, 0
	visitElements(was, func(value splice.Span) bool {
		same = k < len(fresh) && n.compare(was[value.Start:value.End], fresh[k])
		k++
		return same
	})
	return same && k == len(fresh)
}

func isNumber(raw []byte) bool { return raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9' }

// equalNumbers reports whether two values are the same number. Integers must be spelled alike: they may be larger than a float holds.
func equalNumbers(was, now []byte) bool {
	if !isNumber(was) || !isNumber(now) || bytes.ContainsAny(was, ".eE") == bytes.ContainsAny(now, ".eE") && !bytes.ContainsAny(was, ".eE") {
		return bytes.Equal(was, now)
	}
	a, errA := strconv.ParseFloat(string(was), 64)
	b, errB := strconv.ParseFloat(string(now), 64)
	return errA == nil && errB == nil && a == b
}

// readString decodes a JSON string.
func readString(raw []byte) (text string) {
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}
