// Package guardrail is the stage of the built-in detectors: prompt injection,
// jailbreaks, secrets, keywords and the rest. Each gives labels with a score from
// 0 to 1; a detector's threshold and action say what follows. All of them are
// heuristics over the text: docs/guardrails.md says what each cannot find.
//
// The lists, rules and weights are data files under data/, each with a version.
package guardrail
