package openai

import (
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (d *responsesDecoder) readReasoning() {
	d.reader.visitMembers(func(key string) {
		if key == "effort" {
			d.r.Effort = llm.Effort(d.readText())
			return
		}
		d.drop("reasoning." + key)
	})
}

func (d *responsesDecoder) readTextOptions() {
	d.reader.visitMembers(func(key string) {
		switch key {
		case "verbosity":
			d.r.Verbosity = d.readText()
		case "format":
			d.readFormat()
		default:
			d.drop("text." + key)
		}
	})
}

func (d *responsesDecoder) readFormat() {
	typ, f := "", &llm.Format{}
	d.reader.visitMembers(func(key string) {
		switch key {
		case "type":
			typ = d.readText()
		case "name":
			f.Name = d.readText()
		case "description":
			f.Description = d.readText()
		case "schema":
			f.Schema = d.readRaw()
		case "strict":
			f.Strict = d.readFlag()
		default:
			d.drop("text.format." + key)
		}
	})
	if typ == "json_object" || typ == "json_schema" {
		d.r.Format = f
	}
}

// readInclude reads "include". Other dialects know only log probabilities.
func (d *responsesDecoder) readInclude() {
	d.visitElements(func() {
		if what := d.readText(); what == "message.output_text.logprobs" {
			d.r.Logprobs = true
		} else if what != "" {
			d.r.RecordDropped("include." + scan.ShortenName(what))
		}
	})
}
