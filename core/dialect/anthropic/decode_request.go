package anthropic

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Decode reads a request into the neutral model. Its strings lie in the body.
func (Messages) Decode(x *core.Exchange) (*llm.Request, *core.Error) {
	d := decoder{s: &x.Scanner, doc: x.Request.Raw, r: &llm.Request{User: x.Head.User}}
	d.s.Reset(d.doc)
	d.body()
	if err := d.s.Err(); err != nil {
		return nil, scan.Syntax(err)
	}
	if d.err != nil {
		return nil, d.err
	}
	return d.r, nil
}

func (d *decoder) body() {
	var system []llm.Part
	if !d.enter(splice.Object) {
		return
	}
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "model":
			d.r.Model = d.text()
		case "system":
			system = d.fitting(d.blocks(nil), llm.System)
		case "messages":
			d.messages()
		case "max_tokens":
			d.limit()
		case "stream":
			v := d.boolean()
			d.r.Stream = v != nil && *v
			d.r.StreamUsage = d.r.Stream // this shape always tells it
		case "temperature":
			d.r.Temperature = d.number()
		case "top_p":
			d.r.TopP = d.number()
		case "top_k":
			d.r.TopK = d.number()
		case "stop_sequences":
			d.r.Stop = d.strings()
		case "tools":
			d.tools()
		case "tool_choice":
			d.choice()
		case "thinking":
			d.thinking()
		case "output_config":
			d.output()
		case "output_format":
			d.format()
		case "metadata":
			d.metadata()
		case "mcp_servers", "container": // empty, or the scan had refused them
			d.s.Skip()
		default:
			d.drop(field(key))
		}
	}
	d.s.End()
	if len(system) > 0 {
		d.r.Messages = append([]llm.Message{{Role: llm.System, Parts: system}}, d.r.Messages...)
	}
}

func (d *decoder) limit() {
	isNumber := d.s.Kind() == splice.Number
	d.r.MaxTokens = count(d.s, d.doc)
	if isNumber && d.r.MaxTokens == 0 {
		d.fail(scan.Unsupported("max_tokens", `a "max_tokens" of 0 fills the prompt cache of Anthropic's models and asks for no answer; the provider of this model has nothing like it`))
	}
}

// metadata holds the end user, whom the scan has read, if it is one.
func (d *decoder) metadata() {
	if !d.enter(splice.Object) {
		return
	}
	for d.s.Next() {
		if key := d.s.Key(); string(key) != "user_id" {
			d.drop("metadata." + field(key))
		} else if d.s.Skip(); d.r.User == "" {
			d.r.Drop("metadata.user_id")
		}
	}
}

// thinking keeps what asks for extended thinking: only a provider of this shape
// can be asked for it, and which one it is is known later.
func (d *decoder) thinking() {
	if d.s.Kind() != splice.Object {
		d.s.Skip()
		return
	}
	raw := d.raw()
	var s splice.Scanner
	in := decoder{s: &s, doc: raw, r: d.r}
	s.Reset(raw)
	s.Enter()
	for s.Next() {
		if string(s.Key()) != "type" {
			s.Skip()
		} else if in.text() != "disabled" {
			d.r.Thinking = raw
		}
	}
}

func (d *decoder) output() {
	if !d.enter(splice.Object) {
		return
	}
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "effort":
			if d.r.Effort = llm.Effort(d.text()); d.r.Effort == effortMax {
				d.r.Effort = llm.EffortXHigh // the most that others know
			}
		case "format":
			d.format()
		default:
			d.drop("output_config." + field(key))
		}
	}
}

// effortMax is an effort that only this shape has.
const effortMax llm.Effort = "max"

// format reads the schema of the answer. This shape always holds a model to it.
func (d *decoder) format() {
	if !d.enter(splice.Object) {
		return
	}
	strict := true
	f := &llm.Format{Strict: &strict}
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "schema":
			f.Schema = d.raw()
		case "name":
			f.Name = d.text()
		case "type":
			d.s.Skip()
		default:
			d.drop("output_config.format." + field(key))
		}
	}
	d.r.Format = f
}
