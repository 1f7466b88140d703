package dsl

import "time"

// Op says how a test looks at its input.
type Op uint8

// Ops.
const (
	OpIn     Op = iota // the value fits one of Globs
	OpNotIn            // it fits none
	OpAny              // an element of the list fits one of Globs
	OpOther            // an element fits none
	OpAll              // each of Globs has an element
	OpRange            // the number lies in Range
	OpIs               // the switch is Is
	OpWindow           // the time lies in Window
)

// Test looks at one input.
type Test struct {
	Attr     Attr
	Key      string // of a header, a metadata entry, a detector's label
	Op       Op
	Globs    []Glob
	Range    Range
	Is       bool
	Window   *Window
	MinScore float32 // of findings, to count
}

// Range is a span of numbers.
type Range struct {
	Lo, Hi         float64
	HasLo, HasHi   bool
	OpenLo, OpenHi bool // the bound itself is outside
}

// Holds reports whether v lies in the range.
func (r *Range) Holds(v float64) bool {
	if r.HasLo && (v < r.Lo || r.OpenLo && v == r.Lo) {
		return false
	}
	return !r.HasHi || v < r.Hi || !r.OpenHi && v == r.Hi
}

// Condition is one line under conditions. It holds when all its tests do.
type Condition struct {
	Name  string // as written
	Tests []Test
}

func (c *Condition) eval(f *Facts) Truth {
	t := True
	for i := range c.Tests {
		if t = and(t, c.Tests[i].eval(f)); t == False {
			break
		}
	}
	return t
}

func (t *Test) eval(f *Facts) Truth {
	if !f.Known.Has(t.Attr) {
		return Unknown
	}
	switch t.Attr {
	case Model:
		return truth(t.model(f))
	case Provider:
		return truth(t.text(providerName(f.Provider)))
	case Region:
		return truth(t.text(f.Region))
	case TenantID:
		return truth(t.text(f.Tenant))
	case TenantMetadata:
		return truth(t.value(f.TenantMetadata[t.Key]))
	case KeyID:
		return truth(t.text(f.Key) || f.KeyName != "" && t.text(f.KeyName) || f.KeyLineage != "" && t.text(f.KeyLineage))
	case KeyScopes:
		return truth(t.list(f.Scopes))
	case KeyTags:
		return truth(t.list(f.KeyTags))
	case KeyMetadata:
		return truth(t.value(f.KeyMetadata[t.Key]))
	case KeyExpiry:
		return truth(!f.KeyExpires.IsZero() && t.Range.Holds(float64(f.KeyExpires.Sub(f.Now)/time.Second)))
	case User:
		return truth(t.text(f.User))
	case Shape:
		return truth(t.text(f.Shape))
	case Streaming:
		return truth(f.Stream == t.Is)
	case HasTools:
		return truth((len(f.Tools) > 0 || len(f.ToolTypes) > 0) == t.Is)
	case HasImages:
		return truth(f.HasImages == t.Is)
	case HasFiles:
		return truth(f.HasFiles == t.Is)
	case Effort:
		return truth(f.Effort != "" && t.text(f.Effort))
	case Temperature:
		return truth(f.HasTemperature && t.Range.Holds(f.Temperature))
	case ToolNames:
		return truth(t.list(f.Tools))
	case ToolTypes:
		return truth(t.list(f.ToolTypes))
	case ToolCount:
		return truth(t.Range.Holds(float64(max(len(f.Tools), len(f.ToolTypes)))))
	case MessageCount:
		return truth(t.Range.Holds(float64(f.Messages)))
	case SystemMissing:
		return truth(f.SystemMissing == t.Is)
	case PromptTokens:
		return truth(t.Range.Holds(float64(f.PromptTokens)))
	case MaxTokens:
		return truth(f.MaxTokens > 0 && t.Range.Holds(float64(f.MaxTokens)))
	case MaxTokensMissing:
		return truth((f.MaxTokens == 0) == t.Is)
	case Cost:
		return truth(f.Priced && t.Range.Holds(f.CostUSD))
	case BudgetPct:
		return truth(f.Budgeted && t.Range.Holds(f.BudgetPct))
	case BudgetExceeded:
		return truth((f.Budgeted && f.BudgetExceeded) == t.Is)
	case Clock:
		if f.Wall > 0 {
			return truth(t.Window.HoldsAt(int(f.Wall) - 1))
		}
		return truth(t.Window.Holds(f.Now))
	case Headers:
		return truth(t.header(f))
	case Metadata:
		v, ok := f.Metadata[t.Key]
		return truth(ok && t.text(v))
	case PIITypes, PIICount, PIIConfidence:
		return truth(t.labels(f.PII))
	case DetectorLabels:
		return truth(t.labels(f.Detectors))
	case DetectorScore:
		return truth(t.Range.Holds(score(f.Detectors, t.Key)))
	case FinishReason:
		return truth(f.Finish != "" && t.text(f.Finish))
	case ResponseTokens:
		return truth(t.Range.Holds(float64(f.OutTokens)))
	case ResponsePII:
		return truth(t.labels(f.Response))
	case SchemaInvalid:
		return truth(f.SchemaKnown && f.BadSchema == t.Is)
	}
	return Unknown
}
