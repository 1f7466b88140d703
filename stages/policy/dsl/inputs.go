package dsl

import (
	"fmt"
	"strings"
	"time"
)

// An input is one value that a test can compare.
type input struct {
	name string // in traces and lists of unknown inputs
	// holds evaluates a test of the input, and show formats it. They are nil for inputs that only CEL expressions read.
	holds func(t *Test, f *Facts) bool
	show  func(t *Test, f *Facts) string
}

// inputs are in the order of the Attrs. A new one is a row here and an Attr.
var inputs = concatInputs(targetInputs, callerInputs, requestInputs, limitInputs, contentInputs, answerInputs)

func concatInputs(groups ...map[Attr]input) (all [attrs]input) {
	for _, g := range groups {
		for a, in := range g {
			all[a] = in
		}
	}
	return all
}

// targetInputs say where a request goes.
var targetInputs = map[Attr]input{
	Model: {
		"model",
		func(t *Test, f *Facts) bool { return t.matchesModel(f) },
		func(_ *Test, f *Facts) string {
			return strings.Join(removeRepeats(append(f.Asked[:], f.Sent[:]...)), " ")
		},
	},
	Provider: {
		"provider",
		func(t *Test, f *Facts) bool { return t.matchesText(normalizeProvider(f.Provider)) },
		func(_ *Test, f *Facts) string { return f.Provider },
	},
	Region: {
		"region",
		func(t *Test, f *Facts) bool { return t.matchesText(f.Region) },
		func(_ *Test, f *Facts) string { return f.Region },
	},
	ContextWindow: {name: "model.context_window"},
}

// callerInputs describe the caller.
var callerInputs = map[Attr]input{
	TenantID: {
		"tenant.id",
		func(t *Test, f *Facts) bool { return t.matchesText(f.Tenant) },
		func(_ *Test, f *Facts) string { return f.Tenant },
	},
	TenantMetadata: {
		"tenant.metadata",
		func(t *Test, f *Facts) bool { return t.matchesValue(f.TenantMetadata[t.Key]) },
		func(t *Test, f *Facts) string { return formatValue(f.TenantMetadata[t.Key]) },
	},
	KeyID: {
		"key.id",
		func(t *Test, f *Facts) bool {
			// Not by name: whoever creates a key chooses its name.
			return t.matchesText(f.Key) || f.KeyLineage != "" && t.matchesText(f.KeyLineage)
		},
		func(_ *Test, f *Facts) string { return f.Key },
	},
	KeyScopes: {
		"key.scopes",
		func(t *Test, f *Facts) bool { return t.matchesList(f.Scopes) },
		func(_ *Test, f *Facts) string { return strings.Join(f.Scopes, " ") },
	},
	KeyTags: {
		"key.tags",
		func(t *Test, f *Facts) bool { return t.matchesList(f.KeyTags) },
		func(_ *Test, f *Facts) string { return strings.Join(f.KeyTags, " ") },
	},
	KeyMetadata: {
		"key.metadata",
		func(t *Test, f *Facts) bool { return t.matchesValue(f.KeyMetadata[t.Key]) },
		func(t *Test, f *Facts) string { return formatValue(f.KeyMetadata[t.Key]) },
	},
	KeyExpiry: {
		"key.expires",
		func(t *Test, f *Facts) bool {
			return !f.KeyExpires.IsZero() && t.Range.Holds(float64(f.KeyExpires.Sub(f.Now)/time.Second))
		},
		func(_ *Test, f *Facts) string {
			if f.KeyExpires.IsZero() {
				return "never"
			}
			return f.KeyExpires.UTC().Format("2006-01-02T15:04:05Z")
		},
	},
	User: {
		"user",
		func(t *Test, f *Facts) bool { return t.matchesText(f.User) },
		func(_ *Test, f *Facts) string { return f.User },
	},
	Headers: {
		"headers",
		func(t *Test, f *Facts) bool { return t.matchesHeader(f) },
		func(t *Test, f *Facts) string {
			if isSecretHeader(t.Key) {
				return ""
			}
			return strings.Join(f.Header[t.Key], " ")
		},
	},
	Clock: {
		"time",
		func(t *Test, f *Facts) bool {
			if f.Wall > 0 {
				return t.Window.HoldsAt(int(f.Wall) - 1)
			}
			return t.Window.Holds(f.Now)
		},
		func(t *Test, f *Facts) string {
			if f.Wall > 0 {
				at := int(f.Wall) - 1
				return fmt.Sprintf("%s %02d:%02d", dayNames[at/dayMinutes], at%dayMinutes/60, at%60)
			}
			return f.Now.In(t.Window.Zone).Format("Mon 15:04 MST")
		},
	},
}
