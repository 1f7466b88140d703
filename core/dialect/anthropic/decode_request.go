package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Decode reads a request into the neutral model. Its strings alias the body.
func (Messages) Decode(x *core.Exchange) (*llm.Request, *core.Error) {
	d := decoder{s: &x.Scanner, doc: x.Request.Raw, r: &llm.Request{User: x.Head.User}}
	d.s.Reset(d.doc)
	d.readBody()
	if err := d.s.Err(); err != nil {
		return nil, scan.NewSyntaxError(err)
	}
	if d.err != nil {
		return nil, d.err
	}
	return d.r, nil
}

func (d *decoder) readBody() {
	var system []llm.Part
	if !d.enter(splice.Object) {
		return
	}
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "model":
			d.r.Model = d.readText()
		case "system":
			system = d.filterParts(d.readBlocks(nil), llm.System)
		case "messages":
			d.readMessages()
		case "max_tokens":
			d.readLimit()
		case "stream":
			v := d.readFlag()
			d.r.Stream = v != nil && *v
			d.r.StreamUsage = d.r.Stream // this shape always streams the usage
		case "temperature":
			d.r.Temperature = d.readNumber()
		case "top_p":
			d.r.TopP = d.readNumber()
		case "top_k":
			d.r.TopK = d.readNumber()
		case "stop_sequences":
			d.r.Stop = d.readStrings()
		case "tools":
			d.readTools()
		case "tool_choice":
			d.readChoice()
		case "thinking":
			d.readThinking()
		case "output_config":
			d.readOutput()
		case "output_format":
			d.readFormat()
		case "metadata":
			d.readMetadata()
		case "mcp_servers", "container":
			param, null := string(key), d.s.Kind() == splice.Null
			if at := d.s.Skip(); d.s.Err() == nil && !null && !isEmptyList(d.doc[at.Start:at.End]) {
				d.fail(scan.NewUnsupportedError(param, "only Anthropic's API takes "+strconv.Quote(param)+"; leave it out"))
			}
		default:
			d.drop(copyFieldName(key))
		}
	}
	d.s.End()
	if len(system) > 0 {
		d.r.Messages = append([]llm.Message{{Role: llm.System, Parts: system}}, d.r.Messages...)
	}
}

func (d *decoder) readLimit() {
	isNumber := d.s.Kind() == splice.Number
	d.r.MaxTokens = readCount(d.s, d.doc)
	if isNumber && d.r.MaxTokens == 0 {
		d.fail(scan.NewUnsupportedError("max_tokens",
			`a "max_tokens" of 0 fills the prompt cache of Anthropic's models and asks for no answer; `+
				`the provider of this model has nothing like it`))
	}
}

// readMetadata skips the end user, which the scan has read, and drops an invalid one.
func (d *decoder) readMetadata() {
	if !d.enter(splice.Object) {
		return
	}
	for d.s.Next() {
		if key := d.s.Key(); string(key) != "user_id" {
			d.drop("metadata." + copyFieldName(key))
		} else if d.s.Skip(); d.r.User == "" {
			d.r.RecordDropped("metadata.user_id")
		}
	}
}

// readThinking keeps the request for extended thinking, which only a Messages provider
// accepts. The provider is chosen later.
func (d *decoder) readThinking() {
	if d.s.Kind() != splice.Object {
		d.s.Skip()
		return
	}
	raw := d.readRaw()
	var s splice.Scanner
	in := decoder{s: &s, doc: raw, r: d.r}
	s.Reset(raw)
	s.Enter()
	for s.Next() {
		if string(s.Key()) != "type" {
			s.Skip()
		} else if in.readText() != "disabled" {
			d.r.Thinking = raw
		}
	}
}

func (d *decoder) readOutput() {
	if !d.enter(splice.Object) {
		return
	}
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "effort":
			if d.r.Effort = llm.Effort(d.readText()); d.r.Effort == effortMax {
				d.r.Effort = llm.EffortXHigh // the most that others know
			}
		case "format":
			d.readFormat()
		default:
			d.drop("output_config." + copyFieldName(key))
		}
	}
}

// effortMax is an effort that only this dialect has.
const effortMax llm.Effort = "max"

// readFormat reads the schema of the answer, which is always strict.
func (d *decoder) readFormat() {
	if !d.enter(splice.Object) {
		return
	}
	strict := true
	f := &llm.Format{Strict: &strict}
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "schema":
			f.Schema = d.readRaw()
		case "name":
			f.Name = d.readText()
		case "type":
			d.s.Skip()
		default:
			d.drop("output_config.format." + copyFieldName(key))
		}
	}
	d.r.Format = f
}
