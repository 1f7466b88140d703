package proxy_test

import "testing"

// Item 10 of "What the service does": token-limit handling.
func TestTheRulesOfTheTokenLimit(t *testing.T) {
	const (
		newer = `"max_completion_tokens":`
		older = `"max_tokens":`
	)
	var rulings []ruling
	try := func(r ruling) {
		if r.path == "" {
			r.path = "/v1/chat/completions"
		}
		rulings = append(rulings, r)
	}
	for _, p := range []string{"openai", "azure-openai"} {
		for _, model := range []string{"o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5.4", "gpt-6-astra"} {
			for _, sent := range []string{newer, older} {
				try(
					ruling{
						sentence: "a reasoning model takes max_completion_tokens: " + model,
						provider: p,
						model:    model,
						body:     asksChat(sent + "50"),
						sent:     []string{newer + "50"},
						unsent:   []string{older},
					},
				)
			}
		}
		for _, model := range []string{"gpt-4o", "gpt-4.1", "gpt-4.1-mini", "gpt-3.5-turbo", "my-own-name"} {
			for _, sent := range []string{newer, older} {
				try(
					ruling{
						sentence: "every other model takes max_tokens: " + model,
						provider: p,
						model:    model,
						body:     asksChat(sent + "50"),
						sent:     []string{older + "50"},
						unsent:   []string{newer},
					},
				)
			}
		}
		try(
			ruling{
				sentence: "the default applies to a reasoning model",
				provider: p,
				model:    "gpt-5-mini",
				cap:      4096,
				body:     asksChat(`"n":1`),
				sent:     []string{newer + "4096"},
				unsent:   []string{older},
			},
		)
	}
	for _, p := range []struct{ provider, limit string }{
		{"mistral", older},
		{"xai", older},
		{"groq", older},
		{"anthropic", older},
		{"gemini", `"maxOutputTokens":`},
		{"bedrock", `"maxTokens":`},
		{"ollama", `"num_predict":`},
	} {
		for _, sent := range []string{newer, older} {
			try(
				ruling{
					sentence: "a limit under either name",
					provider: p.provider,
					body:     asksChat(sent + "50"),
					sent:     []string{p.limit + "50"},
					unsent:   []string{newer},
				},
			)
		}
		try(
			ruling{
				sentence: "both names with one value",
				provider: p.provider,
				body:     asksChat(newer + "50," + older + "50"),
				sent:     []string{p.limit + "50"},
				unsent:   []string{newer},
			},
		)
		try(
			ruling{
				sentence: "the default cap applies if the client sets no limit",
				provider: p.provider,
				cap:      4096,
				body:     asksChat(`"n":1`),
				sent:     []string{p.limit + "4096"},
			},
		)
		try(
			ruling{
				sentence: "the default does not exceed the caller's limit",
				provider: p.provider,
				cap:      100,
				body:     asksChat(older + "500"),
				sent:     []string{p.limit + "500"},
			},
		)
	}
	for _, p := range []string{"openai", "azure-openai", "anthropic", "gemini", "bedrock", "mistral", "ollama"} {
		try(
			ruling{
				sentence: "both names with different values are refused",
				provider: p,
				body:     asksChat(newer + "50," + older + "51"),
				refused:  `"param":"max_tokens"`,
			},
		)
	}
	for _, p := range []struct{ provider, limit string }{{"openai", "max_"}, {"mistral", "max_"}, {"gemini", "maxOutputTokens"}, {"bedrock", "maxTokens"}, {"ollama", "num_predict"}} {
		try(ruling{sentence: "a default of 0 is off", provider: p.provider, body: asksChat(`"n":1`), unsent: []string{p.limit}})
	}
	for p, field := range map[string]string{
		"openai": newer, "azure-openai": newer, "anthropic": older, "gemini": `"maxOutputTokens":`, "bedrock": `"maxTokens":`, "mistral": older, "ollama": `"num_predict":`,
	} {
		try(
			ruling{
				sentence: "the default cap has the name of each provider",
				provider: p,
				cap:      4096,
				body:     asksChat(`"temperature":1`),
				sent:     []string{field + "4096"},
			},
		)
		try(
			ruling{
				sentence: "the default cap does not apply if the client sets a limit",
				provider: p,
				cap:      4096,
				body:     asksChat(older + "9999"),
				sent:     []string{field + "9999"},
				unsent:   []string{"4096"},
			},
		)
	}
	const messages = `{"model":"M","messages":[{"role":"user","content":"x"}]}`
	try(
		ruling{
			sentence: "the default cap of a reasoning model also counts its reasoning",
			provider: "openai",
			cap:      4096,
			body:     asksChat(`"reasoning_effort":"high"`),
			sent:     []string{newer + "4096"},
		},
	)
	try(
		ruling{
			sentence: "the default cap fills max_output_tokens",
			provider: "openai",
			path:     "/v1/responses",
			cap:      4096,
			body:     asksResponses(`"x":1`),
			sent:     []string{`"max_output_tokens":4096`},
		},
	)
	try(
		ruling{
			sentence: "the default cap fills the limit of Messages",
			provider: "openai",
			path:     "/v1/messages",
			cap:      4096,
			body:     messages,
			sent:     []string{newer + "4096"},
		},
	)
	try(
		ruling{
			sentence: "the default cap fills the limit of Messages",
			provider: "anthropic",
			path:     "/v1/messages",
			cap:      4096,
			body:     messages,
			sent:     []string{older + "4096"},
		},
	)
	try(
		ruling{
			sentence: "the default cap fills maxOutputTokens",
			provider: "gemini",
			path:     "/v1/gen/v1beta/models/M:generateContent",
			cap:      4096,
			body:     asksGenerate(`"generationConfig":{}`),
			sent:     []string{`"maxOutputTokens":4096`},
		},
	)
	tryAll(t, rulings)
}
