// Package outsidetest has fakes of the vendors' guards for tests: each speaks the wire form of one vendor, as documented by the page
// that the vendor's file in package outside names.
package outsidetest

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Project matches what the fakes find.
var Project = regexp.MustCompile(`PROJECT-[A-Z]{3,20}`)

// Secret is the API key that the fakes want.
const Secret = "key-that-must-stay-secret"

// azureKey is the header of Azure's API keys.
const azureKey = "Ocp-Apim-Subscription-Key"

// Fake implements the wire form of one vendor.
type Fake struct {
	Vendor, Path  string
	Header        string // that contains the API key
	CanTellPlaces bool
	Answer        func(body map[string]any) any
}

// Fakes has one fake for each vendor.
var Fakes = []Fake{
	{Vendor: "presidio", Path: "/analyze", Header: "Authorization", CanTellPlaces: true, Answer: func(in map[string]any) any {
		text, out := in["text"].(string), []any{}
		for _, at := range Project.FindAllStringIndex(text, -1) {
			out = append(out, map[string]any{
				"analysis_explanation": nil, "entity_type": "PROJECT_NAME", "score": 0.85,
				"start": utf8.RuneCountInString(text[:at[0]]), "end": utf8.RuneCountInString(text[:at[1]]),
			})
		}
		return out
	}},
	{Vendor: "classifier", Path: "/predict", Header: "Authorization", Answer: func(in map[string]any) any {
		bad := 0.02
		if Project.MatchString(in["inputs"].(string)) {
			bad = 0.98
		}
		return []any{map[string]any{"score": bad, "label": "INJECTION"}, map[string]any{"score": 1 - bad, "label": "SAFE"}}
	}},
	{Vendor: "moderations", Path: "/v1/moderations", Header: "Authorization", Answer: func(in map[string]any) any {
		out := []any{}
		for _, text := range in["input"].([]any) {
			found := Project.MatchString(text.(string))
			score := 0.001
			if found {
				score = 0.9
			}
			out = append(out, map[string]any{
				"flagged": found, "categories": map[string]any{"hate": false, "illicit/violent": found},
				"category_scores":              map[string]any{"hate": 0.0001, "illicit/violent": score},
				"category_applied_input_types": map[string]any{"hate": []string{"text"}, "illicit/violent": []string{"text"}},
			})
		}
		return map[string]any{"id": "modr-1", "model": "omni-moderation-latest", "results": out}
	}},
	{Vendor: "lakera", Path: "/v2/guard", Header: "Authorization", Answer: func(in map[string]any) any {
		found := Project.MatchString(in["messages"].([]any)[0].(map[string]any)["content"].(string))
		return map[string]any{"flagged": found, "breakdown": []any{
			map[string]any{
				"project_id": "p", "policy_id": "q", "detector_id": "d0",
				"detector_type": "moderated_content/hate", "detected": false, "message_id": 0,
			},
			map[string]any{
				"project_id": "p", "policy_id": "q", "detector_id": "d1",
				"detector_type": "prompt_attack", "detected": found, "message_id": 0,
			},
		}, "metadata": map[string]any{"request_uuid": "u"}}
	}},
	{Vendor: "azure_prompt_shields", Path: "/contentsafety/text:shieldPrompt", Header: azureKey, Answer: func(in map[string]any) any {
		documents := []any{}
		for _, d := range in["documents"].([]any) {
			documents = append(documents, map[string]any{"attackDetected": Project.MatchString(d.(string))})
		}
		return map[string]any{
			"userPromptAnalysis": map[string]any{"attackDetected": Project.MatchString(in["userPrompt"].(string))}, "documentsAnalysis": documents,
		}
	}},
	{Vendor: "azure_text_analysis", Path: "/contentsafety/text:analyze", Header: azureKey, Answer: func(in map[string]any) any {
		severity := 0
		if Project.MatchString(in["text"].(string)) {
			severity = 4
		}
		return map[string]any{"blocklistsMatch": []any{}, "categoriesAnalysis": []any{
			map[string]any{"category": "Hate", "severity": 0}, map[string]any{"category": "SelfHarm", "severity": severity},
		}}
	}},
	{Vendor: "bedrock_guardrail", Path: "/guardrail/abc/version/1/apply", Header: "Authorization", CanTellPlaces: true, Answer: func(in map[string]any) any {
		text := in["content"].([]any)[0].(map[string]any)["text"].(map[string]any)["text"].(string)
		matches := []any{}
		for _, m := range Project.FindAllString(text, -1) {
			matches = append(matches, map[string]any{"name": "project", "match": m, "regex": "PROJECT-[A-Z]+", "action": "ANONYMIZED"})
		}
		if len(matches) == 0 {
			return map[string]any{"action": "NONE", "outputs": []any{}, "assessments": []any{map[string]any{}}}
		}
		return map[string]any{
			"action": "GUARDRAIL_INTERVENED", "outputs": []any{map[string]any{"text": "{project}"}},
			"assessments": []any{map[string]any{"sensitiveInformationPolicy": map[string]any{"piiEntities": []any{}, "regexes": matches}}},
		}
	}},
	{Vendor: "judge", Path: "/v1/chat/completions", Header: "Authorization", Answer: func(in map[string]any) any {
		messages := in["messages"].([]any)
		verdict := "\n\nsafe"
		if Project.MatchString(messages[len(messages)-1].(map[string]any)["content"].(string)) {
			verdict = "\n\nunsafe\nS9,S2"
		}
		return NewCompletion(verdict)
	}},
	{Vendor: "model_armor", Path: "/v1/projects/p/locations/l/templates/t", Header: "Authorization", Answer: func(in map[string]any) any {
		text := ""
		for _, data := range in {
			text = data.(map[string]any)["text"].(string)
		}
		state := "NO_MATCH_FOUND"
		if Project.MatchString(text) {
			state = "MATCH_FOUND"
		}
		return map[string]any{"sanitizationResult": map[string]any{
			"filterMatchState": state, "invocationResult": "SUCCESS", "filterResults": map[string]any{
				"csam": map[string]any{
					"csamFilterFilterResult": map[string]any{"executionState": "EXECUTION_SUCCESS", "matchState": "NO_MATCH_FOUND"},
				},
				"pi_and_jailbreak": map[string]any{
					"piAndJailbreakFilterResult": map[string]any{"executionState": "EXECUTION_SUCCESS", "matchState": state},
				},
			},
		}}
	}},
}

// NewCompletion returns the answer of an OpenAI-compatible chat server.
func NewCompletion(text string) any {
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "guard", "choices": []any{
			map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"},
		}, "usage": map[string]any{"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
	}
}

// NewHandler serves a fake. It refuses calls without the key, as the vendors do. seen is given the body and the path of each other
// call; optional.
func (f *Fake) NewHandler(seen func(body map[string]any, path string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := strings.TrimPrefix(r.Header.Get(f.Header), "Bearer "); key != Secret {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		b, _ := io.ReadAll(r.Body)
		var in map[string]any
		if r.Method != http.MethodPost || json.Unmarshal(b, &in) != nil {
			http.Error(w, "not JSON", http.StatusBadRequest)
			return
		}
		if seen != nil {
			seen(in, r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(f.Answer(in))
	})
}
