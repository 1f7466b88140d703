package dsl

import (
	"fmt"
	"strings"
)

// Trace tells how each rule of a set came to its result.
func Trace(s *Set, f *Facts) []Step {
	var out []Step
	step := func(rule, condition, input string, t Truth, err error) {
		x := Step{Rule: rule, Condition: condition, Input: input, Result: t == True, Unknown: t == Unknown && err == nil}
		if err != nil {
			x.Error = err.Error()
		}
		out = append(out, x)
	}
	for i := range s.Rules {
		r := s.Rules[i].Rule
		for j := range r.Conditions {
			step(r.Label, r.Conditions[j].Name, r.Conditions[j].input(f), r.Conditions[j].eval(f), nil)
		}
		for j := range r.Unless {
			step(r.Label, "unless "+r.Unless[j].Name, r.Unless[j].input(f), r.Unless[j].eval(f), nil)
		}
		if r.cel != nil {
			t, err := r.cel.eval(f)
			step(r.Label, "when", "", t, err)
		}
		t, err := r.Eval(f)
		step(r.Label, "", "", t, err)
	}
	return out
}

// input spells what a condition looked at.
func (c *Condition) input(f *Facts) string {
	var parts []string
	for i := range c.Tests {
		t := &c.Tests[i]
		if !f.Known.Has(t.Attr) {
			continue
		}
		v := strings.TrimSpace(t.input(f))
		if t.Key != "" {
			v = t.Key + ": " + v
		}
		if len(parts) == 0 || parts[len(parts)-1] != v {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, ", ")
}

func (t *Test) input(f *Facts) string {
	switch t.Attr {
	case Model:
		return strings.Join(distinct(append(f.Asked[:], f.Sent[:]...)), " ")
	case Provider:
		return f.Provider
	case Region:
		return f.Region
	case TenantID:
		return f.Tenant
	case TenantMetadata:
		return show(f.TenantMetadata[t.Key])
	case KeyID:
		return f.Key
	case KeyScopes:
		return strings.Join(f.Scopes, " ")
	case KeyTags:
		return strings.Join(f.KeyTags, " ")
	case KeyMetadata:
		return show(f.KeyMetadata[t.Key])
	case KeyExpiry:
		if f.KeyExpires.IsZero() {
			return "never"
		}
		return f.KeyExpires.UTC().Format("2006-01-02T15:04:05Z")
	case User:
		return f.User
	case Shape:
		return f.Shape
	case Streaming:
		return show(f.Stream)
	case HasTools:
		return show(len(f.Tools)+len(f.ToolTypes) > 0)
	case HasImages:
		return show(f.HasImages)
	case HasFiles:
		return show(f.HasFiles)
	case Effort:
		return f.Effort
	case Temperature:
		if !f.HasTemperature {
			return ""
		}
		return show(f.Temperature)
	case ToolNames:
		return strings.Join(f.Tools, " ")
	case ToolTypes:
		return strings.Join(f.ToolTypes, " ")
	case ToolCount:
		return show(max(len(f.Tools), len(f.ToolTypes)))
	case MessageCount:
		return show(f.Messages)
	case SystemMissing:
		return show(f.SystemMissing)
	case PromptTokens:
		return show(f.PromptTokens)
	case MaxTokens, MaxTokensMissing:
		return show(f.MaxTokens)
	case Cost:
		return show(f.CostUSD)
	case BudgetPct:
		return show(f.BudgetPct)
	case BudgetExceeded:
		return show(f.BudgetExceeded)
	case Clock:
		if f.Wall > 0 {
			at := int(f.Wall) - 1
			return fmt.Sprintf("%s %02d:%02d", dayNames[at/dayMinutes], at%dayMinutes/60, at%60)
		}
		return f.Now.In(t.Window.Zone).Format("Mon 15:04 MST")
	case Headers:
		if secretHeader(t.Key) {
			return ""
		}
		return strings.Join(f.Header[t.Key], " ")
	case Metadata:
		return f.Metadata[t.Key]
	case PIITypes, PIICount, PIIConfidence:
		return labelNames(f.PII)
	case DetectorLabels:
		return labelNames(f.Detectors)
	case DetectorScore:
		return show(score(f.Detectors, t.Key))
	case FinishReason:
		return f.Finish
	case ResponseTokens:
		return show(f.OutTokens)
	case ResponsePII:
		return labelNames(f.Response)
	case SchemaInvalid:
		return show(f.BadSchema)
	}
	return ""
}

func show(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func labelNames(list []Label) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return strings.Join(names, " ")
}

func distinct(list []string) (out []string) {
	seen := map[string]bool{"": true}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
