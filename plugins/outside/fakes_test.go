package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// project matches what the fakes find.
var project = regexp.MustCompile(`PROJECT-[A-Z]{3,20}`)

const secret = "key-that-must-stay-secret"

// fake implements the wire form of one vendor, as documented by the page that the vendor's file names.
type fake struct {
	vendor, path  string
	header        string // that contains the API key
	canTellPlaces bool
	answer        func(body map[string]any) any
}

var fakes = []fake{
	{vendor: "presidio", path: "/analyze", header: "Authorization", canTellPlaces: true, answer: func(in map[string]any) any {
		text, out := in["text"].(string), []any{}
		for _, at := range project.FindAllStringIndex(text, -1) {
			out = append(out, map[string]any{
				"analysis_explanation": nil, "entity_type": "PROJECT_NAME", "score": 0.85,
				"start": utf8.RuneCountInString(text[:at[0]]), "end": utf8.RuneCountInString(text[:at[1]]),
			})
		}
		return out
	}},
	{vendor: "classifier", path: "/predict", header: "Authorization", answer: func(in map[string]any) any {
		bad := 0.02
		if project.MatchString(in["inputs"].(string)) {
			bad = 0.98
		}
		return []any{map[string]any{"score": bad, "label": "INJECTION"}, map[string]any{"score": 1 - bad, "label": "SAFE"}}
	}},
	{vendor: "moderations", path: "/v1/moderations", header: "Authorization", answer: func(in map[string]any) any {
		out := []any{}
		for _, text := range in["input"].([]any) {
			found := project.MatchString(text.(string))
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
	{vendor: "lakera", path: "/v2/guard", header: "Authorization", answer: func(in map[string]any) any {
		found := project.MatchString(in["messages"].([]any)[0].(map[string]any)["content"].(string))
		return map[string]any{"flagged": found, "breakdown": []any{
			map[string]any{"project_id": "p", "policy_id": "q", "detector_id": "d0", "detector_type": "moderated_content/hate", "detected": false, "message_id": 0},
			map[string]any{"project_id": "p", "policy_id": "q", "detector_id": "d1", "detector_type": "prompt_attack", "detected": found, "message_id": 0},
		}, "metadata": map[string]any{"request_uuid": "u"}}
	}},
	{vendor: "azure_prompt_shields", path: "/contentsafety/text:shieldPrompt", header: azureKey, answer: func(in map[string]any) any {
		documents := []any{}
		for _, d := range in["documents"].([]any) {
			documents = append(documents, map[string]any{"attackDetected": project.MatchString(d.(string))})
		}
		return map[string]any{
			"userPromptAnalysis": map[string]any{"attackDetected": project.MatchString(in["userPrompt"].(string))}, "documentsAnalysis": documents,
		}
	}},
	{vendor: "azure_text_analysis", path: "/contentsafety/text:analyze", header: azureKey, answer: func(in map[string]any) any {
		severity := 0
		if project.MatchString(in["text"].(string)) {
			severity = 4
		}
		return map[string]any{"blocklistsMatch": []any{}, "categoriesAnalysis": []any{
			map[string]any{"category": "Hate", "severity": 0}, map[string]any{"category": "SelfHarm", "severity": severity},
		}}
	}},
	{vendor: "bedrock_guardrail", path: "/guardrail/abc/version/1/apply", header: "Authorization", canTellPlaces: true, answer: func(in map[string]any) any {
		text := in["content"].([]any)[0].(map[string]any)["text"].(map[string]any)["text"].(string)
		matches := []any{}
		for _, m := range project.FindAllString(text, -1) {
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
	{vendor: "judge", path: "/v1/chat/completions", header: "Authorization", answer: func(in map[string]any) any {
		messages := in["messages"].([]any)
		verdict := "\n\nsafe"
		if project.MatchString(messages[len(messages)-1].(map[string]any)["content"].(string)) {
			verdict = "\n\nunsafe\nS9,S2"
		}
		return completion(verdict)
	}},
	{vendor: "model_armor", path: "/v1/projects/p/locations/l/templates/t", header: "Authorization", answer: func(in map[string]any) any {
		text := ""
		for _, data := range in {
			text = data.(map[string]any)["text"].(string)
		}
		state := "NO_MATCH_FOUND"
		if project.MatchString(text) {
			state = "MATCH_FOUND"
		}
		return map[string]any{"sanitizationResult": map[string]any{
			"filterMatchState": state, "invocationResult": "SUCCESS", "filterResults": map[string]any{
				"csam":             map[string]any{"csamFilterFilterResult": map[string]any{"executionState": "EXECUTION_SUCCESS", "matchState": "NO_MATCH_FOUND"}},
				"pi_and_jailbreak": map[string]any{"piAndJailbreakFilterResult": map[string]any{"executionState": "EXECUTION_SUCCESS", "matchState": state}},
			},
		}}
	}},
}

// served is a running fake and the calls it received.
type served struct {
	*httptest.Server
	fake
	mu     sync.Mutex
	bodies []map[string]any
	paths  []string
}

// serve starts a fake. It refuses calls without the key, as the vendors do.
func serve(t testing.TB, f fake) *served {
	s := &served{fake: f}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := strings.TrimPrefix(r.Header.Get(f.header), "Bearer "); key != secret {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		b, _ := io.ReadAll(r.Body)
		var in map[string]any
		if r.Method != http.MethodPost || json.Unmarshal(b, &in) != nil {
			http.Error(w, "not JSON", http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.bodies, s.paths = append(s.bodies, in), append(s.paths, r.URL.Path)
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(f.answer(in))
	}))
	t.Cleanup(s.Close)
	return s
}

// completion is the answer of an OpenAI-compatible chat server.
func completion(text string) any {
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "guard", "choices": []any{
			map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"},
		}, "usage": map[string]any{"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
	}
}

// callAt returns options of a link that calls a fake at an address.
func callAt(f fake, url string) Options {
	o := Options{
		Vendor: f.vendor, Link: "the-guard", Secret: secret, AllowPrivate: true, Timeout: 20 * time.Second,
		Settings: Settings{URL: url + f.path, Remember: DefaultRemember},
	}
	if f.vendor == Judge {
		o.Secret, o.Settings.URL, o.Settings.Model, o.Settings.Template = "", "", "guard", "llama_guard"
		o.Chat = chatAt(url + f.path)
	}
	return o
}

// chatAt stands in for the gateway: it sends a chat to a server.
func chatAt(url string) Chat {
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, tenant, link string, body []byte) (int, []byte, error) {
		if link != "the-guard" {
			return http.StatusTeapot, nil, nil
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return 0, nil, err
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("X-Tenant", tenant)
		res, err := c.Do(r)
		if err != nil {
			return 0, nil, err
		}
		defer func() { _ = res.Body.Close() }()
		b, err := io.ReadAll(res.Body)
		return res.StatusCode, b, err
	}
}

// link returns a link that calls the fake.
func (s *served) link(t testing.TB, change ...func(*Options)) *remote.Stage {
	o := callAt(s.fake, s.URL)
	for _, f := range change {
		f(&o)
	}
	st, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close(context.Background())) })
	return st
}

func ask(s *remote.Stage, text string) (core.Verdict, error) {
	return s.Check(context.Background(), stagetest.Text{Text: text}.Exchange(), core.Request, nil)
}
