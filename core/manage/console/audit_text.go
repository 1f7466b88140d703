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
func (t auditTexts) Exchange(payload json.RawMessage) string {
	return parseFields(payload).readText("request_id")
}

// Say describes an event in one line.
func (t auditTexts) Say(kind string, payload json.RawMessage) string {
	p := parseFields(payload)
	switch kind {
	case audit.GatewayRequest:
		return joinParts(p.readText("model"), p.readText("operation"), addPrefix("as ", p.readText("shape")), addPrefix("with key ",
			p.readText("api_key")))
	case audit.GatewayResponse:
		return joinParts(p.readText("status"), p.readText("outcome"), addPrefix("by ", p.readText("by")), addPrefix("from ",
			p.readText("provider")),
			p.readText("model")) +
			addPrefix(", ", addSuffix(p.readText("tokens_total"), " tokens")) + addPrefix(", ", addSuffix(p.readText("latency_ms"), " ms"))
	case audit.PolicyDecision:
		return joinParts(p.readText("decision"), addPrefix("by ", p.formatRules()))
	case audit.PIIRedacted:
		return joinParts(p.readText("total"), addPrefix("values: ", p.formatCounts("types")))
	case audit.PIIDetokenized:
		return joinParts(t.UserName(p.readText("actor")), addPrefix("had ", addSuffix(p.readText("restored"), " values restored")),
			addPrefix("for: ", p.readText("reason")))
	case audit.BudgetExceeded:
		return joinParts(p.readText("period"), addPrefix("budget ", p.readText("budget")), addPrefix("for ", p.readText("model")))
	case audit.AuthSuccess:
		return joinParts(t.UserName(p.readText("actor")), "signed in by", p.readText("via"))
	case audit.AuthFailure:
		return joinParts(chooseFirstText(p.readText("reason"), "no valid key"),
			addPrefix("of ", t.UserName(p.readText("actor"))), addPrefix("as ", p.readText("shape")),
			addPrefix("from ", p.readText("address")))
	case audit.LicenseTransition:
		return joinParts(p.readText("from"), addPrefix("to ", p.readText("to")), addPrefix("for ", p.readText("licensee")),
			addPrefix("by ", t.UserName(p.readText("actor"))))
	case audit.ConfigImported:
		return joinParts(t.UserName(p.readText("actor")), addPrefix("has imported ", addSuffix(p.readText("changes"), " changes")))
	case audit.ConfigChanged, audit.GuardrailPluginCreated, audit.GuardrailPluginUpdated, audit.GuardrailPluginRotated,
		audit.GuardrailPluginDeleted:
		return joinParts(t.UserName(p.readText("actor")), addPrefix(": ", p.readText("action")), p.readText("resource"),
			chooseFirstText(p.readText("name"), p.readText("id")))
	case audit.PATCreated, audit.PATRevoked:
		return joinParts(p.readText("name"), p.readText("prefix")+"…", addPrefix("by ", t.UserName(p.readText("actor"))))
	case audit.TenantScopeViolation:
		return joinParts(t.UserName(p.readText("actor")), addPrefix("named ", p.readText("named")), addPrefix("for ", p.readText("permission")))
	case audit.ChainCheckpoint:
		return joinParts("signed through", p.readText("seq"))
	case audit.ChainTrimmed:
		return joinParts("removed through", p.readText("through_seq"))
	}
	return p.summarize()
}

// explain returns the meaning of an event type, and the fields of a payload in the order of the documentation.
func (t auditTexts) explain(kind string, payload json.RawMessage) (meaning string, out []eventField) {
	p := parseFields(payload)
	types := audit.ListTypes()
	at := slices.IndexFunc(types, func(t audit.Type) bool { return t.Name == kind })
	if at >= 0 {
		meaning = types[at].Meaning
		for _, f := range types[at].Fields {
			if raw, ok := p[f.Name]; ok {
				out = append(out, eventField{f.Name, replaceWords(f.Meaning), p.formatValue(f.Name, raw)})
				delete(p, f.Name)
			}
		}
	}
	for _, name := range p.sortNames() {
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

func parseFields(payload json.RawMessage) fields {
	var f fields
	_ = json.Unmarshal(payload, &f) // a corrupt payload has no fields
	return f
}

// readText returns a string, number or boolean field as text, or "".
func (f fields) readText(name string) string {
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

func (f fields) sortNames() []string {
	names := make([]string, 0, len(f))
	for n := range f {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// formatCounts returns an object of numbers as text.
func (f fields) formatCounts(name string) string {
	var n map[string]int64
	_ = json.Unmarshal(f[name], &n)
	var out []string
	for k, v := range n {
		out = append(out, fmt.Sprintf("%d %s", v, k))
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// formatRules returns the names of the rules of a decision.
func (f fields) formatRules() string {
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
	for _, n := range f.sortNames() {
		if v := f.readText(n); v != "" && len(out) < 4 {
			out = append(out, n+" "+v)
		}
	}
	return strings.Join(out, ", ")
}

// joinParts joins the parts that are not empty.
func joinParts(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == "…" })
	return strings.ReplaceAll(strings.Join(parts, " "), " : ", ": ")
}

// addPrefix and addSuffix add a preposition or a unit to a text that is not empty.
func addPrefix(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func addSuffix(text, unit string) string {
	if text == "" {
		return ""
	}
	return text + unit
}

func chooseFirstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
