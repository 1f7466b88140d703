package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// auditTexts says in words what events tell.
type auditTexts struct {
	Names  *names
	People *admin.People
}

// Who is somebody by their name, or by their id where they have none.
func (t auditTexts) Who(id string) string {
	if name := t.People.Of(id); name != "" {
		return name
	}
	return id
}

// Exchange is the id of the exchange that an event is of; "": of none.
func (t auditTexts) Exchange(payload json.RawMessage) string { return read(payload).text("request_id") }

// Say is what an event tells, in one line.
func (t auditTexts) Say(kind string, payload json.RawMessage) string {
	p := read(payload)
	switch kind {
	case audit.GatewayRequest:
		return phrase(p.text("model"), p.text("operation"), part("as ", p.text("shape")), part("with key ", p.text("api_key")))
	case audit.GatewayResponse:
		return phrase(p.text("status"), p.text("outcome"), part("by ", p.text("by")), part("from ", p.text("provider")), p.text("model")) +
			part(", ", tail(p.text("tokens_total"), " tokens")) + part(", ", tail(p.text("latency_ms"), " ms"))
	case audit.PolicyDecision:
		return phrase(p.text("decision"), part("by ", p.rules()))
	case audit.PIIRedacted:
		return phrase(p.text("total"), part("values: ", p.counts("types")))
	case audit.PIIDetokenized:
		return phrase(t.Who(p.text("actor")), part("had ", tail(p.text("restored"), " values restored")), part("for: ", p.text("reason")))
	case audit.BudgetExceeded:
		return phrase(p.text("period"), part("budget ", p.text("budget")), part("for ", p.text("model")))
	case audit.AuthSuccess:
		return phrase(t.Who(p.text("actor")), "signed in by", p.text("via"))
	case audit.AuthFailure:
		return phrase(first(p.text("reason"), "no valid key"), part("of ", t.Who(p.text("actor"))), part("as ", p.text("shape")), part("from ", p.text("address")))
	case audit.LicenseTransition:
		return phrase(p.text("from"), part("to ", p.text("to")), part("for ", p.text("licensee")), part("by ", t.Who(p.text("actor"))))
	case audit.ConfigImported:
		return phrase(t.Who(p.text("actor")), part("has imported ", tail(p.text("changes"), " changes")))
	case audit.ConfigChanged, audit.GuardrailPluginCreated, audit.GuardrailPluginUpdated, audit.GuardrailPluginRotated, audit.GuardrailPluginDeleted:
		return phrase(t.Who(p.text("actor")), part(": ", p.text("action")), p.text("resource"), first(p.text("name"), p.text("id")))
	case audit.PATCreated, audit.PATRevoked:
		return phrase(p.text("name"), p.text("prefix")+"…", part("by ", t.Who(p.text("actor"))))
	case audit.TenantScopeViolation:
		return phrase(t.Who(p.text("actor")), part("named ", p.text("named")), part("for ", p.text("permission")))
	case audit.ChainCheckpoint:
		return phrase("signed through", p.text("seq"))
	case audit.ChainTrimmed:
		return phrase("removed through", p.text("through_seq"))
	}
	return p.few()
}

// explain is what a type of event means, and the fields of one of its payloads in the order of the documentation.
func (t auditTexts) explain(kind string, payload json.RawMessage) (meaning string, out []eventField) {
	p := read(payload)
	types := audit.Types()
	at := slices.IndexFunc(types, func(t audit.Type) bool { return t.Name == kind })
	if at >= 0 {
		meaning = types[at].Meaning
		for _, f := range types[at].Fields {
			if raw, ok := p[f.Name]; ok {
				out = append(out, eventField{f.Name, f.Meaning, p.said(f.Name, raw)})
				delete(p, f.Name)
			}
		}
	}
	for _, name := range p.order() {
		out = append(out, eventField{Name: name, Value: p.said(name, p[name])})
	}
	for i := range out {
		if name := t.People.Of(out[i].Value); name != "" && (out[i].Name == "actor" || out[i].Name == "owner") {
			out[i].Value = name + " (" + out[i].Value + ")"
		}
	}
	return meaning, out
}

// fields are those of a payload.
type fields map[string]json.RawMessage

func read(payload json.RawMessage) fields {
	var f fields
	_ = json.Unmarshal(payload, &f) // one that somebody has meddled with has none
	return f
}

// text is a field that is a text, a number or a truth; "" for anything else.
func (f fields) text(name string) string {
	raw := f[name]
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' {
		return ""
	}
	return f.said(name, raw)
}

func (f fields) said(_ string, raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func (f fields) order() []string {
	names := make([]string, 0, len(f))
	for n := range f {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// counts are an object of numbers in words.
func (f fields) counts(name string) string {
	var n map[string]int64
	_ = json.Unmarshal(f[name], &n)
	var out []string
	for k, v := range n {
		out = append(out, fmt.Sprintf("%d %s", v, k))
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// rules are those of a decision.
func (f fields) rules() string {
	var list []struct{ Rule string }
	_ = json.Unmarshal(f["rules"], &list)
	var out []string
	for _, r := range list {
		if r.Rule != "" && !slices.Contains(out, r.Rule) {
			out = append(out, r.Rule)
		}
	}
	return strings.Join(out, ", ")
}

// few are the first fields of a payload that nobody knows.
func (f fields) few() string {
	var out []string
	for _, n := range f.order() {
		if v := f.text(n); v != "" && len(out) < 4 {
			out = append(out, n+" "+v)
		}
	}
	return strings.Join(out, ", ")
}

// phrase joins what there is of its parts.
func phrase(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == "…" })
	return strings.ReplaceAll(strings.Join(parts, " "), " : ", ": ")
}

// part is a text behind its preposition, and tail one before its unit; "" without a text.
func part(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func tail(text, unit string) string {
	if text == "" {
		return ""
	}
	return text + unit
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
