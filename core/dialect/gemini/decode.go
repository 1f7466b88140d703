package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/splice"
)

// Decode reads a request that Scan has checked. What only Google's models take is
// dropped and counted: thinkingConfig, topK, safetySettings and thoughts among
// them. Files, and inline data that is no picture, are refused.
func (Generate) Decode(x *core.Exchange) (*llm.Request, *core.Error) {
	d := newDecoder(x)
	d.body()
	return d.done()
}

// decoder is the state of reading one request.
type decoder struct {
	s     splice.Scanner
	doc   []byte
	r     *llm.Request
	err   *core.Error
	open  []openCall // calls that have no result yet
	parts []part     // of the turn being read, kept for the next
	// system is the instruction, which the body may give behind the contents.
	system   []llm.Part
	mimeType string
	schema   []byte // responseSchema or responseJsonSchema, as JSON Schema
}

func newDecoder(x *core.Exchange) *decoder {
	d := &decoder{doc: x.Request.Raw}
	d.r = &llm.Request{Model: x.Head.Model, Stream: x.Head.Stream, StreamUsage: true}
	d.s.Reset(d.doc)
	return d
}

func (d *decoder) fail(e *core.Error) {
	if d.err == nil {
		d.err = e
	}
}

func (d *decoder) done() (*llm.Request, *core.Error) {
	if err := d.s.Err(); err != nil {
		return nil, syntax(err)
	}
	d.format()
	if d.err != nil {
		return nil, d.err
	}
	if len(d.system) > 0 {
		d.r.Messages = append([]llm.Message{{Role: llm.System, Parts: d.system}}, d.r.Messages...)
	}
	return d.r, nil
}

func (d *decoder) body() {
	o := open(&d.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		d.member(f, o.key)
	}
}

// member reads a member of the body.
func (d *decoder) member(f field, key []byte) {
	switch f {
	case fContents:
		n := 0
		for l := each(&d.s); l.next(); n++ {
			d.turn(n)
		}
	case fSystemInstruction:
		d.instruction()
	case fTools:
		d.tools()
	case fToolConfig:
		d.toolConfig()
	case fGenerationConfig:
		d.config()
	case fModel, fCachedContent:
		d.s.Skip()
	default:
		d.drop(short(camel(string(key))))
	}
}

// drop leaves a value out, and counts that unless it is null.
func (d *decoder) drop(field string) {
	if d.s.Kind() != splice.Null {
		d.r.Drop(field)
	}
	d.s.Skip()
}

func (d *decoder) instruction() {
	o := open(&d.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f != fParts {
			d.s.Skip()
			continue
		}
		n := 0
		for l := each(&d.s); l.next(); n++ {
			p := readPart(&d.s, d.doc)
			if p.hasText {
				d.system = append(d.system, llm.Text(p.text))
			} else if name := p.kind(); name != "" {
				d.fail(unsupported("systemInstruction.parts["+strconv.Itoa(n)+"]."+name, "only text can stand in systemInstruction; remove "+name))
			}
		}
	}
}

// kind names what a part holds besides text.
func (p *part) kind() string {
	switch {
	case p.call != nil:
		return names[fFunctionCall]
	case p.result != nil:
		return names[fFunctionResponse]
	case p.inline != nil:
		return names[fInlineData]
	case p.file != nil:
		return names[fFileData]
	}
	return short(p.other)
}

func (d *decoder) config() {
	o := open(&d.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fMaxOutputTokens:
			d.r.MaxTokens = count(&d.s, d.doc)
		case fCandidateCount:
			d.s.Skip()
		case fTemperature:
			d.r.Temperature = d.number()
		case fTopP:
			d.r.TopP = d.number()
		case fSeed:
			d.r.Seed = d.number()
		case fPresencePenalty:
			d.r.PresencePenalty = d.number()
		case fFrequencyPenalty:
			d.r.FrequencyPenalty = d.number()
		case fLogprobs:
			d.r.TopLogprobs = d.number()
		case fResponseLogprobs:
			d.r.Logprobs = truth(&d.s)
		case fStopSequences:
			for l := each(&d.s); l.next(); {
				d.r.Stop = append(d.r.Stop, str(&d.s, d.doc))
			}
		case fResponseMIMEType:
			d.mimeType = str(&d.s, d.doc)
		case fResponseSchema:
			d.schema = d.googleSchema()
		case fResponseJSONSchema:
			d.schema = raw(&d.s, d.doc)
		case fResponseModalities:
			d.modalities()
		default:
			d.drop("generationConfig." + short(camel(string(o.key))))
		}
	}
}

// number keeps a number as it is spelled, without the quotes that Google takes.
func (d *decoder) number() llm.Number {
	return llm.Number(strings.Trim(string(raw(&d.s, d.doc)), `"`))
}

func (d *decoder) modalities() {
	for l := each(&d.s); l.next(); {
		if m := str(&d.s, d.doc); !strings.EqualFold(m, "TEXT") && m != "" {
			d.fail(unsupported(inConfig(fResponseModalities), "this route answers with text alone; leave responseModalities out, or send [\"TEXT\"]"))
		}
	}
}

// format makes the wish for JSON of its type and schema, which may come in any
// order.
func (d *decoder) format() {
	switch d.mimeType {
	case "", "text/plain", mimeJSON:
	default:
		d.fail(unsupported(inConfig(fResponseMIMEType), "this route answers with text/plain or application/json; change responseMimeType"))
		return
	}
	if d.schema != nil || d.mimeType == mimeJSON {
		d.r.Format = &llm.Format{Schema: d.schema}
		if d.schema != nil {
			d.r.Format.Name = "response"
		}
	}
}
