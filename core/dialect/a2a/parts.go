package a2a

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// parts reads the parts of a message or an artifact, of both versions: {"kind":"text","text":…}, {"kind":"file","file":{…}} and
// {"kind":"data","data":…} of 0.3, and {"text":…}, {"raw":…}, {"url":…} and {"data":…} of 1.0.
type parts struct {
	s        *splice.Scanner
	doc      []byte
	body     *core.Payload
	place    scan.Place
	dataKind core.SegmentKind
	lastText int // the segment of the last text, or -1

	// file adds a file in base64 before the i-th segment.
	file func(i int, media string, place scan.Place, at splice.Span)
	// address is called for a file that is given by its URL.
	address func(media string)
	// broken is called for a part that is not an object.
	broken func()
}

// part is the state of a part while it is read: its type can follow its content.
type part struct {
	media  string
	bytes  splice.Span
	before int // segments when the bytes were read
	away   bool
}

// readAll reads the next value, an array, and returns the number of its parts.
func (p *parts) readAll() (n int) {
	for p.s.Enter(); p.s.Next(); n++ {
		p.place.Part = int32(n)
		if p.s.Kind() != splice.Object {
			leaves.Add(p.body, p.s, p.doc, "parts", p.place)
			p.broken()
			continue
		}
		var q part
		p.readPart(&q, false)
		p.addFile(&q)
	}
	return n
}

func (p *parts) readPart(q *part, inFile bool) {
	for p.s.Enter(); p.s.Next(); {
		key, kind := p.s.Key(), p.s.Kind()
		switch name := string(key); {
		case name == "text" && kind == splice.String && !inFile:
			p.addText()
		case kind == splice.String && isBytes(name, inFile):
			p.addFile(q) // a part has one file; a second is judged too
			q.bytes, _ = p.s.String()
			q.before = len(p.body.Segments)
		case name == "data" && !inFile:
			if at := p.s.Skip(); p.s.Err() == nil {
				p.body.AddJSON(core.Segment{
					Role: p.place.Role, Kind: p.dataKind, Message: p.place.Message, Part: p.place.Part, Field: "parts", Span: at,
				})
			}
		case (name == "mediaType" || name == "mimeType") && kind == splice.String:
			at, _ := p.s.String()
			if p.s.Err() == nil {
				q.media = string(splice.AppendText(nil, p.doc[at.Start:at.End]))
				p.addOdd(name, at)
			}
		case name == "file" && kind == splice.Object && !inFile:
			p.readPart(q, true)
		default:
			q.away = q.away || kind == splice.String && isAddress(name, inFile)
			leaves.Add(p.body, p.s, p.doc, name, scan.Place{Role: p.place.Role, Kind: core.KindOther, Message: p.place.Message, Part: p.place.Part})
		}
	}
}

func isBytes(name string, inFile bool) bool {
	if inFile {
		return name == "bytes" || name == "data" || name == "fileWithBytes"
	}
	return name == "raw"
}

func isAddress(name string, inFile bool) bool {
	if inFile {
		return name == "uri" || name == "fileWithUri"
	}
	return name == "url"
}

// addText adds a text. Texts of adjacent parts are read as one.
func (p *parts) addText() {
	at, _ := p.s.String()
	if p.s.Err() != nil || at.Len() == 0 {
		return
	}
	n := len(p.body.Segments)
	p.body.Segments = append(p.body.Segments, core.Segment{
		Role: p.place.Role, Kind: p.place.Kind, Depth: 1, Message: p.place.Message, Part: p.place.Part, Field: "parts", Span: at,
		Joined: n > 0 && p.lastText == n-1,
	})
	p.lastText = n
}

// addOdd shows the guards an identifier that does not look like one.
func (p *parts) addOdd(field string, at splice.Span) {
	if !scan.IsPlain(p.doc[at.Start:at.End]) {
		p.body.Segments = append(p.body.Segments, core.Segment{
			Role: p.place.Role, Kind: core.KindOther, Depth: 1, Message: p.place.Message, Part: p.place.Part, Field: field, Span: at,
		})
	}
}

// addFile adds the file of a part.
func (p *parts) addFile(q *part) {
	if p.s.Err() != nil {
		return
	}
	if q.bytes.Len() > 0 {
		p.file(q.before, q.media, p.place, q.bytes)
		q.bytes = splice.Span{}
	}
	if q.away {
		p.address(q.media)
		q.away = false
	}
}

// formatOpaqueName returns the name for a file that no link can judge.
func formatOpaqueName(media string) string {
	if media == "" {
		return "application/octet-stream"
	}
	return strings.Clone(scan.ShortenName(media))
}
