package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// compare returns the differences between the outcome of a step and the expectation.
func (s *step) compare(o *outcome) (faults []string) {
	e := &s.expect
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	differ := func(what string, want, got any) {
		if want != got {
			add("%s: want %v, got %v", what, want, got)
		}
	}
	switch {
	case e.Fault == "" && o.fault != "":
		add("the stage failed: %s%s", o.fault, formatCause(o.cause))
	case e.Fault != "" && o.fault == "":
		add("fault: want %s, got none: the verdict is %s", e.Fault, o.verdict)
	default:
		differ("fault", e.Fault, o.fault)
	}
	if e.Verdict != "" && e.Verdict != o.verdict && !(e.Fault == "" && o.fault != "") {
		add("verdict: want %s, got %s", e.Verdict, describeVerdict(o))
	}
	if s.expectAt.Has("code") || s.expectAt.Has("status") || s.expectAt.Has("message") {
		s.compareRefusal(o, add)
	}
	if s.labelsWritten {
		want := slices.Sorted(slices.Values(e.Labels))
		if !slices.Equal(want, o.labels) {
			add("labels: want [%s], got [%s]", strings.Join(want, ", "), strings.Join(o.labels, ", "))
		}
	}
	if s.spansWritten {
		if d := s.compareSpans(o); d != "" {
			add("spans:\n%s", d)
		}
	}
	if s.editsWritten {
		if d := s.compareEdits(o); d != "" {
			add("edits:\n%s", d)
		}
	}
	s.compareTexts(o, add)
	if s.expectAt.Has("headers") {
		if d := compareFields(e.Headers, o.header); d != "" {
			add("headers:\n%s", d)
		}
	}
	if e.Model != nil {
		differ("model", *e.Model, o.model)
	}
	if e.MaxTokens != nil {
		differ("max_tokens", *e.MaxTokens, o.maxTokens)
	}
	if e.Reply != nil && *e.Reply != string(o.reply) {
		add("reply:\n%s", diffTexts(*e.Reply, string(o.reply)))
	}
	if s.expectAt.Has("retry") {
		if want, got := s.formatMessages(), formatMessages(o.retry); want != got {
			add("retry:\n%s", diffLines(want, got))
		}
	}
	return faults
}

// compareTexts compares the texts and the body that come out of a step.
func (s *step) compareTexts(o *outcome, add func(string, ...any)) {
	e := &s.expect
	if e.Text != nil && *e.Text != o.joinText() {
		add("text:\n%s", diffTexts(*e.Text, o.joinText()))
	}
	if s.expectAt.Has("texts") {
		for i, want := range e.Texts {
			if i >= len(o.texts) {
				add("texts[%d]: want %q, got none", i, want)
			} else if want != o.texts[i] {
				add("texts[%d]:\n%s", i, diffTexts(want, o.texts[i]))
			}
		}
	}
	if s.expectAt.Has("body") {
		want, _ := e.Body.JSON() // it was read before
		if a, b := indentJSON(want), indentJSON(o.raw); a != b {
			add("body:\n%s", diffLines(a, b))
		}
	}
	if e.Raw != nil && *e.Raw != string(o.raw) {
		add("raw:\n%s", diffTexts(*e.Raw, string(o.raw)))
	}
}

func formatCause(cause string) string {
	if cause == "" {
		return ""
	}
	return ": " + cause
}

// describeVerdict returns the verdict, with the code of a refusal.
func describeVerdict(o *outcome) string {
	if o.verdict == "block" && o.err != nil {
		return fmt.Sprintf("%s (%s)", o.verdict, o.err.Code)
	}
	return string(o.verdict)
}

func (s *step) compareRefusal(o *outcome, add func(string, ...any)) {
	e := &s.expect
	if o.err == nil {
		add("it is not refused, so there is no code, status or message")
		return
	}
	if e.Code != "" && e.Code != o.err.Code {
		add("code: want %s, got %s", e.Code, o.err.Code)
	}
	if e.Status != 0 && e.Status != o.err.HTTPStatus() {
		add("status: want %d, got %d", e.Status, o.err.HTTPStatus())
	}
	if !strings.Contains(o.err.Public, e.Message) {
		add("message: want words %q, got %q", e.Message, o.err.Public)
	}
}

// indentJSON writes JSON with its keys sorted, one value on a line; anything but JSON stays unchanged.
func indentJSON(raw []byte) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(raw)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return string(raw)
	}
	return b.String()
}
