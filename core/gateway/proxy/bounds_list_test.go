package proxy_test

import "strings"

// bounded is a client shape on one provider, for the stages that enforce limits.
type bounded struct {
	speaks
	shape string
	cap   string // the field that carries a cap to the provider; "": nothing is generated
	count bool   // the request counts tokens, which uses no quota
}

// writes reports whether the provider generates an answer, whose format and finish reason can be checked.
func (b *bounded) writes() bool { return b.cap != "" }

func (b *bounded) manners() []manner {
	if b.writes() {
		return []manner{wholly, streamed}
	}
	return []manner{wholly}
}

// bounds returns the rows of the table: each shape on its own provider, and on one of another shape.
func bounds() []bounded {
	says := map[string]*speaks{}
	for i := range speakers {
		says[speakers[i].name] = &speakers[i]
	}
	of := func(name, shape, limit string) bounded { return bounded{speaks: *says[name], shape: shape, cap: limit} }
	other := func(name, shape, provider string, answer func(string, bool) string, limit string) bounded {
		b := of(name, shape, limit)
		b.provider, b.answer = provider, answer
		return b
	}
	counts := func(shape, path, provider, body, answer string) bounded {
		return bounded{count: shape != "embeddings" && shape != "embedContent" && shape != "batchEmbedContents" && path != compactPath, shape: shape, speaks: speaks{
			path: path, provider: provider, body: body,
			answer: func(string, bool) string { return buildWhole(200, "application/json", answer) },
		}}
	}
	const chatCap, claudes, geminis, responses = `"max_tokens":N`, `"max_tokens":N`, `"maxOutputTokens":N`, `"max_output_tokens":N`
	list := []bounded{
		of("chat", "chat", chatCap),
		of("chat for anthropic", "chat", claudes),
		of("messages", "messages", claudes),
		of("messages for openai", "messages", chatCap),
		of("responses with a list", "responses", responses),
		other("responses with a text", "responses", "gemini", generateSays, geminis),
		of("generateContent", "generateContent", geminis),
		other("generateContent", "generateContent", "anthropic", messagesSay, claudes),
		of("legacy completions", "completions", chatCap),
		other("legacy completions", "completions", "anthropic", messagesSay, claudes),
		of("chat", "ide-chat", chatCap),
		of("the editor's agent", "ide-responses", chatCap),
		counts("embeddings", "/v1/embeddings", "openai", `{"model":"text-embedding-own","input":"hi"}`,
			`{"object":"list","model":"m","data":[{"object":"embedding","index":0,"embedding":[1]}],"usage":{"prompt_tokens":1,"total_tokens":1}}`),
		counts("responses compact", compactPath, "openai", `{"model":"gpt-test","input":"hi"}`, buildCompacted("hi", "")),
		counts("embedContent", embedPath, "gemini", `{"content":{"parts":[{"text":"hi"}]}}`, `{"embedding":{"values":[1]}}`),
		counts("batchEmbedContents", batchPath, "gemini", `{"requests":[{"content":{"parts":[{"text":"hi"}]}}]}`, `{"embeddings":[{"values":[1]}]}`),
		counts("count_tokens", countPath, "anthropic", `{"model":"gpt-test","messages":[{"role":"user","content":"hi"}]}`, `{"input_tokens":77}`),
		counts("count_tokens", countPath, "openai", `{"model":"gpt-test","messages":[{"role":"user","content":"hi"}]}`, ""),
		counts("countTokens", tokensPath, "gemini", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, `{"totalTokens":77}`),
		counts("countTokens", tokensPath, "openai", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, ""),
	}
	for i := range list {
		if b := &list[i]; b.shape == "ide-chat" {
			b.path = strings.Replace(b.path, "/v1/", "/v1/ide/", 1)
		}
	}
	return list
}
