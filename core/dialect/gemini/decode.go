package gemini

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Decode reads a validated request. It drops and counts what only Google's models
// accept, such as thinkingConfig, topK and safetySettings. It rejects files and inline
// data other than images.
func (Generate) Decode(x *core.Exchange) (*llm.Request, *core.Error) {
	d := newDecoder(x)
	d.readBody()
	return d.finishRequest()
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

func (d *decoder) finishRequest() (*llm.Request, *core.Error) {
	if err := d.s.Err(); err != nil {
		return nil, scan.NewSyntaxError(err)
	}
	d.readFormat()
	if d.err != nil {
		return nil, d.err
	}
	if len(d.system) > 0 {
		d.r.Messages = append([]llm.Message{{Role: llm.System, Parts: d.system}}, d.r.Messages...)
	}
	return d.r, nil
}

func (d *decoder) readBody() {
	o := openObject(&d.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		d.readMember(f, o.key)
	}
}

// readMember reads a member of the body.
func (d *decoder) readMember(f field, key []byte) {
	switch f {
	case fContents:
		n := 0
		for l := openList(&d.s); l.moveToNext(); n++ {
			d.readTurn(n)
		}
	case fSystemInstruction:
		d.readInstruction()
	case fTools:
		d.readTools()
	case fToolConfig:
		d.readToolConfig()
	case fGenerationConfig:
		d.readConfig()
	case fModel, fCachedContent:
		d.s.Skip()
	default:
		d.drop(scan.ShortenName(convertToCamel(string(key))))
	}
}

// drop skips a value and counts it as dropped, unless it is null.
func (d *decoder) drop(field string) {
	if d.s.Kind() != splice.Null {
		d.r.RecordDropped(field)
	}
	d.s.Skip()
}

func (d *decoder) readInstruction() {
	o := openObject(&d.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f != fParts {
			d.s.Skip()
			continue
		}
		n := 0
		for l := openList(&d.s); l.moveToNext(); n++ {
			p := readPart(&d.s, d.doc)
			if p.hasText {
				d.system = append(d.system, llm.NewText(p.text))
			} else if name := p.nameKind(); name != "" {
				at := "systemInstruction.parts[" + strconv.Itoa(n) + "]." + name
				d.fail(scan.NewUnsupportedError(at, "only text can stand in systemInstruction; remove "+name))
			}
		}
	}
}

// nameKind names what a part holds besides text.
func (p *part) nameKind() string {
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
	return scan.ShortenName(p.other)
}
