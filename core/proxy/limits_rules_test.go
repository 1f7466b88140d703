package proxy_test

import "testing"

// Item 10 of "What the service does".
func TestTheRulesOfTokenLimits(t *testing.T) {
	var rulings []ruling
	for _, sent := range []string{"max_tokens", "max_completion_tokens"} {
		for _, model := range []string{"o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5.4", "gpt-6-astra"} {
			rulings = append(rulings, ruling{
				sentence: "a reasoning model of A is sent max_completion_tokens for " + sent, provider: "openai", model: model,
				body: asksChat(`"` + sent + `":77`), sent: []string{`"max_completion_tokens":77`}, unsent: []string{`"max_tokens"`},
			})
		}
		for _, model := range []string{"gpt-4.1", "gpt-4o", "gpt-3.5-turbo"} {
			rulings = append(rulings, ruling{
				sentence: "every other model is sent max_tokens for " + sent, provider: "openai", model: model,
				body: asksChat(`"` + sent + `":77`), sent: []string{`"max_tokens":77`}, unsent: []string{"max_completion_tokens"},
			})
		}
		rulings = append(rulings,
			ruling{sentence: "a reasoning deployment of B is sent max_completion_tokens for " + sent, provider: "azure-openai", model: "gpt-5-mini", body: asksChat(`"` + sent + `":77`), sent: []string{`"max_completion_tokens":77`}, unsent: []string{`"max_tokens"`}},
			ruling{sentence: "a deployment named otherwise is sent max_tokens for " + sent, provider: "azure-openai", model: "my-own-name", body: asksChat(`"` + sent + `":77`), sent: []string{`"max_tokens":77`}, unsent: []string{"max_completion_tokens"}},
			ruling{sentence: "the one limit has the name of each provider for " + sent, provider: "mistral", body: asksChat(`"` + sent + `":77`), sent: []string{`"max_tokens":77`}, unsent: []string{"max_completion_tokens"}},
			ruling{sentence: "the one limit has the name of each provider for " + sent, provider: "anthropic", body: asksChat(`"` + sent + `":77`), sent: []string{`"max_tokens":77`}},
			ruling{sentence: "the one limit has the name of each provider for " + sent, provider: "gemini", body: asksChat(`"` + sent + `":77`), sent: []string{`"maxOutputTokens":77`}},
			ruling{sentence: "the one limit has the name of each provider for " + sent, provider: "bedrock", body: asksChat(`"` + sent + `":77`), sent: []string{`"maxTokens":77`}},
			ruling{sentence: "the one limit has the name of each provider for " + sent, provider: "ollama", body: asksChat(`"` + sent + `":77`), sent: []string{`"num_predict":77`}},
		)
	}
	for _, p := range []string{"openai", "azure-openai", "anthropic", "gemini", "bedrock", "mistral"} {
		rulings = append(rulings,
			ruling{sentence: "both names with different values are refused", provider: p, body: asksChat(`"max_tokens":1,"max_completion_tokens":2`), refused: "max_completion_tokens"},
			ruling{sentence: "both names with one value are one limit", provider: p, body: asksChat(`"max_tokens":77,"max_completion_tokens":77`), sent: []string{":77"}},
		)
	}
	for p, field := range map[string]string{
		"openai": `"max_completion_tokens":4096`, "azure-openai": `"max_completion_tokens":4096`, "anthropic": `"max_tokens":4096`,
		"gemini": `"maxOutputTokens":4096`, "bedrock": `"maxTokens":4096`, "mistral": `"max_tokens":4096`, "ollama": `"num_predict":4096`,
	} {
		rulings = append(rulings,
			ruling{sentence: "the default cap is the limit of who sets none", provider: p, cap: 4096, body: asksChat(`"temperature":1`), sent: []string{field}},
			ruling{sentence: "the default cap is no limit of who sets one", provider: p, cap: 4096, body: asksChat(`"max_tokens":9999`), sent: []string{":9999"}, unsent: []string{"4096"}},
		)
		if p != "anthropic" { // whose API requires a limit
			rulings = append(rulings, ruling{sentence: "a default cap of 0 is none", provider: p, body: asksChat(`"temperature":1`), sent: []string{`"x"`}, unsent: []string{"max", "num_predict"}})
		}
	}
	rulings = append(rulings,
		ruling{sentence: "the default cap of a reasoning model also counts its reasoning", provider: "openai", cap: 4096, body: asksChat(`"reasoning_effort":"high"`), sent: []string{`"max_completion_tokens":4096`}},
		ruling{sentence: "the default cap fills max_output_tokens", provider: "openai", path: "/v1/responses", cap: 4096, body: asksResponses(`"x":1`), sent: []string{`"max_output_tokens":4096`}},
		ruling{sentence: "the default cap fills the limit of Messages", provider: "openai", path: "/v1/messages", cap: 4096, body: `{"model":"M","messages":[{"role":"user","content":"x"}]}`, sent: []string{`"max_completion_tokens":4096`}},
		ruling{sentence: "the default cap fills the limit of Messages", provider: "anthropic", path: "/v1/messages", cap: 4096, body: `{"model":"M","messages":[{"role":"user","content":"x"}]}`, sent: []string{`"max_tokens":4096`}},
		ruling{sentence: "the default cap fills maxOutputTokens", provider: "gemini", path: "/v1/gen/v1beta/models/M:generateContent", cap: 4096, body: asksGenerate(`"generationConfig":{}`), sent: []string{`"maxOutputTokens":4096`}},
	)
	for i := range rulings {
		if rulings[i].path == "" {
			rulings[i].path = "/v1/chat/completions"
		}
	}
	tryAll(t, rulings)
}
