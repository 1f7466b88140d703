package cases

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// formatCase is a file of one case.
func formatCase(given, expect string) string {
	return "link: {stage: pii}\ncases:\n- name: x\n  given: " + given + "\n  expect: " + expect + "\n"
}

func TestWhatIsWrongWithACaseFileIsToldWithItsPlaceAndWhatToWrite(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing in it", "# nothing", "f.yaml: the file is empty; write link: and cases:"},
		{"no YAML", "link: [", "f.yaml:"},
		{"an unknown key of the file", "link: {stage: pii}\ncasses: []\n", "f.yaml:2:1: casses: unknown key; did you mean cases"},
		{"no cases", "link: {stage: pii}\n", "cases: is missing; write cases: [{name: …"},
		{"an empty list of cases", "link: {stage: pii}\ncases: []\n", "f.yaml: cases: there is no case; write link: and cases:"},
		{"a key of the link", "link: {stagee: pii}\ncases: [{}]\n", "f.yaml:1:8: link.stagee: unknown key"},
		{"no link", "cases: [{name: x, given: {text: y}, expect: {spans: []}}]\n", "cases[0]: nothing is named that could be tested; write link: {wasm: file.wasm}"},
		{"two links", strings.Replace(formatCase("{text: y}", "{spans: []}"), "{stage: pii}", "{stage: pii, wasm: x.wasm}", 1), "keep one of stage, wasm and webhook"},
		{"all plugins", strings.Replace(formatCase("{text: y}", "{spans: []}"), "{stage: pii}", `{plugins: "*"}`, 1), "a case tests a single module; write wasm:"},
		{"no name", "link: {stage: pii}\ncases: [{given: {text: y}, expect: {spans: []}}]\n", "f.yaml:2:9: cases[0].name: is missing"},
		{"a name without letters", strings.Replace(formatCase("{text: y}", "{spans: []}"), "name: x", `name: "!"`, 1), "has no letter or digit"},
		{"two of one name", formatCase("{text: y}", "{spans: []}") + "- {name: X, given: {text: y}, expect: {spans: []}}\n", "f.yaml:6:4: cases[1].name: another case has this name, or one with"},
		{"settings in the link of a case", "link: {stage: pii}\ncases: [{name: x, link: {config: {}}, given: {text: y}, expect: {spans: []}}]\n", "a case with link must not have settings"},
		{"steps and given", "link: {stage: pii}\ncases: [{name: x, steps: [], given: {text: y}}]\n", "cannot be combined with given or expect"},
		{"no steps", "link: {stage: pii}\ncases: [{name: x, steps: []}]\n", "write steps: [{given: …, expect: …}]"},
		{"nothing given", "link: {stage: pii}\ncases: [{name: x, expect: {spans: []}}]\n", "cases[0].given: is missing; write given: {text: …}"},
		{"no expectation", "link: {stage: pii}\ncases: [{name: x, given: {text: y}}]\n", "cases[0].expect: is missing; write expect: {verdict: pass}"},
		{"a step without", "link: {stage: pii}\ncases: [{name: x, steps: [{given: {text: y}}]}]\n", "f.yaml:2:27: cases[0].steps[0].expect: is missing"},
		{"refused and given", "link: {stage: pii}\ncases: [{name: x, refused: no, given: {text: y}}]\n", "cases[0].given: cannot be combined with refused"},
		{"a key of a step", "link: {stage: pii}\ncases: [{name: x, steps: [{name: y, given: {text: y}, expect: {spans: []}}]}]\n", "cases[0].steps[0].name: unknown key"},

		{"a key of given", formatCase("{txt: y}", "{spans: []}"), "f.yaml:4:11: cases[0].given.txt: unknown key; did you mean text"},
		{"a phase", formatCase("{text: y, phase: answer}", "{spans: []}"), `f.yaml:4:20: cases[0].given.phase: "answer"`},
		{"a source", formatCase("{text: y, source: me}", "{spans: []}"), "cases[0].given.source"},
		{"a dialect", formatCase("{body: {}, dialect: chat}", "{spans: []}"), "openai.chat"},
		{"no text", formatCase("{phase: request}", "{spans: []}"), "has no text; write one of text, messages, body, raw and stream"},
		{"two texts", formatCase("{text: y, raw: z}", "{spans: []}"), "f.yaml:4:20: cases[0].given.raw: cannot be combined with text"},
		{"a stream in a request", formatCase("{stream: y}", "{labels: []}"), "is for the response phase; write phase: response"},
		{"the source of a body", formatCase(`{raw: "{}", source: user}`, "{spans: []}"), "is allowed only with text"},
		{"the shape of a text", formatCase("{text: y, dialect: openai.chat}", "{spans: []}"), "is allowed only with a body"},
		{"messages of an answer", formatCase("{messages: [{role: user, content: y}], phase: response}", "{spans: []}"), "are for chat requests"},
		{"a body that the gateway refuses", formatCase("{body: {model: m}}", "{spans: []}"), "the request is not one that the gateway accepts: "},
		{"an answer that is none", formatCase("{phase: response, body: []}", "{spans: []}"), "cases[0].given.body: is a list where a mapping is wanted"},
		{"an answer of another shape", formatCase(`{phase: response, raw: "[]"}`, "{spans: []}"), "the answer does not have the shape openai.chat"},
		{"a stream that is none", formatCase(`{phase: response, stream: "data: {"}`, "{labels: []}"), "cases[0].given.stream: an event of the stream does not have the shape openai.chat"},
		{"a stream that is not to be one", formatCase(`{phase: response, stream: "data: [DONE]", streamed: false}`, "{labels: []}"), "is false, but the answer is a stream"},
		{"no way to stream it", formatCase("{phase: response, text: y, source: reasoning, streamed: true}", "{labels: []}"), "cannot turn this answer into a stream"},
		{"a time before", formatCase("{text: y, after: -1s}", "{spans: []}"), "cases[0].given.after"},

		{"nothing expected", formatCase("{text: y}", "{}"), "no expectation; write expect: {verdict: pass}"},
		{"a key of expect", formatCase("{text: y}", "{verdikt: pass}"), "f.yaml:5:12: cases[0].expect.verdikt: unknown key; did you mean verdict"},
		{"a verdict", formatCase("{text: y}", "{verdict: deny}"), "cases[0].expect.verdict"},
		{"a fault", formatCase("{text: y}", "{fault: explosion}"), "cases[0].expect.fault"},
		{"a code of a pass", formatCase("{text: y}", "{verdict: pass, code: z}"), "is for refusals, and the verdict pass is not one"},
		{"an answer to an answer", formatCase("{text: y, phase: response}", "{verdict: answer}"), "only a request can be answered"},
		{"a retry of a request", formatCase("{text: y}", "{verdict: retry}"), "only after an answer"},
		{"a verdict of a fault", formatCase("{text: y}", "{verdict: rewrite, fault: error}"), "a stage that fails gives no verdict"},
		{"edits of a pass", formatCase("{text: y}", "{verdict: pass, edits: [{start: 0, end: 1}]}"), "is allowed only with verdict: rewrite"},
		{"spans of a stream", formatCase(`{phase: response, stream: "data: [DONE]"}`, "{spans: []}"), "a stream does not report offsets"},
		{"spans and labels", formatCase("{text: y}", "{spans: [], labels: []}"), "keep one of the two"},
		{"the body of a text", formatCase("{text: y}", "{body: {}}"), "a plain text has no body"},
		{"a span without a label", formatCase("{text: y}", "{spans: [{start: 0, end: 1}]}"), "f.yaml:5:20: cases[0].expect.spans[0].label: is missing"},
		{"a start alone", formatCase("{text: y}", "{spans: [{label: A, start: 0}]}"), "write both start and end, or neither"},
		{"a span behind the text", formatCase("{text: y}", "{spans: [{label: A, start: 0, end: 2}]}"), "f.yaml:5:41: cases[0].expect.spans[0].end: lies beyond the end of the text, which has 1 bytes; write at most 1"},
		{"a span before it", formatCase("{text: y}", "{spans: [{label: A, start: -1, end: 1}]}"), "an offset must not be negative"},
		{"a span that ends too early", formatCase("{text: yes}", "{spans: [{label: A, start: 2, end: 1}]}"), "ends at 1, before it begins"},
		{"a span within a character", formatCase("{text: é}", "{spans: [{label: A, start: 0, end: 1}]}"), "lies inside a character; count bytes of UTF-8: write 0 or 2"},
		{"a span of another text", formatCase("{text: y}", "{spans: [{label: A, segment: 1, start: 0, end: 1}]}"), "no text 1: the body has 1"},
		{"the text of a span", formatCase("{text: yes no}", "{spans: [{label: A, start: 0, end: 3, text: no}]}"), `the text from 0 to 3 is "yes"; "no" is at 4 to 6`},
		{"a score", formatCase("{text: y}", "{spans: [{label: A, start: 0, end: 1, score: 2}]}"), "a score must be between 0 and 1"},
		{"an edit of two kinds", formatCase("{text: y}", "{edits: [{start: 0, end: 1, with: a, type: B}]}"), "cannot be combined with with"},
		{"an edit behind the text", formatCase("{text: y}", "{edits: [{start: 0, end: 9}]}"), "edits[0].end: lies beyond the end of the text"},
		{"too many texts", formatCase("{text: y}", "{texts: [a, b]}"), "has 2 texts, but the body has 1"},
		{"a status", formatCase("{text: y}", "{status: 4}"), "cases[0].expect.status"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseFile("f.yaml", []byte(c.text), "")
			require.ErrorContains(t, err, c.want)
			assert.Contains(t, err.Error(), "f.yaml")
		})
	}
}

func TestTheKeysOfACasesLinkTakeThePlaceOfTheFiles(t *testing.T) {
	f, err := parseFile("dir/f.cases.yaml", []byte(`link: {wasm: a.wasm, timeout: 2s, limits: {instances: 3}, config: {action: redact}}
cases:
- {name: as in the file, given: {text: y}, expect: {golden: true}}
- {name: its own, link: {timeout: 3s, on_fault: pass}, config: {}, given: {text: y}, expect: {golden: kept.txt}}
`), "")
	require.NoError(t, err)
	require.Len(t, f.Cases, 2)
	a, b := f.Cases[0], f.Cases[1]
	assert.Equal(t, "2s pass 3s", a.Link.Timeout.String()+" "+string(b.Link.OnFault)+" "+b.Link.Timeout.String())
	assert.Equal(t, 3, b.Link.Limits.Instances)
	assert.Equal(t, []string{"action"}, a.Link.Config.Keys())
	assert.Empty(t, b.Link.Config.Keys())
	assert.Equal(t, "dir/f.golden/as-in-the-file", a.steps[0].golden)
	assert.Equal(t, "dir/kept.txt", b.steps[0].golden)

	f, err = parseFile("f.cases.yaml", []byte("link: {stage: x}\ncases: [{name: x, given: {text: y}, expect: {spans: []}}]\n"), "/m.wasm")
	require.NoError(t, err)
	assert.Equal(t, "wasm", f.Cases[0].Link.Kind())
	assert.Equal(t, "/m.wasm", f.Cases[0].Link.Wasm)
}

func FuzzACaseFileIsReadOrRefused(f *testing.F) {
	f.Add([]byte(formatCase("{text: é}", "{spans: [{label: A, start: 0, end: 2}]}")))
	f.Add([]byte(formatCase("{phase: response, text: a b}", "{labels: [], text: c, edits: []}")))
	f.Add([]byte(formatCase("{phase: response, dialect: anthropic.messages, stream: \"data: {}\"}", "{verdict: block}")))
	f.Add([]byte(formatCase("{text}", "")))
	f.Add([]byte("link: &a {stage: x}\ncases: [{name: y, link: *a, steps: [{given: {raw: '{}'}, expect: {body: {}}}]}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := parseFile("f.yaml", text, "")
		if err != nil {
			assert.Nil(t, file)
			assert.Contains(t, err.Error(), "f.yaml")
			return
		}
		for _, c := range file.Cases {
			assert.NotEmpty(t, c.steps)
			for _, s := range c.steps {
				s.listTexts()
			}
		}
	})
}
