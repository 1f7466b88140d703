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

// auditTexts describes audit events in words.
type auditTexts struct {
	Names  *names
	People *admin.People
}

// UserName returns the name of a user, or the id of an unknown user.
func (t auditTexts) UserName(id string) string {
	if name := t.People.NameOf(id); name != "" {
		return name
	}
	return id
}

// Exchange returns the id of the exchange of an event, or "".
func (t auditTexts) Exchange(payload json.RawMessage) string { return read(payload).text("request_id") }

// Say describes an event in one line.
func (t auditTexts) Say(kind string, payload json.RawMessage) string {
	p := read(payload)
	switch kind {
	case audit.GatewayRequest:
		return phrase(p.text("model"), p.text("operation"), withPrefix("as ", p.text("shape")), withPrefix("with key ", p.text("api_key")))
	case audit.GatewayResponse:
		return phrase(p.text("status"), p.text("outcome"), withPrefix("by ", p.text("by")), withPrefix("from ", p.text("provider")),
			p.text("model")) +
			withPrefix(", ", withSuffix(p.text("tokens_total"), " tokens")) + withPrefix(", ", withSuffix(p.text("latency_ms"), " ms"))
	case audit.PolicyDecision:
		return phrase(p.text("decision"), withPrefix("by ", p.rules()))
	case audit.PIIRedacted:
		return phrase(p.text("total"), withPrefix("values: ", p.counts("types")))
	case audit.PIIDetokenized:
		return phrase(t.UserName(p.text("actor")), withPrefix("had ", withSuffix(p.text("restored"), " values restored")),
			withPrefix("for: ", p.text("reason")))
	case audit.BudgetExceeded:
		return phrase(p.text("period"), withPrefix("budget ", p.text("budget")), withPrefix("for ", p.text("model")))
	case audit.AuthSuccess:
		return phrase(t.UserName(p.text("actor")), "signed in by", p.text("via"))
	case audit.AuthFailure:
		return phrase(firstText(p.text("reason"), "no valid key"),
			withPrefix("of ", t.UserName(p.text("actor"))), withPrefix("as ", p.text("shape")),
			withPrefix("from ", p.text("address")))
	case audit.LicenseTransition:
		return phrase(p.text("from"), withPrefix("to ", p.text("to")), withPrefix("for ", p.text("licensee")),
			withPrefix("by ", t.UserName(p.text("actor"))))
	case audit.ConfigImported:
		return phrase(t.UserName(p.text("actor")), withPrefix("has imported ", withSuffix(p.text("changes"), " changes")))
	case audit.ConfigChanged, audit.GuardrailPluginCreated, audit.GuardrailPluginUpdated, audit.GuardrailPluginRotated,
		audit.GuardrailPluginDeleted:
		return phrase(t.UserName(p.text("actor")), withPrefix(": ", p.text("action")), p.text("resource"),
			firstText(p.text("name"), p.text("id")))
	case audit.PATCreated, audit.PATRevoked:
		return phrase(p.text("name"), p.text("prefix")+"…", withPrefix("by ", t.UserName(p.text("actor"))))
	case audit.TenantScopeViolation:
		return phrase(t.UserName(p.text("actor")), withPrefix("named ", p.text("named")), withPrefix("for ", p.text("permission")))
	case audit.ChainCheckpoint:
		return phrase("signed through", p.text("seq"))
	case audit.ChainTrimmed:
		return phrase("removed through", p.text("through_seq"))
	}
	return p.summarize()
}

// explain returns the meaning of an event type, and the fields of a payload in the order of the documentation.
func (t auditTexts) explain(kind string, payload json.RawMessage) (meaning string, out []eventField) {
	p := read(payload)
	types := audit.Types()
	at := slices.IndexFunc(types, func(t audit.Type) bool { return t.Name == kind })
	if at >= 0 {
		meaning = types[at].Meaning
		for _, f := range types[at].Fields {
			if raw, ok := p[f.Name]; ok {
				out = append(out, eventField{f.Name, consoleWords(f.Meaning), p.formatValue(f.Name, raw)})
				delete(p, f.Name)
			}
		}
	}
	for _, name := range p.sortedNames() {
		out = append(out, eventField{Name: name, Value: p.formatValue(name, p[name])})
	}
	for i := range out {
		if name := t.People.NameOf(out[i].Value); name != "" && (out[i].Name == "actor" || out[i].Name == "owner") {
			out[i].Value = name + " (" + out[i].Value + ")"
		}
	}
	return meaning, out
}

// fields are the fields of a payload.
type fields map[string]json.RawMessage

func read(payload json.RawMessage) fields {
	var f fields
	_ = json.Unmarshal(payload, &f) // a corrupt payload has no fields
	return f
}

// text returns a string, number or boolean field as text, or "".
func (f fields) text(name string) string {
	raw := f[name]
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' {
		return ""
	}
	return f.formatValue(name, raw)
}

func (f fields) formatValue(_ string, raw json.RawMessage) string {
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

func (f fields) sortedNames() []string {
	names := make([]string, 0, len(f))
	for n := range f {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// counts returns an object of numbers as text.
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

// rules returns the names of the rules of a decision.
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

// summarize returns the first fields of a payload of unknown type.
func (f fields) summarize() string {
	var out []string
	for _, n := range f.sortedNames() {
		if v := f.text(n); v != "" && len(out) < 4 {
			out = append(out, n+" "+v)
		}
	}
	return strings.Join(out, ", ")
}

// phrase joins the parts that are not empty.
func phrase(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == "…" })
	return strings.ReplaceAll(strings.Join(parts, " "), " : ", ": ")
}

// withPrefix and withSuffix add a preposition or a unit to a text that is not empty.
func withPrefix(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func withSuffix(text, unit string) string {
	if text == "" {
		return ""
	}
	return text + unit
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
