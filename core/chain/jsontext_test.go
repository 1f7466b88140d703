package chain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// argumentsIn makes a payload of arguments: as JSON text in a string, or as an
// object in the document itself.
func argumentsIn(args string, depth uint8) *core.Payload {
	doc := args
	if depth == 1 {
		doc = quote(args)
	}
	p := &core.Payload{Raw: []byte(`{"x":` + doc + `}`)}
	at := splice.Span{Start: 5, End: len(p.Raw) - 1}
	if depth == 1 {
		at.Start++
		at.End--
	}
	p.AddJSON(core.Segment{Kind: core.KindToolArgs, Depth: depth, Message: -1, Part: -1, Span: at})
	return p
}

func texts(p *core.Payload) []string {
	out := []string{}
	for i := range p.Segments {
		text := strings.Clone(p.ReadText(i))
		if p.Segments[i].Bare {
			text = "bare " + text
		}
		out = append(out, text)
	}
	return out
}

func TestTheStringsAndNumbersOfArgumentsAreSegments(t *testing.T) {
	for name, tc := range map[string]struct {
		args string
		want []string
	}{
		"strings and names":                      {`{"k":"v","l":["w",{"m":"x"}],"n":{}}`, []string{"k", "v", "l", "w", "m", "x", "n"}},
		"a key behind a nested object":           {`{"a":{"b":"c"},"d":"e","f":["g"],"h":"i"}`, []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}},
		"strings that hold structure":            {`{"a":"},{[]:,","b":"\"q\":"}`, []string{"a", "},{[]:,", "b", `"q":`}},
		"escapes":                                {`{"a":"\n\"\u00e9\ud83d\ude00\/\\"}`, []string{"a", "\n\"é😀/\\"}},
		"empty strings":                          {`{"a":"","b":"c"}`, []string{"a", "b", "c"}},
		"bare numbers from six characters on":    {`[12345,123456,-12.5e10,{"n":4111111111111111}]`, []string{"bare 123456", "bare -12.5e10", "n", "bare 4111111111111111"}},
		"a number too long to be looked at":      {`[` + strings.Repeat("1", 65) + `,` + strings.Repeat("2", 64) + `]`, []string{"bare " + strings.Repeat("2", 64)}},
		"literals are no text":                   {`[true,false,null]`, []string{}},
		"a string alone":                         {` "v" `, []string{"v"}},
		"nothing":                                {``, []string{}},
		"text between JSON strings":              {`call joe "x" 123456`, []string{`call joe "`, "x", `" 123456`}},
		"a string that does not end":             {`{"a":"x`, []string{`{"`, "a", `":"`, "x"}},
		"keys twice are JSON still":              {`{"a":123456,"a":"x"}`, []string{"a", "bare 123456", "a", "x"}},
		"a broken escape":                        {`{"a":"\x"}`, []string{`{"`, "a", `":"`, `\x`, `"}`}},
		"more nesting than the cursor remembers": {strings.Repeat(`[{"k":`, 50) + `"v"` + strings.Repeat(`}]`, 50), append(slices.Repeat([]string{"k"}, 50), "v")},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, texts(argumentsIn(tc.args, 1)))
			if json.Valid([]byte(tc.args)) {
				assert.Equal(t, tc.want, texts(argumentsIn(tc.args, 0)))
			}
		})
	}
}

func TestAnEditNextToAnEscapeKeepsTheArgumentsJSON(t *testing.T) {
	for _, text := range []string{`\n4111\n`, `\"4111\"`, `\u00e94111\u00e9`, `\ud83d\ude004111\ud83d\ude00`, `\\4111\\`, `😀4111é`} {
		for depth := range uint8(2) {
			p := argumentsIn(`{"a":"`+text+`"}`, depth)
			got := rewriteByChain(t, p, func(x *core.Exchange) []core.Edit { return replacing(&x.Request, "4111", `<"\`+"\n\u00e9😀>") })
			var inner string
			require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &inner))
			assert.Equal(t, map[string]any{"a": strings.Replace(inner, "4111", "<\"\\\né😀>", 1)}, decodeArgs(t, got, depth))
		}
	}
}

// rewriteByChain runs edits over a payload by way of a chain.
func rewriteByChain(t testing.TB, p *core.Payload, edits func(x *core.Exchange) []core.Edit) []byte {
	x := &core.Exchange{Request: *p}
	c := newChain(t, nil, link("edit", &guard{check: func(x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
		return core.Verdict{Action: core.Rewrite, Edits: edits(x)}, nil
	}}))
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	return x.Request.Raw
}

func FuzzEditsOfArgumentsGiveTheValueExpected(f *testing.F) {
	for _, s := range []string{`{"a":"b"}`, `[1234567,"x",{"k":"v\u00e9\ud83d\ude00\n"}]`, `"s"`, `123456`, `{"a":{"b":[[]],"c":""}}`, `{"a" "b`, "[\"\\ud83d\"]", `{"\"":"1"}`} {
		f.Add(s, uint64(1), true)
		f.Add(s, uint64(7), false)
	}
	f.Fuzz(func(t *testing.T, args string, seed uint64, inString bool) {
		if !utf8.ValidString(args) {
			t.Skip("a scan refuses it")
		}
		depth := uint8(0)
		if inString {
			depth = 1
		}
		valid := json.Valid([]byte(args))
		if depth == 0 && !valid {
			return
		}
		r := rand.New(rand.NewPCG(seed, 5))
		p := argumentsIn(args, depth)
		var want []string
		got := rewriteByChain(t, p, func(x *core.Exchange) (edits []core.Edit) {
			edits, want = randomEdits(r, &x.Request)
			return edits
		})
		require.True(t, json.Valid(got))
		if valid {
			requireLeaves(t, []byte(args), innerText(t, got, depth), want)
		}
	})
}

func innerText(t testing.TB, doc []byte, depth uint8) []byte {
	var v struct{ X json.RawMessage }
	require.NoError(t, json.Unmarshal(doc, &v), "%s", doc)
	if depth == 0 {
		return v.X
	}
	var s string
	require.NoError(t, json.Unmarshal(v.X, &s))
	return []byte(s)
}

func decodeArgs(t testing.TB, doc []byte, depth uint8) (out any) {
	inner := innerText(t, doc, depth)
	require.NoError(t, json.Unmarshal(inner, &out), "%s", inner)
	return out
}

// requireLeaves walks arguments before and after their edits: the leaves that
// were segments have the texts in want, everything else is equal.
func requireLeaves(t testing.TB, before, after []byte, want []string) {
	was, is := json.NewDecoder(bytes.NewReader(before)), json.NewDecoder(bytes.NewReader(after))
	was.UseNumber()
	is.UseNumber()
	for {
		a, err := was.Token()
		b, errB := is.Token()
		require.Equal(t, err, errB, "%s", after)
		if err != nil {
			break
		}
		leaf := false
		switch v := a.(type) {
		case string:
			leaf = v != ""
		case json.Number:
			leaf = len(v) >= 6 && len(v) <= 64
		}
		if !leaf {
			require.Equal(t, a, b, "%s", after)
			continue
		}
		require.NotEmpty(t, want)
		if n, ok := b.(json.Number); ok {
			b = string(n)
		}
		require.Equal(t, want[0], b, "%s", after)
		want = want[1:]
	}
	require.Empty(t, want)
}
