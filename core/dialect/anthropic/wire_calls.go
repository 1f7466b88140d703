package anthropic

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// appendInput appends the input of a call, which must be a JSON object. Other text,
// which models sometimes write, becomes a member of one.
func appendInput(dst []byte, input string) []byte {
	object := strings.TrimSpace(input)
	switch {
	case object == "":
		return append(dst, "{}"...)
	case isWholeObject(object):
		return append(dst, object...)
	}
	dst = append(dst, `{"input":"`...)
	dst = splice.AppendEscaped(dst, strings.ToValidUTF8(input, "\ufffd"))
	return append(dst, `"}`...)
}

// inputDepth is the deepest nesting of an input. It leaves room for the body around it,
// which the same scanner reads.
const inputDepth = splice.DefaultMaxDepth - 8

func isWholeObject(text string) bool {
	s := splice.Scanner{MaxDepth: inputDepth}
	s.Reset([]byte(text))
	if s.Kind() != splice.Object {
		return false
	}
	s.Skip()
	return s.End()
}

// callIDs gives every call an id of letters, digits, - and _. Dialects without ids match
// results by name, in order.
type callIDs struct {
	made int
	open []llm.Call // calls without an id of their own that wait for a result
}

const unnamed = "unnamed_call_"

func (c *callIDs) assignCallID(p *llm.Call) string {
	if p.ID != "" {
		return cleanCallID(p.ID)
	}
	c.made++
	id := unnamed + strconv.Itoa(c.made)
	c.open = append(c.open, llm.Call{ID: id, Name: p.Name})
	return id
}

func (c *callIDs) resolveResultID(p *llm.Result) string {
	if p.CallID != "" {
		return cleanCallID(p.CallID)
	}
	for i := range c.open {
		if c.open[i].Name == p.Name || p.Name == "" {
			id := c.open[i].ID
			c.open = append(c.open[:i], c.open[i+1:]...)
			return id
		}
	}
	return unnamed + "0" // the provider says what it is missing
}

// cleanCallID replaces invalid characters of an id, in the same way for a call and its
// result.
func cleanCallID(id string) string {
	for i := range len(id) {
		if !isIDByte(id[i]) {
			b := []byte(id)
			for k := range b {
				if !isIDByte(b[k]) {
					b[k] = '_'
				}
			}
			return string(b)
		}
	}
	return id
}

func isIDByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}
