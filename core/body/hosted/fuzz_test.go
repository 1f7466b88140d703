package hosted_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// node is a value of a body, and the member or element that holds it.
type node struct {
	at, holder splice.Span
	kind       splice.Kind
	key        string // of a member
	kids       []*node
	removed    bool // it, or what holds it
	touched    bool // it, or something in it, is removed
}

func readNode(s *splice.Scanner, start int, key string) *node {
	n := &node{kind: s.Kind(), key: key}
	at := s.Pos()
	switch n.kind {
	case splice.Object:
		s.Enter()
		for s.Next() {
			start := s.Pos()
			n.kids = append(n.kids, readNode(s, start, string(s.Key())))
		}
	case splice.Array:
		s.Enter()
		for s.Next() {
			n.kids = append(n.kids, readNode(s, -1, ""))
		}
	default:
		s.Skip()
	}
	n.at = splice.Span{Start: at, End: s.Pos()}
	n.holder = n.at
	if start >= 0 {
		n.holder.Start = start
	}
	return n
}

// readBody reads a body that is a valid object.
func readBody(doc []byte) *node {
	var s splice.Scanner
	s.Reset(doc)
	n := readNode(&s, -1, "")
	if !s.End() || n.kind != splice.Object {
		return nil
	}
	return n
}

// remove picks elements and members, and returns them as tools.
func (n *node) remove(doc []byte, r *rand.Rand, chance float64) (tools []hosted.Tool) {
	for _, kid := range n.kids {
		if r.Float64() < chance {
			kid.removed = true
			tool := hosted.Tool{Type: kid.key, Span: kid.holder}
			for _, m := range kid.kids {
				switch raw := doc[m.at.Start:m.at.End]; {
				case m.kind == splice.String && m.key == "type":
					tool.Type = splice.ReadTextAt(raw, splice.Span{Start: 1, End: len(raw) - 1}, true)
				case m.kind == splice.String && m.key == "name":
					tool.Name = splice.ReadTextAt(raw, splice.Span{Start: 1, End: len(raw) - 1}, true)
				}
			}
			tools = append(tools, tool)
		}
		tools = append(tools, kid.remove(doc, r, chance)...)
		n.touched = n.touched || kid.removed || kid.touched
	}
	return tools
}

// left reports whether a list of tools has one that is not removed.
func (n *node) left() bool {
	if n.kind == splice.Object {
		return true // a single tool
	}
	for _, kid := range n.kids {
		if !kid.removed {
			return true
		}
	}
	return false
}

// compare fails unless got is what is left of n. request is set if n is a request, whose members for tools may be gone.
func (n *node) compare(t *testing.T, doc, out []byte, got *node, request, inner bool) {
	if !n.touched && !request {
		assert.Equal(t, string(doc[n.at.Start:n.at.End]), string(out[got.at.Start:got.at.End]), "what held nothing to remove")
		return
	}
	require.Equal(t, n.kind, got.kind)
	next := 0
	for _, kid := range n.kids {
		if kid.removed {
			continue
		}
		there := next < len(got.kids) && got.kids[next].key == kid.key
		choice := kid.key == "tool_choice" || kid.key == "toolConfig" || kid.key == "tool_config"
		switch {
		case request && choice:
			if there {
				next++
			}
			continue
		case request && kid.key == "tools" && !there:
			require.False(t, kid.left(), "tools that were not to be removed: %s", out)
			continue
		}
		require.True(t, there, "%s lost %s", out, doc[kid.holder.Start:kid.holder.End])
		counted := request && !inner && kid.kind == splice.Object &&
			(kid.key == "generateContentRequest" || kid.key == "generate_content_request")
		kid.compare(t, doc, out, got.kids[next], counted, counted)
		next++
	}
	require.Len(t, got.kids, next, "more than was there: %s", out)
}

// FuzzAppendWithout removes any elements and members of any body: what is left is JSON, without them and with all else.
func FuzzAppendWithout(f *testing.F) {
	for _, body := range []string{
		`{"tools":[{"type":"a"} , {"type":"function","name":"f"},{"type":"b","name":"c"}],"tool_choice":{"type":"b"},"model":"m"}`,
		`{ "tools" : {"a":{},"b":[{"name":"n"}]} , "toolConfig":{"mode":"ANY"} }`,
		`{"mcp_servers":[{"url":"x"}],"container":"c","tool_choice":{"type":"any"},"tools":null}`,
		`{"tool_choice":{"type":"allowed_tools","tools":[{"type":"a"},{"name":"\u0061","type":"a"},1]},"tools":[{"type":"a"},{"type":"n","tools":[{"type":"a"}]}]}`,
		`{"generateContentRequest":{"tools":[{"googleSearch":{},"functionDeclarations":[]}],"tool_config":{}},"x":[[],[1,[2]],{}]}`,
		`{"input":[{"tools":[{"type":"a"},{}]},"[",{"a":1,"b":",","c":"}"}],"\u0074ools":[ ],"tool_choice":"required"}`,
		`{"web_search_options":{},"messages":[],"tool_choice":{}}`,
	} {
		for seed := range uint64(4) {
			f.Add([]byte(body), seed)
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte, seed uint64) {
		body := readBody(doc)
		if body == nil {
			t.Skip()
		}
		tools := body.remove(doc, rand.New(rand.NewPCG(seed, 1)), [...]float64{0.1, 0.3, 0.6, 0.9}[seed%4])
		if len(tools) == 0 {
			t.Skip()
		}
		before := string(doc)
		out := hosted.AppendWithoutTools([]byte("head,"), doc, tools)
		require.Equal(t, before, string(doc), "the body is read only")
		require.Equal(t, "head,", string(out[:5]), "what the buffer held stays")
		out = out[5:]
		require.True(t, json.Valid(out), "%s", out)
		got := readBody(out)
		require.NotNil(t, got, "%s", out)
		body.compare(t, doc, out, got, true, false)
	})
}
