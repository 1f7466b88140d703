package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/llm"
)

// appendTools appends the functions and the tool choice.
func (w *writer) appendTools() {
	if len(w.r.Tools) == 0 {
		return
	}
	w.appendKey("tools")
	w.dst = append(w.dst, `[{"functionDeclarations":[`...)
	for i := range w.r.Tools {
		t := &w.r.Tools[i]
		w.dst = append(appendComma(w.dst), '{')
		w.appendKey("name")
		w.appendString(t.Name)
		if t.Description != "" {
			w.appendKey("description")
			w.appendString(t.Description)
		}
		if t.Schema != nil {
			w.appendKey("parametersJsonSchema")
			w.dst = append(w.dst, t.Schema...)
		}
		if t.Strict != nil && *t.Strict {
			w.r.RecordDropped("tools.function.strict")
		}
		w.dst = append(w.dst, '}')
	}
	w.dst = append(w.dst, "]}]"...)
	mode := [...]string{llm.ChooseAuto: "AUTO", llm.ChooseNone: "NONE", llm.ChooseRequired: "ANY", llm.ChooseNamed: "ANY"}[w.r.Choice.Mode]
	if mode == "" {
		return
	}
	w.appendKey("toolConfig")
	w.dst = append(w.dst, `{"functionCallingConfig":{`...)
	w.appendKey("mode")
	w.appendString(mode)
	if w.r.Choice.Mode == llm.ChooseNamed {
		w.appendList("allowedFunctionNames", w.r.Choice.Names)
	}
	w.dst = append(w.dst, "}}"...)
}

func (w *writer) appendList(name string, values []string) {
	w.appendKey(name)
	w.dst = append(w.dst, '[')
	for _, v := range values {
		w.dst = appendComma(w.dst)
		w.appendString(v)
	}
	w.dst = append(w.dst, ']')
}

// appendConfig appends generationConfig unless it is empty.
func (w *writer) appendConfig() {
	from := len(w.dst)
	w.appendKey("generationConfig")
	w.dst = append(w.dst, '{')
	empty := len(w.dst)
	if limit := w.t.ChooseTokenLimit(w.r.MaxTokens); limit > 0 {
		w.appendNumber("maxOutputTokens", llm.Number(strconv.FormatInt(limit, 10)))
	}
	w.appendNumber("temperature", w.r.Temperature)
	w.appendNumberIf("top_p", "topP", w.r.TopP, !w.t.OneSampling || w.r.Temperature == "")
	w.appendNumber("topK", w.r.TopK)
	w.appendNumberIf("frequency_penalty", "frequencyPenalty", w.r.FrequencyPenalty, w.t.Penalties)
	w.appendNumberIf("presence_penalty", "presencePenalty", w.r.PresencePenalty, w.t.Penalties)
	w.appendNumberIf("seed", "seed", w.r.Seed, w.t.Seed)
	if w.r.Count > 1 {
		w.appendNumber("candidateCount", llm.Number(strconv.Itoa(w.r.Count)))
	}
	if len(w.r.Stop) > 0 {
		w.appendList("stopSequences", w.r.Stop)
	}
	w.appendLogprobs()
	w.appendFormat()
	w.appendEffort()
	if len(w.dst) == empty {
		w.dst = w.dst[:from]
		return
	}
	w.dst = append(w.dst, '}')
}

func (w *writer) appendNumber(name string, n llm.Number) {
	if n != "" {
		w.appendKey(name)
		w.dst = append(w.dst, n...)
	}
}

// appendNumberIf appends a number if the model accepts it, and else drops it.
func (w *writer) appendNumberIf(field, name string, n llm.Number, takes bool) {
	if n != "" && !takes {
		w.r.RecordDropped(field)
		return
	}
	w.appendNumber(name, n)
}

func (w *writer) appendLogprobs() {
	if !w.r.Logprobs {
		return
	}
	if !w.t.Logprobs {
		w.r.RecordDropped("logprobs")
		return
	}
	w.appendKey("responseLogprobs")
	w.dst = append(w.dst, "true"...)
	w.appendNumber("logprobs", w.r.TopLogprobs)
}

func (w *writer) appendFormat() {
	f := w.r.Format
	if f == nil {
		return
	}
	w.appendKey("responseMimeType")
	w.appendString(mimeJSON)
	if f.Schema != nil {
		w.appendKey("responseJsonSchema")
		w.dst = append(w.dst, f.Schema...)
	}
	if f.Description != "" {
		w.r.RecordDropped("response_format.json_schema.description")
	}
}

// appendEffort appends the effort: as a level from the third generation on, before that
// as a token budget by Google's table.
func (w *writer) appendEffort() {
	e := w.r.Effort
	if e == "" {
		return
	}
	if !w.t.Effort {
		w.r.RecordDropped("reasoning_effort")
		return
	}
	w.appendKey("thinkingConfig")
	if g := parseGeneration(w.t.Model); g == 0 || g >= 3 {
		w.dst = append(append(append(w.dst, `{"thinkingLevel":"`...), chooseThinkingLevel(e, w.t.Model)...), `"}`...)
		return
	}
	w.dst = strconv.AppendInt(append(w.dst, `{"thinkingBudget":`...), chooseThinkingBudget(e, w.t.Model), 10)
	w.dst = append(w.dst, '}')
}

// chooseThinkingLevel returns the nearest level that all models of the third generation
// accept: most reject "minimal", none can stop thinking, and the first has no "medium".
func chooseThinkingLevel(e llm.Effort, model string) string {
	switch {
	case e == llm.EffortMedium && strings.Contains(model, "gemini-3-pro"):
		return "high"
	case e == llm.EffortMedium:
		return "medium"
	case e == llm.EffortNone || e == llm.EffortMinimal || e == llm.EffortLow:
		return "low"
	}
	return "high"
}

// chooseThinkingBudget returns the thinking budget in tokens. The "pro" models need one.
func chooseThinkingBudget(e llm.Effort, model string) int64 {
	switch e {
	case llm.EffortNone:
		if strings.Contains(model, "pro") {
			return 128
		}
		return 0
	case llm.EffortMinimal, llm.EffortLow:
		return 1024
	case llm.EffortMedium:
		return 8192
	}
	return 24576
}
