package equal

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/stages/guardrail/guardrailtest"
	"github.com/headgate-dev/headgate/wasm"
)

// guardLabels are the detectors that the model stands in for.
var guardLabels = []string{"prompt_injection", "jailbreak"}

// guardSources are the texts that the roles of a guardrail name, in the words of modules.
var guardSources = map[string][]string{
	"user": {"user"}, "tool": {"tool_result", "tool_args"}, "assistant": {"assistant"}, "system": {"system"}, "definition": {"definition"},
}

// buildGuard returns the sample guard-model with the settings of a guardrail.
func buildGuard(t testing.TB, on mount, config string) (chain.Link, error) {
	s := struct {
		Roles     []string
		Detectors []struct {
			Type, Action string
			Threshold    *float64
			Phases       []string
		}
	}{Roles: []string{"user", "tool", "definition"}}
	if err := yaml.Unmarshal([]byte(config), &s); err != nil {
		return chain.Link{}, err
	}
	o := wasm.Settings{Action: "block"}
	for _, role := range s.Roles {
		o.Sources = append(o.Sources, guardSources[role]...)
	}
	if len(s.Detectors) > 0 {
		o.Action, o.Labels = "flag", map[string]string{}
	}
	settings := "{}"
	for _, d := range s.Detectors {
		if !slices.Contains(guardLabels, d.Type) {
			return chain.Link{}, fmt.Errorf("the model has no detector %q", d.Type)
		}
		if d.Threshold != nil {
			settings = fmt.Sprintf("threshold: %v", *d.Threshold)
		}
		if slices.Contains(d.Phases, "request") || d.Phases == nil {
			o.Labels[d.Type] = cmp.Or(d.Action, "block")
		}
	}
	return on(t, "guard-model", settings, wasm.Options{Settings: o})
}

func guardrail() stand {
	const alone = "the sample is one detector, the model"
	s := stand{stage: "guardrail", sample: "guard-model", language: "Go", missing: map[string]string{
		"an injection below the threshold passes":            "at a threshold that nothing reaches, the module fails the samples of its manifest, and is not loaded",
		"a notice takes the place of a poisoned tool result": "a detector flags, redacts or blocks",
	}}
	for _, name := range []string{
		"a flagged finding keeps its label, score and place", "a redacted word is overwritten", "a denied tool is refused",
		"a tool that is not on the list is refused", "allowed tools pass", "too many tools are refused", "as many tools as allowed pass",
		"required metadata is there", "required metadata is empty", "required metadata is missing", "a required header is missing",
		"the system prompt in an answer is refused", "a canary in an answer is refused", "a keyword in an answer is refused",
		"a refusal of the model is found", "an answer that is too long is refused", "an answer that is short enough passes",
		"an answer that is too short is refused", "an answer of too many tokens is refused", "an answer that is no JSON is refused",
		"an answer that fits a schema passes", "an echo of the question is refused", "a picture from elsewhere is refused",
		"a stream is redacted as the whole is", "without hold text is sent at once and is still judged",
	} {
		s.missing[name] = alone
	}
	for i := range guardrailtest.Cases {
		s.cases = append(s.cases, guardrailtest.Cases[i].Name)
	}
	s.run = func(t *testing.T, r *runtime, i int) {
		guardrailtest.Cases[i].Run(t, func(t testing.TB, config string) (chain.Link, error) { return buildGuard(t, r.on, config) })
	}
	return s
}

func TestTheGuardModelRefusesDetectorsThatItLacks(t *testing.T) {
	_, err := buildGuard(t, asModule, "detectors: [{type: keywords, words: [a]}]")
	require.ErrorContains(t, err, "keywords")
}
