package gemini

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// vendor is the vendor of the reasoning in this dialect.
const vendor = "gemini"

// part is one part of a turn or an answer.
type part struct {
	text      string
	hasText   bool
	thought   bool
	signature string
	call      *call
	result    *result
	inline    *blob
	file      *blob
	other     string   // a kind of part that no other shape has
	about     []string // fields that only describe how to read the part
}

type call struct {
	id, name string
	args     []byte // a JSON object, or nil
}

type result struct {
	id, name string
	response []byte
	parts    []part
	about    []string
}

type blob struct{ mimeType, data, uri string }

// readPart reads the next part.
func readPart(s *splice.Scanner, doc []byte) (p part) {
	o := openObject(s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if s.Kind() == splice.Null {
			s.Null()
			continue
		}
		switch f {
		case fText:
			p.text, p.hasText = scan.ReadText(s, doc), true
		case fThought:
			p.thought = readTrue(s)
		case fThoughtSignature:
			p.signature = scan.ReadText(s, doc)
		case fFunctionCall:
			p.call = readCall(s, doc)
		case fFunctionResponse:
			p.result = readResult(s, doc)
		case fInlineData:
			p.inline = readBlob(s, doc)
		case fFileData:
			p.file = readBlob(s, doc)
		case fVideoMetadata, fPartMetadata, fMediaResolution:
			p.about = append(p.about, names[f])
			s.Skip()
		default:
			p.other = convertToCamel(string(o.key))
			s.Skip()
		}
	}
	return p
}

func readCall(s *splice.Scanner, doc []byte) *call {
	c := new(call)
	o := openObject(s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fID:
			c.id = scan.ReadText(s, doc)
		case fName:
			c.name = scan.ReadText(s, doc)
		case fArgs:
			c.args = scan.ReadRaw(s, doc)
		default:
			s.Skip()
		}
	}
	return c
}

func readResult(s *splice.Scanner, doc []byte) *result {
	r := new(result)
	o := openObject(s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fID:
			r.id = scan.ReadText(s, doc)
		case fName:
			r.name = scan.ReadText(s, doc)
		case fResponse:
			r.response = scan.ReadRaw(s, doc)
		case fParts:
			for l := openList(s); l.moveToNext(); {
				r.parts = append(r.parts, readPart(s, doc))
			}
		default:
			r.about = append(r.about, scan.ShortenName(convertToCamel(string(o.key))))
			s.Skip()
		}
	}
	return r
}

func readBlob(s *splice.Scanner, doc []byte) *blob {
	b := new(blob)
	o := openObject(s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fMIMEType:
			b.mimeType = scan.ReadText(s, doc)
		case fData:
			b.data = scan.ReadText(s, doc)
		case fFileURI:
			b.uri = scan.ReadText(s, doc)
		default:
			s.Skip()
		}
	}
	return b
}

// decodeImage returns inline data as an image, or nil.
func (b *blob) decodeImage() *llm.Image {
	if !isImage(b.mimeType) {
		return nil
	}
	data := b.data
	if strings.ContainsAny(data, "-_") { // Google takes both alphabets of base64, others one
		data = standard.Replace(data)
	}
	if n := len(data) % 4; n > 1 && !strings.HasSuffix(data, "=") {
		data += "=="[n-2:]
	}
	return &llm.Image{MediaType: b.mimeType, Data: data}
}

var standard = strings.NewReplacer("-", "+", "_", "/")

// encodeInput returns the arguments of a call, which are always an object.
func (c *call) encodeInput() string {
	if len(c.args) == 0 || c.args[0] != '{' {
		return "{}"
	}
	return string(c.args)
}
