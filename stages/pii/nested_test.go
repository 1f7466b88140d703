package pii

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/stages/pii/piitest"
)

// awkward is a value that JSON has to escape.
const awkward = "O\"Neil \\ S\u00f6hne\n2nd"

func TestAValueInJSONInsideArgumentsIsEscapedByItsDepth(t *testing.T) {
	token := placeholder.Format("PERSON", "aaaabbbbccccdddd")
	other := placeholder.Format("PERSON", "0000000000000000")
	in := func(v any) string { return piitest.Quote(string(must(json.Marshal(v)))) }
	for name, tc := range map[string]struct{ args, want string }{
		"a string of the arguments":            {`{"a":"` + token + `"}`, `{"a":` + piitest.Quote(awkward) + `}`},
		"prose in it":                          {`{"a":"ask \"` + token + `\" now"}`, `{"a":` + piitest.Quote(`ask "`+awkward+`" now`) + `}`},
		"one level":                            {`{"a":` + in([]string{token}) + `}`, `{"a":` + in([]string{awkward}) + `}`},
		"two levels":                           {`[` + in([]string{string(must(json.Marshal(map[string]string{"b": "x " + token})))}) + `]`, `[` + in([]string{string(must(json.Marshal(map[string]string{"b": "x " + awkward})))}) + `]`},
		"two values, one behind a nested text": {`["x",` + in([]string{token, `{"a":1}`, token}) + `,"` + token + `"]`, `["x",` + in([]string{awkward, `{"a":1}`, awkward}) + `,` + piitest.Quote(awkward) + `]`},
		"a value that no string holds":         {`{"a":"{\"n\": ` + token + `, \"s\": \"` + token + `\"}"}`, `{"a":` + piitest.Quote(`{"n": `+awkward+`, "s": `+piitest.Quote(awkward)+`}`) + `}`},
		"one that is not known beside it":      {`{"a":"{\"n\": ` + other + `, \"s\": \"` + token + `\"}"}`, `{"a":` + piitest.Quote(`{"n": `+other+`, "s": `+piitest.Quote(awkward)+`}`) + `}`},
		"a text that only begins like JSON":    {`{"a":"[1] see \"` + token + `\""}`, `{"a":` + piitest.Quote(`[1] see "`+awkward+`"`) + `}`},
		"a nested text that breaks off":        {`{"a":"{\"b\":\"` + token + `"}`, `{"a":` + piitest.Quote(`{"b":`+strings.TrimSuffix(piitest.Quote(awkward), `"`)) + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, config := range []string{"{}", "response: redact"} {
				b := newBench(t, config)
				b.Tokens.Add("k", token, awkward)
				x, _ := b.Send("k", piitest.BuildBody("hi"))
				same := func(got string) {
					require.JSONEq(t, tc.want, got)
				}
				same(b.PassWhole(x, tc.args, true))
				piitest.VisitCuts(tc.args, func(pieces []string) { same(b.PassStream(x, pieces, true, nil)) })
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
	token := placeholder.Format("PERSON", "aaaabbbbccccdddd")
	b.Tokens.Add("k", token, awkward)
	x, _ := b.Send("k", piitest.BuildBody("hi"))
	want := `{"a":"` + awkward + `"}`
	assert.Equal(t, want, b.PassWhole(x, `{"a":"`+token+`"}`, false), "what was redacted as text comes back as it was")
	assert.Equal(t, want, b.PassStream(x, piitest.SplitRunes(`{"a":"`+token+`"}`), false, nil))
}

func TestPlacesInToolCallsAreForgottenWithThem(t *testing.T) {
	f := &filter{}
	a, b := core.Part{Index: 1}, core.Part{Index: 2}
	f.openCursor(a).Read(`["`)
	f.openCursor(b).Read(`text`)
	require.Equal(t, `\"`, f.openCursor(a).Escape(`"`))
	f.forget(a)
	assert.Len(t, f.places, 1)
	assert.Equal(t, `"`, f.openCursor(a).Escape(`"`), "the next string is a new document")
}
