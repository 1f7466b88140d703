package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/llm"
)

// tools writes the functions on offer and how to choose among them.
func (w *writer) tools() {
	if len(w.r.Tools) == 0 {
		return
	}
	w.key("tools")
	w.dst = append(w.dst, `[{"functionDeclarations":[`...)
	for i := range w.r.Tools {
		t := &w.r.Tools[i]
		w.dst = append(separate(w.dst), '{')
		w.key("name")
		w.text(t.Name)
		if t.Description != "" {
			w.key("description")
			w.text(t.Description)
		}
		if t.Schema != nil {
			w.key("parametersJsonSchema")
			w.dst = append(w.dst, t.Schema...)
		}
		if t.Strict != nil && *t.Strict {
			w.r.Drop("tools.function.strict")
		}
		w.dst = append(w.dst, '}')
	}
	w.dst = append(w.dst, "]}]"...)
	mode := [...]string{llm.ChooseAuto: "AUTO", llm.ChooseNone: "NONE", llm.ChooseRequired: "ANY", llm.ChooseNamed: "ANY"}[w.r.Choice.Mode]
	if mode == "" {
		return
	}
	w.key("toolConfig")
	w.dst = append(w.dst, `{"functionCallingConfig":{`...)
	w.key("mode")
	w.text(mode)
	if w.r.Choice.Mode == llm.ChooseNamed {
		w.list("allowedFunctionNames", w.r.Choice.Names)
	}
	w.dst = append(w.dst, "}}"...)
}

func (w *writer) list(name string, values []string) {
	w.key(name)
	w.dst = append(w.dst, '[')
	for _, v := range values {
		w.dst = separate(w.dst)
		w.text(v)
	}
	w.dst = append(w.dst, ']')
}

// config writes generationConfig, if there is anything in it.
func (w *writer) config() {
	from := len(w.dst)
	w.key("generationConfig")
	w.dst = append(w.dst, '{')
	empty := len(w.dst)
	if limit := w.t.Limit(w.r.MaxTokens); limit > 0 {
		w.number("maxOutputTokens", llm.Number(strconv.FormatInt(limit, 10)))
	}
	w.number("temperature", w.r.Temperature)
	w.takes("top_p", "topP", w.r.TopP, !w.t.OneSampling || w.r.Temperature == "")
	w.number("topK", w.r.TopK)
	w.takes("frequency_penalty", "frequencyPenalty", w.r.FrequencyPenalty, w.t.Penalties)
	w.takes("presence_penalty", "presencePenalty", w.r.PresencePenalty, w.t.Penalties)
	w.takes("seed", "seed", w.r.Seed, w.t.Seed)
	if w.r.Count > 1 {
		w.number("candidateCount", llm.Number(strconv.Itoa(w.r.Count)))
	}
	if len(w.r.Stop) > 0 {
		w.list("stopSequences", w.r.Stop)
	}
	w.logprobs()
	w.format()
	w.effort()
	if len(w.dst) == empty {
		w.dst = w.dst[:from]
		return
	}
	w.dst = append(w.dst, '}')
}

func (w *writer) number(name string, n llm.Number) {
	if n != "" {
		w.key(name)
		w.dst = append(w.dst, n...)
	}
}

// takes writes a number where the model takes one, and else drops it.
func (w *writer) takes(field, name string, n llm.Number, takes bool) {
	if n != "" && !takes {
		w.r.Drop(field)
		return
	}
	w.number(name, n)
}

func (w *writer) logprobs() {
	if !w.r.Logprobs {
		return
	}
	if !w.t.Logprobs {
		w.r.Drop("logprobs")
		return
	}
	w.key("responseLogprobs")
	w.dst = append(w.dst, "true"...)
	w.number("logprobs", w.r.TopLogprobs)
}

func (w *writer) format() {
	f := w.r.Format
	if f == nil {
		return
	}
	w.key("responseMimeType")
	w.text(mimeJSON)
	if f.Schema != nil {
		w.key("responseJsonSchema")
		w.dst = append(w.dst, f.Schema...)
	}
	if f.Description != "" {
		w.r.Drop("response_format.json_schema.description")
	}
}

// effort writes how hard to think: as a level from the third generation on, and
// as a budget of tokens, by Google's own table, before.
func (w *writer) effort() {
	e := w.r.Effort
	if e == "" {
		return
	}
	if !w.t.Effort {
		w.r.Drop("reasoning_effort")
		return
	}
	w.key("thinkingConfig")
	if g := generation(w.t.Model); g == 0 || g >= 3 {
		w.dst = append(append(append(w.dst, `{"thinkingLevel":"`...), level(e, w.t.Model)...), `"}`...)
		return
	}
	w.dst = strconv.AppendInt(append(w.dst, `{"thinkingBudget":`...), budget(e, w.t.Model), 10)
	w.dst = append(w.dst, '}')
}

// level is the nearest one that all models of the third generation take: most
// refuse "minimal", none can be told not to think, and the first has no "medium".
func level(e llm.Effort, model string) string {
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

// budget is the number of tokens for thinking. The "pro" models cannot do without.
func budget(e llm.Effort, model string) int64 {
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
