package chain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// randomText is a text of letters that are written in many ways in JSON.
func randomText(r *rand.Rand) string {
	letters := []string{"a", "b ", "1", "234567", "é", "😀", "\"", "\\", "\n", "/", "\t", "{", "}", "中", "\u0001"}
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(letters[r.IntN(len(letters))])
	}
	return b.String()
}

// spellText writes a text as a JSON string, some of its characters as escapes that
// they do not need.
func spellText(r *rand.Rand, text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '/' && r.IntN(2) == 0:
			b.WriteString(`\/`)
		case c > 0xffff && r.IntN(2) == 0:
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
		case c <= 0xffff && r.IntN(4) == 0:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			s := quote(string(c))
			b.WriteString(s[1 : len(s)-1])
		}
	}
	return b.String() + `"`
}

func randomSpace(r *rand.Rand) string { return []string{"", "", " ", "\n\t", "\r\n  "}[r.IntN(5)] }

// randomBody is a chat request with texts in many places.
func randomBody(r *rand.Rand) string {
	text := func() string { return spellText(r, randomText(r)) }
	sp := func() string { return randomSpace(r) }
	args := func() string {
		return spellText(
			r,
			sp()+`{"k":`+text()+`,`+sp()+`"n":[`+fmt.Sprint(r.IntN(1e9))+sp()+`,-1234567.5e3,true],"o":{"`+fmt.Sprint(r.IntN(9))+`":`+text()+`}}`,
		)
	}
	var messages []string
	for range 1 + r.IntN(4) {
		switch r.IntN(4) {
		case 0:
			messages = append(messages, `{"role":"user",`+sp()+`"content":`+sp()+text()+`}`)
		case 1:
			messages = append(
				messages,
				`{"content":[{"type":"text","text":`+text()+`},{"text":`+text()+sp()+`,"type":"text"},{"type":"image_url","image_url":{"url":"data:x"}},{"type":"text","text":`+text()+`}],"role":"user"}`,
			)
		case 2:
			messages = append(
				messages,
				`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":`+args()+`}},{"id":"d","type":"custom","custom":{"name":"g","input":`+text()+`}}]}`,
			)
		default:
			messages = append(messages, `{"role":"tool","tool_call_id":"c","content":`+text()+`,"note":`+text()+`}`)
		}
	}
	fields := []string{
		`"model":` + sp() + `"m"`,
		`"messages":` + sp() + `[` + strings.Join(messages, sp()+","+sp()) + `]`,
		`"max_tokens":` + sp() + `100`,
		`"max_completion_tokens" : 1.0e2`,
		`"stream":true`,
		`"stream_options":{` + sp() + `"include_usage":false}`,
		`"metadata":{"a":` + text() + `}`,
		`"big":12345678901234567890`,
	}
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return sp() + "{" + sp() + strings.Join(fields, ","+sp()) + sp() + "}" + sp()
}

// randomEdits edits some segments at places between characters, and gives the
// texts that come of it. No segment is emptied.
func randomEdits(r *rand.Rand, p *core.Payload) (edits []core.Edit, want []string) {
	for i := range p.Segments {
		text := p.ReadText(i)
		if r.IntN(2) == 0 {
			want = append(want, text)
			continue
		}
		var ends []int
		for k := range text {
			ends = append(ends, k)
		}
		ends = append(ends, len(text))
		out, at := "", 0
		for k := 0; k < len(ends); k += 1 + r.IntN(5) {
			to := min(k+r.IntN(3), len(ends)-1)
			with := "x" + randomText(r)
			edits = append(edits, core.Edit{Segment: i, Start: ends[k], End: ends[to], With: with})
			out += text[at:ends[k]] + with
			at = ends[to]
			k = to
		}
		want = append(want, out+text[at:])
	}
	r.Shuffle(len(edits), func(i, j int) {
		if edits[i].Start != edits[j].Start || edits[i].Segment != edits[j].Segment {
			edits[i], edits[j] = edits[j], edits[i]
		}
	})
	return edits, want
}

// shape is what a scan finds in a body, without what it knows of the past.
func shape(x *core.Exchange) []string {
	out := []string{fmt.Sprint(x.Request.Marks)}
	for i := range x.Request.Segments {
		s := &x.Request.Segments[i]
		out = append(out, fmt.Sprint(s.Path(), s.Role, s.Kind, s.Depth, s.Bare, s.Joined, s.Span), x.Request.ReadText(i))
	}
	return out
}

func TestAfterAnyEditsSegmentsAndMarksStandWhereAScanWouldFindThem(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		body := randomBody(r)
		x := newRequest(t, body)
		var want []string
		edit := &guard{check: func(x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
			v := core.Verdict{Action: core.Rewrite}
			v.Edits, want = randomEdits(r, &x.Request)
			return v, nil
		}}
		c := newChain(t, nil, link("a", edit), link("b", edit), link("c", edit))
		require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action, "seed %d: %s", seed, body)
		for i := range x.Request.Segments {
			require.Equal(t, want[i], x.Request.ReadText(i), "seed %d, segment %d", seed, i)
		}
		fresh := &core.Exchange{}
		fresh.Request.Raw = x.Request.Raw
		require.Nil(t, openai.Chat{}.Scan(fresh), "seed %d: %s", seed, x.Request.Raw)
		require.Equal(t, shape(fresh), shape(x), "seed %d: %s", seed, body)
	}
}

func TestNoEditsGiveTheVerySameBody(t *testing.T) {
	for seed := range uint64(20) {
		x := newRequest(t, randomBody(rand.New(rand.NewPCG(seed, 3))))
		raw := x.Request.Raw
		c := newChain(t, nil, link("none", rewriting()), link("missing", rewriting("not there at all", "x")))
		require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
		require.Same(t, &raw[0], &x.Request.Raw[0])
		require.Len(t, x.Request.Raw, len(raw))
	}
}
