package direct

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// readForm reads a body of multipart/form-data.
func (r *request) readForm() *core.Error {
	b, e := readBoundary(r.X.Request.Header.Get("Content-Type"))
	if e != nil {
		return e
	}
	parts, e := splitForm(r.Doc, b)
	if e != nil {
		return e
	}
	r.n.boundary, r.n.parts = strings.Clone(b), len(parts)+1
	for i := range parts {
		p := &parts[i]
		m := r.shape.members[p.name]
		if p.name == "model" {
			m.kind = model
		}
		if r.given[p.name] && !m.many {
			return &core.Error{
				Kind: core.InvalidRequest, Code: core.CodeDuplicateKey, Param: p.name, Public: "the form has a part twice; send each once",
			}
		}
		r.given[p.name] = true
		if r.readPart(p, m); r.Err != nil {
			return r.Err
		}
	}
	return r.checkGiven()
}

func (r *request) readPart(p *part, m member) {
	switch {
	case p.isFile && m.kind != file:
		r.Fail(scan.NewInvalid(p.name, strconv.Quote(p.name)+" must be a value, without a file name"))
	case !p.isFile && m.kind == file:
		r.Fail(scan.NewInvalid(p.name, strconv.Quote(p.name)+" must be a file, with a file name"))
	case p.isFile:
		r.addFile(p, m)
	case p.value.Len() > maxValue:
		r.Fail(scan.NewInvalid(p.name, strconv.Quote(p.name)+" is longer than "+strconv.Itoa(maxValue)+" bytes"))
	case !utf8.Valid(r.Doc[p.value.Start:p.value.End]) || !isTextPart(p.media):
		r.Fail(scan.NewInvalid(p.name, strconv.Quote(p.name)+" must be text in UTF-8"))
	default:
		r.readValue(p, m)
	}
}

// isTextPart reports whether the media type of a value means text: no type, or text/plain in UTF-8.
func isTextPart(media string) bool {
	media = strings.ToLower(strings.NewReplacer(" ", "", `"`, "").Replace(media))
	return media == "" || media == "text/plain" || media == "text/plain;charset=utf-8"
}

// addFile records a file of sound or pictures, which has no text.
func (r *request) addFile(p *part, m member) {
	r.n.files++
	if r.shape.task == llm.TaskTranscribe {
		r.n.millis += boundSoundMillis(r.Doc[p.value.Start:p.value.End])
	}
	media := strings.ToLower(p.media)
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml") {
		r.Fail(scan.NewUnsupportedError(p.name, strconv.Quote(p.name)+" is a file of text; send sound or a picture"))
		return
	}
	if m.most > 0 && int64(r.n.files) > m.most+1 { // and a mask
		r.Fail(scan.NewInvalid(p.name, strconv.Quote(p.name)+" may be sent "+strconv.FormatInt(m.most, 10)+" times at most"))
		return
	}
	r.n.names = append(r.n.names, cleanName(r.Doc[p.fileName.Start:p.fileName.End]))
	r.X.Request.Marks = append(r.X.Request.Marks, p.fileName)
}

// readValue reads a value that is not a file.
func (r *request) readValue(p *part, m member) {
	value := zerocopy.String(bytes.TrimSpace(r.Doc[p.value.Start:p.value.End]))
	switch m.kind {
	case model:
		r.setModel(p.value)
	case prompt:
		r.X.Head.Messages++
		r.addValue(p, core.RoleUser, core.KindText)
	case textFormat:
		if value == "text" || value == "srt" || value == "vtt" {
			r.n.form = Text
		}
		r.addUnlessPlain(p)
	case user:
		if len(value) > scan.MaxName {
			r.Fail(scan.NewInvalid(p.name, strconv.Quote(p.name)+" is longer than "+strconv.Itoa(scan.MaxName)+" bytes"))
			return
		}
		r.X.Head.User = strings.Clone(value)
		r.addValue(p, core.RoleSystem, core.KindOther)
	case integer, answers:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < m.least {
			r.Fail(scan.NewInvalid(p.name, strconv.Quote(p.name)+" must be an integer of at least "+strconv.FormatInt(m.least, 10)))
			return
		}
		if m.kind == answers {
			r.n.answers = n
		}
		r.checkMost(p.name, n, m)
	case number:
		if e := scan.CheckRange(p.name, []byte(value), float64(m.least), float64(m.most)); e != nil || !numbers.MatchString(value) {
			r.Fail(scan.NewInvalid(p.name, strconv.Quote(p.name)+" must be a number from "+strconv.FormatInt(m.least, 10)+
				" to "+strconv.FormatInt(m.most, 10)))
		}
	case stream:
		if value != "" && !strings.EqualFold(value, "false") && value != "0" {
			r.Fail(newNotStreamedError(p.name))
		}
	case name, names, flag:
		r.addUnlessPlain(p)
	default:
		r.addValue(p, core.RoleSystem, core.KindOther)
	}
}

// numbers matches the numbers of a form.
var numbers = regexp.MustCompile(`^-?[0-9]{1,10}(\.[0-9]{1,18})?$`)

// addUnlessPlain adds an identifier as a text, unless it is spelled like one or is data.
func (r *request) addUnlessPlain(p *part) {
	if raw := r.Doc[p.value.Start:p.value.End]; !scan.IsPlain(raw) && !scan.IsSealed(raw) {
		r.addValue(p, core.RoleSystem, core.KindOther)
	}
}

func (r *request) addValue(p *part, role core.Role, kind core.SegmentKind) {
	if p.value.Len() > 0 {
		r.X.Request.Segments = append(r.X.Request.Segments, core.Segment{
			Role: role, Kind: kind, Message: -1, Part: -1, Field: strings.Clone(scan.ShortenName(p.name)), Span: p.value,
		})
	}
}
