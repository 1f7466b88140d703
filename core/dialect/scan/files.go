package scan

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// MaxFileText is the size in bytes up to which the files of a request are decoded for the guards, all together. It is
// more text than a context window of a million tokens holds.
const MaxFileText = 4 << 20

// ReadFile adds the file whose bytes are at the content of a string, in base64 or as a data URL. media is its type where
// it stands elsewhere; that of a data URL counts. Text becomes a segment. Pictures, sound and video are left alone.
// Everything else is noted in the head, for a configuration that refuses files that no link can judge.
func (r *Request) ReadFile(param, field, media string, place Place, at splice.Span) {
	r.InsertFile(len(r.X.Request.Segments), param, field, media, place, at)
}

// InsertFile is [Request.ReadFile] for a type that follows the data: the segment goes before the i-th.
func (r *Request) InsertFile(i int, param, field, media string, place Place, at splice.Span) {
	place.Kind = core.KindText
	n, typ, ok := insertFile(&r.X.Request, i, field, media, place, at, MaxFileText-r.fileText)
	r.fileText += n
	if !ok {
		r.RecordUnsupportedFile(param, typ)
	}
}

// InsertFile adds the file whose bytes are at the content of a string, in base64 or as a data URL, as a segment before
// the i-th. It does what [Request.InsertFile] does for the file of an answer, and returns the media type of one that no
// link can judge; ok is true for text, pictures, sound and video.
func (r *Response) InsertFile(i int, field, media string, place Place, at splice.Span) (typ string, ok bool) {
	n, typ, ok := insertFile(&r.X.Response, i, field, media, place, at, MaxFileText-r.fileText)
	r.fileText += n
	return typ, ok
}

// insertFile adds the segment of a file and returns the length of its text, at most left. ok is false if no link can
// judge the file.
func insertFile(p *core.Payload, i int, field, media string, place Place, at splice.Span, left int) (n int, typ string, ok bool) {
	if raw := p.Raw[at.Start:at.End]; mayBeDataURL(raw) {
		if own, _, isURL, ok := payload.SplitDataURL(readHead(p.Raw, at)); ok {
			media = own
			if media == "" || media[0] == ';' { // RFC 2397
				media = "text/plain" + media
			}
		} else if isURL {
			return 0, "data URL without base64", false
		}
	}
	typ = cutMediaType(media)
	if isPicture(typ) {
		return 0, typ, true
	}
	if !isTextType(typ, media) {
		return 0, typ, false
	}
	last := len(p.Segments)
	text, ok := p.AddFile(core.Segment{
		Role: place.Role, Kind: place.Kind, Depth: 1, Message: place.Message, Part: place.Part, Field: field, Span: at,
	}, left)
	if !ok || !isPlainText(text) {
		p.Segments = p.Segments[:last]
		return 0, typ, false
	}
	if i < last {
		s := p.Segments[last]
		copy(p.Segments[i+1:], p.Segments[i:last])
		p.Segments[i] = s
	}
	return len(text), typ, true
}

// RecordUnsupportedFile notes a file that no link can judge: of a type that is not text, or one that lies at the
// provider or at an address.
func (r *Request) RecordUnsupportedFile(param, typ string) {
	if r.X.Head.File != nil {
		return
	}
	what := "the file"
	if typ != "" {
		what += " (" + ShortenName(strings.ToValidUTF8(typ, "")) + ")"
	}
	r.X.Head.File = NewUnsupportedError(param, what+" cannot be judged by the guards; send text, JSON, XML or CSV, "+
		strconv.Itoa(MaxFileText>>20)+" MiB at most, in base64 with its media type, or send the text itself. "+
		"With the setting `files: pass` the operator lets such files pass")
}

// AddLeaves adds segments for the texts in the value that comes next, and reads its data URLs as files.
func (r *Request) AddLeaves(l *Leaves, name string, place Place) {
	p := &r.X.Request
	found := func(name string, span splice.Span) {
		p.Segments = append(p.Segments, core.Segment{
			Role: place.Role, Kind: place.Kind, Depth: 1, Message: place.Message, Part: place.Part,
			Field: internName(p, name), Span: span,
		})
	}
	if place.Message < 0 { // no file that the model reads
		l.VisitTexts(r.S, r.Doc, name, found)
		return
	}
	l.visitOrReadFile(r.S, r.Doc, name, found, func(name string, span splice.Span) bool {
		typ, _, isURL, _ := payload.SplitDataURL(readHead(r.Doc, span))
		if !isURL || isPicture(cutMediaType(typ)) {
			return false
		}
		name = strings.Clone(ShortenName(name))
		r.ReadFile(name, name, "", place, span)
		return true
	})
}

// readHead returns the start of a string, without its escapes, that holds the head of a data URL.
func readHead(doc []byte, at splice.Span) string {
	const longest = 6 * 256 // a head of escapes
	raw := doc[at.Start:min(at.End, at.Start+longest)]
	for _, c := range raw[:min(len(raw), 256)] {
		if c == '\\' {
			return zerocopy.String(splice.AppendText(nil, doc[at.Start:at.End]))
		}
		if c == ',' {
			break
		}
	}
	return zerocopy.String(raw)
}

// FindDataType returns the media type of a data URL. It reports false if the content of a string is none.
func (r *Request) FindDataType(at splice.Span) (media string, ok bool) {
	media, _, ok, _ = payload.SplitDataURL(readHead(r.Doc, at))
	return strings.Clone(media), ok
}

// mayBeDataURL looks at the first byte of a string.
func mayBeDataURL(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	switch raw[0] {
	case 'd', 'D', '\\', ' ':
		return true
	}
	return false
}

// cutMediaType returns the type without its parameters.
func cutMediaType(media string) string {
	media, _, _ = strings.Cut(media, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// IsPicture reports whether a media type is that of a picture, of sound or video, which no guard for text can judge.
// SVG is text.
func IsPicture(media string) bool { return isPicture(cutMediaType(media)) }

func isPicture(typ string) bool {
	return (strings.HasPrefix(typ, "image/") || strings.HasPrefix(typ, "audio/") || strings.HasPrefix(typ, "video/")) &&
		!strings.HasSuffix(typ, "+xml")
}

// textTypes are the media types of text besides text/*, *+json and *+xml.
var textTypes = map[string]bool{
	"application/json": true, "application/jsonl": true, "application/x-ndjson": true, "application/x-jsonlines": true,
	"application/xml": true, "application/csv": true, "application/yaml": true, "application/x-yaml": true, "application/toml": true,
	"application/javascript": true, "application/sql": true, "application/x-sh": true,
}

// isTextType reports whether a type is text that can be shown as it is: RTF, for one, spells words with escapes.
func isTextType(typ, media string) bool {
	_, params, _ := strings.Cut(strings.ToLower(media), "charset=")
	charset, _, _ := strings.Cut(strings.Trim(params, `" `), ";")
	switch strings.Trim(charset, `" `) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
	default:
		return false
	}
	return typ != "text/rtf" && strings.HasPrefix(typ, "text/") || textTypes[typ] ||
		strings.HasSuffix(typ, "+json") || strings.HasSuffix(typ, "+xml")
}

// isPlainText reports whether bytes are the text that they are declared as: UTF-8 without zeros, which UTF-16 has, and no
// document of another format that a provider would recognise by its first bytes.
func isPlainText(text string) bool {
	start := text[:min(len(text), 1024)]
	return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 && !strings.Contains(start, "%PDF-") && !strings.HasPrefix(start, `{\rtf`)
}
