package pii

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// awkward is a value that JSON has to escape.
const awkward = "O\"Neil \\ S\u00f6hne\n2nd"

func TestAValueInJSONInsideArgumentsIsEscapedByItsDepth(t *testing.T) {
	token := placeholder.Spell("PERSON", "aaaabbbbccccdddd")
	other := placeholder.Spell("PERSON", "0000000000000000")
	in := func(v any) string { return quote(string(must(json.Marshal(v)))) }
	for name, tc := range map[string]struct{ args, want string }{
		"a string of the arguments":            {`{"a":"` + token + `"}`, `{"a":` + quote(awkward) + `}`},
		"prose in it":                          {`{"a":"ask \"` + token + `\" now"}`, `{"a":` + quote(`ask "`+awkward+`" now`) + `}`},
		"one level":                            {`{"a":` + in([]string{token}) + `}`, `{"a":` + in([]string{awkward}) + `}`},
		"two levels":                           {`[` + in([]string{string(must(json.Marshal(map[string]string{"b": "x " + token})))}) + `]`, `[` + in([]string{string(must(json.Marshal(map[string]string{"b": "x " + awkward})))}) + `]`},
		"two values, one behind a nested text": {`["x",` + in([]string{token, `{"a":1}`, token}) + `,"` + token + `"]`, `["x",` + in([]string{awkward, `{"a":1}`, awkward}) + `,` + quote(awkward) + `]`},
		"a value that no string holds":         {`{"a":"{\"n\": ` + token + `, \"s\": \"` + token + `\"}"}`, `{"a":` + quote(`{"n": `+awkward+`, "s": `+quote(awkward)+`}`) + `}`},
		"one that is not known beside it":      {`{"a":"{\"n\": ` + other + `, \"s\": \"` + token + `\"}"}`, `{"a":` + quote(`{"n": `+other+`, "s": `+quote(awkward)+`}`) + `}`},
		"a text that only begins like JSON":    {`{"a":"[1] see \"` + token + `\""}`, `{"a":` + quote(`[1] see "`+awkward+`"`) + `}`},
		"a nested text that breaks off":        {`{"a":"{\"b\":\"` + token + `"}`, `{"a":` + quote(`{"b":`+strings.TrimSuffix(quote(awkward), `"`)) + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, config := range []string{"{}", "response: redact"} {
				b := newBench(t, config)
				b.tok.add("k", token, awkward)
				x, _ := b.send("k", body("hi"))
				same := func(got string) {
					require.JSONEq(t, tc.want, got)
				}
				same(b.whole(x, tc.args, true))
				everyCut(tc.args, func(pieces []string) { same(b.streamed(x, pieces, true, nil)) })
			}
		})
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestNestedJSONInTheTextOfAnAnswerIsText(t *testing.T) {
	b := newBench(t, "{}")
	token := placeholder.Spell("PERSON", "aaaabbbbccccdddd")
	b.tok.add("k", token, awkward)
	x, _ := b.send("k", body("hi"))
	want := `{"a":"` + awkward + `"}`
	assert.Equal(t, want, b.whole(x, `{"a":"`+token+`"}`, false), "what was redacted as text comes back as it was")
	assert.Equal(t, want, b.streamed(x, runes(`{"a":"`+token+`"}`), false, nil))
}

func TestPlacesInToolCallsAreForgottenWithThem(t *testing.T) {
	f := &filter{}
	a, b := core.Part{Index: 1}, core.Part{Index: 2}
	f.place(a).Read(`["`)
	f.place(b).Read(`text`)
	require.Equal(t, `\"`, f.place(a).Escape(`"`))
	f.forget(a)
	assert.Len(t, f.places, 1)
	assert.Equal(t, `"`, f.place(a).Escape(`"`), "another string begins anew")
}
