package openai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

var _ wire.Translator = Chat{}

// Decode reads a chat completion request. It drops and counts fields that no other
// dialect has, and rejects those that would change the answer.
func (Chat) Decode(x *core.Exchange) (*llm.Request, *core.Error) {
	d := chatDecoder{
		s: &x.Scanner, doc: x.Request.Raw,
		out: &llm.Request{Model: strings.Clone(cmp.Or(x.Target.Model, x.Head.Model)), MaxTokens: x.Head.MaxTokens},
	}
	d.s.Reset(d.doc)
	d.readBody()
	if err := d.s.Err(); err != nil {
		return nil, scan.NewSyntaxError(err)
	}
	if d.err != nil {
		return nil, d.err
	}
	d.limitTools()
	return d.out, nil
}

// chatDecoder is the state of one Decode.
type chatDecoder struct {
	s       *splice.Scanner
	doc     []byte
	out     *llm.Request
	err     *core.Error
	customs map[string]bool // ids of calls of custom tools
	allowed []string        // names of the tools that may be called, when not all may
	limited bool            // allowed holds
}

// fail keeps the first error.
func (d *chatDecoder) fail(e *core.Error) {
	if d.err == nil {
		d.err = e
	}
}

// maxDropped limits the dropped fields that one request can put into the log.
const maxDropped = 64

// drop skips a value and counts it as dropped, unless it is null.
func (d *chatDecoder) drop(name string) {
	if d.s.Kind() != splice.Null && len(d.out.Dropped) < maxDropped {
		d.out.RecordDropped(scan.ShortenName(name))
	}
	d.s.Skip()
}

// readExtra keeps a member that the Responses API has as well, and counts it as dropped for all other targets.
func (d *chatDecoder) readExtra(key string) {
	if d.s.Kind() == splice.Null {
		d.s.Skip()
		return
	}
	at := d.s.Skip()
	if d.s.Err() == nil {
		d.out.RecordDropped(key)
		d.out.Extras = append(d.out.Extras, llm.Extra{Name: key, Value: slices.Clone(d.doc[at.Start:at.End])})
	}
}

func (d *chatDecoder) readBody() {
	d.s.Enter()
	for d.s.Next() {
		switch key := string(d.s.Key()); key {
		case "model", maxTokens, maxCompletionTokens: // already in the head
			d.s.Skip()
		case "messages":
			d.readMessages()
		case "logprobs":
			d.out.Logprobs = d.readTrue()
		case "top_logprobs":
			d.out.TopLogprobs = d.readNumber(key)
		default:
			if !d.readSampling(key) {
				d.readOption(key)
			}
		}
	}
	d.s.End()
}

// readSampling reads a member that chat and legacy completions share. It reports
// false for any other.
func (d *chatDecoder) readSampling(key string) bool {
	switch key {
	case "stream":
		d.out.Stream = d.readTrue()
	case "stream_options":
		d.readStreamOptions()
	case "temperature":
		d.out.Temperature = d.readNumber(key)
	case "top_p":
		d.out.TopP = d.readNumber(key)
	case "frequency_penalty":
		d.out.FrequencyPenalty = d.readNumber(key)
	case "presence_penalty":
		d.out.PresencePenalty = d.readNumber(key)
	case "seed":
		d.out.Seed = d.readNumber(key)
	case "n":
		d.out.Count = int(scan.ReadIndex(d.s, d.doc))
	case "stop":
		d.readStop()
	case "user":
		d.out.User = d.readText(key)
	default:
		return false
	}
	return true
}

func (d *chatDecoder) readOption(key string) {
	switch key {
	case "reasoning_effort":
		d.out.Effort = llm.Effort(d.readText(key))
	case "verbosity":
		d.out.Verbosity = d.readText(key)
	case "prompt_cache_key":
		d.out.CacheKey = d.readText(key)
	case "parallel_tool_calls":
		d.out.Parallel = d.readFlag()
	case "tools":
		d.readTools()
	case "tool_choice":
		d.readToolChoice()
	case "response_format":
		d.readResponseFormat()
	case "functions", "function_call":
		if d.s.Kind() != splice.Null {
			d.fail(scan.NewUnsupportedError(key, `"`+key+`" cannot be translated for the provider of this model; send "tools" and "tool_choice"`))
		}
		d.s.Skip()
	case "modalities":
		d.readModalities()
	case "metadata", "safety_identifier", "service_tier", "prompt_cache_retention":
		d.readExtra(key)
	default:
		d.drop(key)
	}
}

func (d *chatDecoder) readStreamOptions() {
	d.readObject("stream_options", func(key string) bool {
		if key == "include_usage" {
			d.out.StreamUsage = d.readTrue()
		}
		return key == "include_usage"
	})
}

func (d *chatDecoder) readStop() {
	if d.s.Kind() != splice.Array {
		if s := d.readText("stop"); s != "" {
			d.out.Stop = []string{s}
		}
		return
	}
	d.visitElements("stop", func(int) { d.out.Stop = append(d.out.Stop, d.readText("stop")) })
}

// readModalities accepts text and rejects audio.
func (d *chatDecoder) readModalities() {
	d.visitElements("modalities", func(int) {
		if d.readText("modalities") != "text" {
			d.fail(scan.NewUnsupportedError("modalities",
				`"modalities" may only hold "text" here: answers in audio cannot be translated for the provider of this model`))
		}
	})
}

func (d *chatDecoder) readResponseFormat() {
	var kind string
	format := llm.Format{}
	d.readObject("response_format", func(key string) bool {
		switch key {
		case "type":
			kind = d.readText("response_format.type")
		case "json_schema":
			d.readObject("response_format.json_schema", func(key string) bool {
				switch name := "response_format.json_schema." + key; key {
				case "name":
					format.Name = d.readText(name)
				case "description":
					format.Description = d.readText(name)
				case "schema":
					format.Schema = d.readRaw(name)
				case "strict":
					format.Strict = d.readFlag()
				default:
					return false
				}
				return true
			})
		default:
			return false
		}
		return true
	})
	switch kind {
	case "", "text":
	case "json_object", "json_schema":
		d.out.Format = &format
	default:
		d.fail(scan.NewUnsupportedError("response_format",
			`"response_format" must be of type "text", "json_object" or "json_schema" for the provider of this model`))
	}
}
