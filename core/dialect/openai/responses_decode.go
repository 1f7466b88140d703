package openai

import (
	"slices"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Decode reads a request for translation. It rejects items and tools that only a
// Responses provider understands.
func (Responses) Decode(x *core.Exchange) (*llm.Request, *core.Error) {
	d := responsesDecoder{r: &llm.Request{Model: x.Target.Model}, provider: x.Target.Provider, tools: map[toolKey]int{}}
	d.reset(x.Request.Raw)
	d.reader.visitMembers(d.readMember)
	if d.err == nil && d.s.Err() != nil {
		d.err = scan.NewSyntaxError(d.s.Err())
	}
	if d.err != nil {
		return nil, d.err
	}
	d.finishRequest()
	return d.r, d.err
}

// responsesDecoder is the state of reading one request.
type responsesDecoder struct {
	reader
	r            *llm.Request
	provider     string
	err          *core.Error
	instructions string
	names        map[string]string // of tools, by the id of a call
	allowed      []string
	restricted   bool            // only allowed tools may be called
	tools        map[toolKey]int // the indices of tools
	repeated     int             // bytes of descriptions of namespaces in those of their tools
}

// refuse keeps the error of a value that the provider cannot be sent.
func (d *responsesDecoder) refuse(param, what string) {
	if d.err == nil {
		where := "this provider"
		if d.provider != "" {
			where = "provider " + d.provider
		}
		d.err = scan.NewUnsupportedError(param, what+" cannot be sent to "+where+": only a provider that speaks the Responses API takes them")
	}
}

func (d *responsesDecoder) readMember(key string) {
	r := d.r
	switch key {
	case "model", "store", "background", "previous_response_id", "conversation", "prompt", "service_tier":
		d.s.Skip() // routed, or validated by Scan
	case "input":
		d.readInput()
	case "instructions":
		d.instructions = d.readText()
	case "stream":
		on := d.readFlag()
		r.Stream = on != nil && *on
		r.StreamUsage = r.Stream // response.completed carries it
	case "max_output_tokens":
		r.MaxTokens = d.readInteger()
	case "temperature":
		r.Temperature = d.readNumber()
	case "top_p":
		r.TopP = d.readNumber()
	case "top_logprobs":
		r.TopLogprobs = d.readNumber()
	case "parallel_tool_calls":
		r.Parallel = d.readFlag()
	case "prompt_cache_key":
		r.CacheKey = d.readText()
	case "user":
		if id := d.readText(); id != "" {
			r.User = id
		}
	case "safety_identifier":
		if id := d.readText(); r.User == "" {
			r.User = id
		}
	case "tools":
		d.readTools(key, "", "")
	case "tool_choice":
		d.readChoice()
	case "reasoning":
		d.readReasoning()
	case "text":
		d.readTextOptions()
	case "include":
		d.readInclude()
	case "truncation":
		if d.readText() == "auto" {
			r.RecordDropped(key)
		}
	default:
		d.drop(key)
	}
}

// drop skips a field and counts it as dropped, unless it is null, false or empty.
func (d *responsesDecoder) drop(name string) {
	k := d.s.Kind()
	at := d.s.Skip()
	if d.s.Err() != nil || k == splice.Null || k == splice.False {
		return
	}
	if (k == splice.Array || k == splice.Object) && at.Len() == len("{}") {
		return
	}
	d.r.RecordDropped(scan.ShortenName(name))
}

// finishRequest combines members that depend on each other.
func (d *responsesDecoder) finishRequest() {
	r := d.r
	if d.instructions != "" {
		r.Messages = slices.Insert(r.Messages, 0, llm.Message{Role: llm.System, Parts: []llm.Part{llm.NewText(d.instructions)}})
	}
	if !r.Logprobs && r.TopLogprobs != "" {
		if r.TopLogprobs != "0" {
			r.RecordDropped("top_logprobs") // they come only with log probabilities
		}
		r.TopLogprobs = ""
	}
	if d.restricted {
		allowed := make(map[string]bool, len(d.allowed))
		for _, name := range d.allowed {
			allowed[name] = true
		}
		r.Tools = slices.DeleteFunc(r.Tools, func(t llm.Tool) bool { return !allowed[joinName(t.Namespace, t.Name)] })
	}
	if r.Choice.Mode == llm.ChooseNamed && len(r.Tools) == 0 {
		d.err = scan.NewInvalid("tool_choice", `"tool_choice" names a tool, but there are none`)
	}
	for i := range r.Messages {
		for k := range r.Messages[i].Parts {
			if p := r.Messages[i].Parts[k].Result; p != nil && p.Name == "" {
				p.Name = d.names[p.CallID]
			}
		}
	}
}

// joinName returns a tool's name with its namespace.
func joinName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "__" + name
}

func formatIndexedPath(param string, i int) string { return param + "[" + strconv.Itoa(i) + "]" }
