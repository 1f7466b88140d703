package main_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

// fences returns the code blocks of a page, in order.
func fences(page string) (out []string) {
	for i, part := range strings.Split(page, "```") {
		if i%2 == 1 {
			_, text, _ := strings.Cut(part, "\n")
			out = append(out, text)
		}
	}
	return out
}

var measured = regexp.MustCompile(`[0-9.]+(ns|µs|ms)|fuel [0-9]+`)

// withoutFigures removes times and fuel, which differ between machines.
func withoutFigures(text string) string { return measured.ReplaceAllString(text, "…") }

func TestTheCasesOfTheDocumentationGiveTheOutputThatItShows(t *testing.T) {
	t.Parallel()
	blocks := fences(string(fromRoot(t, "docs/plugin-testing.md")))
	require.GreaterOrEqual(t, len(blocks), 3)
	s := newSite(t)
	s.copy("employee-id.wasm", sample(t))
	s.copy("employee-id.cases.yaml", []byte(blocks[0]))
	f := s.run("plugin", "test", "-v")
	assert.Zero(t, f.code, f.err)
	assert.Equal(t, withoutFigures(blocks[1]), withoutFigures(f.out))

	wrong := strings.NewReplacer("end: 14", "end: 13", `text: "ask <EMPLOYEE_ID>"`, `text: "ask <NUMBER>"`).Replace(blocks[0])
	s.copy("employee-id.cases.yaml", []byte(wrong))
	f = s.run("plugin", "test")
	assert.Equal(t, 1, f.code)
	assert.Empty(t, f.err)
	assert.Equal(t, blocks[2], f.out)
}

func TestTheSampleInCPassesItsCases(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("employee-id.wasm", sample(t))
	s.copy("employee-id.cases.yaml", fromRoot(t, "sdk/samples/employee-id/employee-id.cases.yaml"))
	f := s.run("plugin", "test", "employee-id.wasm", "--require-coverage", "--junit", "report.xml", "--json")
	require.Zero(t, f.code, f.out+f.err)
	var r struct {
		Passed, Failed    int
		Labels, Uncovered []string
		Cases             []struct {
			Name   string
			Line   int
			Passed bool
			Ways   int
			Time   float64 `json:"time_us"`
			Fuel   *int64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(f.out), &r))
	assert.Equal(t, 7, r.Passed)
	assert.Zero(t, r.Failed)
	assert.Equal(t, []string{"employee_id"}, r.Labels)
	assert.Empty(t, r.Uncovered)
	require.Len(t, r.Cases, 7)
	assert.Greater(t, r.Cases[1].Ways, 50)
	assert.Positive(t, r.Cases[1].Time)
	require.NotNil(t, r.Cases[1].Fuel)
	assert.Positive(t, *r.Cases[1].Fuel)

	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suite    []struct {
			Name string `xml:"name,attr"`
			Case []struct {
				Name string `xml:"name,attr"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	text, err := os.ReadFile(s.path("report.xml"))
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(text, &suites))
	assert.Equal(t, 7, suites.Tests)
	assert.Zero(t, suites.Failures)
	require.Len(t, suites.Suite, 1)
	assert.Equal(t, "employee-id.cases.yaml", suites.Suite[0].Name)
	assert.Len(t, suites.Suite[0].Case, 7)
}

// failing are two cases, the second of which fails.
const failing = `link: {wasm: employee-id.wasm}
cases:
- name: nothing is there
  given: {text: "EMP-12345"}
  expect: {spans: []}
- name: a number is <wrong>
  given: {text: "EMP-123456"}
  expect: {spans: []}
`

func TestThePluginTestVerbSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("employee-id.wasm", sample(t))
	s.copy("bad.wasm", []byte("no module"))
	s.copy("x.cases.yaml", []byte(failing))
	require.NoError(t, os.Mkdir(s.path("empty"), 0o755))

	f := s.run("plugin", "test", "--junit", "report.xml")
	assert.Equal(t, 1, f.code)
	assert.Empty(t, f.err, "everything was reported")
	assert.Contains(t, f.out, "FAILED a number is <wrong> (line 6)")
	assert.Contains(t, f.out, `+ employee_id 0..10 "EMP-123456"`)
	assert.Contains(t, f.out, "1 passed, 1 failed; 0 of 1 labels expected\nno case expects: employee_id\n")
	text, err := os.ReadFile(s.path("report.xml"))
	require.NoError(t, err)
	assert.Contains(t, string(text), `failures="1"`)
	assert.Contains(t, string(text), "a number is &lt;wrong&gt;")

	f = s.run("plugin", "test", "--run", "^nothing", "--require-coverage")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.out, "1 passed, 0 failed")
	assert.Contains(t, f.err, `no case expects ["employee_id"]`)

	webhook := strings.Replace(failing, "{wasm: employee-id.wasm}", "{webhook: https://guard.example.com/x, secret: 0123456789abcdef}", 1)
	s.copy("elsewhere.yaml", []byte(webhook))
	s.copy("stage.yaml", []byte(strings.Replace(failing, "{wasm: employee-id.wasm}", "{stage: pij}", 1)))
	s.copy("label.yaml", []byte(strings.Replace(failing, "{spans: []}", "{labels: [employe_id]}", 1)))
	s.copy("phase.yaml", []byte(strings.Replace(failing, `{text: "EMP-12345"}`, `{text: x, phase: target}`, 1)))
	for want, args := range map[string][]string{
		"no case has a name that matches zzz":  {"--run", "zzz"},
		"--run: error parsing regexp":          {"--run", "("},
		"there is no case file in this folder": {"empty"},
		"nothing: no such file":                {"nothing"},
		"employee-id.wasm has no cases":        {"employee-id.wasm"},
		`plugin "bad.wasm"`:                    {"x.cases.yaml", "--module", "bad.wasm"},
		`plugin "none.wasm": the file is missing; build it first, with headgate plugin build`: {"x.cases.yaml", "--module", "none.wasm"},
		"a test calls this machine only":                                                   {"elsewhere.yaml"},
		`stage.yaml:3:3: the stage cannot be created: unknown stage "pij"`:                 {"stage.yaml"},
		`label.yaml:5:12: cases[0].expect.labels: the stage cannot find "employe_id"`:      {"label.yaml"},
		"phase.yaml:4:20: cases[0].given.phase: the link does not run in the phase target": {"phase.yaml"},
	} {
		f := s.run(append([]string{"plugin", "test"}, args...)...)
		assert.Equal(t, 1, f.code, want)
		assert.Contains(t, f.err, want)
	}
}

func TestGoldenFilesAreWrittenAndCompared(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("employee-id.wasm", sample(t))
	golden := "link: {wasm: employee-id.wasm, config: {action: redact}}\ncases:\n- name: A body, kept.\n" +
		"  given: {messages: [{role: user, content: EMP-123456}]}\n  expect: {golden: true}\n"
	s.copy("x.cases.yaml", []byte(golden))
	f := s.run("plugin", "test")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.out, "is missing: run with --update")
	f = s.run("plugin", "test", "--update")
	assert.Zero(t, f.code, f.out+f.err)
	assert.Contains(t, f.out, "written: x.golden/a-body-kept")
	text, err := os.ReadFile(s.path("x.golden/a-body-kept"))
	require.NoError(t, err)
	assert.Equal(t, `{"model":"test-model","messages":[{"role":"user","content":"<EMPLOYEE_ID>"}]}`, string(text))
	assert.Zero(t, s.run("plugin", "test").code)
	require.NoError(t, os.WriteFile(s.path("x.golden/a-body-kept"), []byte("{}"), 0o600))
	f = s.run("plugin", "test")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.out, "- {}")
	assert.Contains(t, f.out, `+ {"model"`)
}

func TestCasesRunOnAWebhookOfThisMachine(t *testing.T) {
	t.Parallel()
	verifier := &webhook.Verifier{Secrets: []string{"0123456789abcdef"}}
	receiver := httptest.NewServer(webhook.Handler(verifier, func(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
		v := &webhook.Verdict{Action: webhook.Pass}
		for i, s := range r.Segments {
			if at := strings.Index(s.Text, "APOLLO"); at >= 0 {
				v.Action = webhook.Redact
				v.Findings = append(v.Findings, webhook.Finding{Segment: i, Start: at, End: at + 6, Label: "project"})
			}
			if strings.Contains(s.Text, "BREAK") {
				return nil, errors.New("the receiver breaks")
			}
		}
		return v, nil
	}))
	defer receiver.Close()
	cases := `link: {webhook: ` + receiver.URL + `, secret: 0123456789abcdef}
cases:
- name: a project is replaced
  given: {text: "ask APOLLO"}
  expect: {verdict: rewrite, spans: [{label: project, start: 4, end: 10}], text: "ask <PROJECT>"}
- name: in an answer, however it is streamed
  given: {phase: response, text: "it is APOLLO."}
  expect: {labels: [project], text: "it is <PROJECT>."}
- name: a receiver that fails refuses
  given: {text: BREAK}
  expect: {fault: error, verdict: block, status: 503}
- name: or is passed over
  link: {fail_mode: OPEN}
  given: {text: BREAK}
  expect: {fault: error, verdict: pass, text: BREAK}
`
	s := newSite(t)
	s.copy("guard.cases.yaml", []byte(cases))
	f := s.run("plugin", "test", "guard.cases.yaml")
	assert.Zero(t, f.code, f.out+f.err)
	assert.Contains(t, f.out, "4 passed, 0 failed")
}
