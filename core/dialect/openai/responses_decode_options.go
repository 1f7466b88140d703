package openai

import (
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (d *responsesDecoder) reasoning() {
	d.reader.fields(func(key string) {
		if key == "effort" {
			d.r.Effort = llm.Effort(d.str())
			return
		}
		d.drop("reasoning." + key)
	})
}

func (d *responsesDecoder) text() {
	d.reader.fields(func(key string) {
		switch key {
		case "verbosity":
			d.r.Verbosity = d.str()
		case "format":
			d.format()
		default:
			d.drop("text." + key)
		}
	})
}

func (d *responsesDecoder) format() {
	typ, f := "", &llm.Format{}
	d.reader.fields(func(key string) {
		switch key {
		case "type":
			typ = d.str()
		case "name":
			f.Name = d.str()
		case "description":
			f.Description = d.str()
		case "schema":
			f.Schema = d.raw()
		case "strict":
			f.Strict = d.flag()
		default:
			d.drop("text.format." + key)
		}
	})
	if typ == "json_object" || typ == "json_schema" {
		d.r.Format = f
	}
}

// include asks for more than the answer's text. Of that, only log probabilities
// are known to others.
func (d *responsesDecoder) include() {
	d.each(func() {
		if what := d.str(); what == "message.output_text.logprobs" {
			d.r.Logprobs = true
		} else if what != "" {
			d.r.Drop("include." + scan.ShortName(what))
		}
	})
}
