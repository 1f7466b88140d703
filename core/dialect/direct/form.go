package direct

import (
	"bytes"
	"mime"
	"regexp"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

const formType = "multipart/form-data"

// Bounds of forms.
const (
	maxParts    = 64
	maxPartHead = 4 << 10 // bytes of the header of a part
	maxValue    = 1 << 20 // bytes of a value that is not a file
)

// part is one part of a form.
type part struct {
	name     string
	value    splice.Span // in the body
	fileName splice.Span // the content of the name of a file; see isFile
	isFile   bool
	media    string
}

// boundaries is the grammar of RFC 2046, without the blank, which clients do not use.
var boundaries = regexp.MustCompile(`^[0-9A-Za-z'()+_,./:=?-]{1,70}$`)

// newFormError returns the error of a body that is not a form, or that two readers could read differently.
func newFormError(why string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "the form is malformed: " + why}
}

// readBoundary returns the boundary of a form, from the media type of its body.
func readBoundary(contentType string) (string, *core.Error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != formType {
		return "", &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeUnsupported, Public: "the body must be " + formType + ", with its boundary in Content-Type",
		}
	}
	b := params["boundary"]
	if !boundaries.MatchString(b) || strings.Trim(b, "-") == "" {
		return "", newFormError("the boundary is not valid")
	}
	return b, nil
}

// splitForm cuts a form into its parts. Everything that another reader could take for a delimiter must be one, so that
// the provider reads the same parts that guards have judged.
func splitForm(doc []byte, boundary string) ([]part, *core.Error) {
	mark := []byte("--" + boundary)
	var parts []part
	for at, from := 0, -1; ; {
		i := bytes.Index(doc[at:], mark)
		if i < 0 {
			return nil, newFormError("the end is missing")
		}
		i += at
		if i > 0 && (i < 2 || doc[i-2] != '\r' || doc[i-1] != '\n') || i > 0 && from < 0 {
			return nil, newFormError("the boundary is not at the start of a line, or text precedes the first part")
		}
		if from >= 0 {
			p, e := readPart(doc, from, i-2)
			if e != nil {
				return nil, e
			}
			if parts = append(parts, p); len(parts) > maxParts {
				return nil, newFormError("more than " + strconv.Itoa(maxParts) + " parts")
			}
		}
		at = i + len(mark)
		switch rest := doc[at:]; {
		case bytes.HasPrefix(rest, []byte("\r\n")):
			at += 2
			from = at
		case len(parts) > 0 && len(rest) <= 4 && (string(rest) == "--" || string(rest) == "--\r\n"):
			return parts, nil
		default:
			return nil, newFormError("invalid bytes follow its boundary")
		}
	}
}

// readPart reads the part at doc[from:to].
func readPart(doc []byte, from, to int) (p part, e *core.Error) {
	if to < from {
		return p, newFormError("a part is empty")
	}
	end := bytes.Index(doc[from:min(to, from+maxPartHead)], []byte("\r\n\r\n"))
	if end < 0 {
		return p, newFormError("a part has no header, or a header of more than " + strconv.Itoa(maxPartHead) + " bytes")
	}
	end += from
	p.value = splice.Span{Start: end + 4, End: to}
	seen := map[string]bool{}
	for at := from; at < end+2; {
		line := doc[at : at+bytes.Index(doc[at:], []byte("\r\n"))]
		key, value, ok := bytes.Cut(line, []byte(":"))
		field := strings.ToLower(string(key))
		if !ok || seen[field] {
			return p, newFormError("a part has an invalid header")
		}
		seen[field] = true
		switch text := strings.TrimSpace(string(value)); field {
		case "content-disposition":
			if e = p.readDisposition(doc, splice.Span{Start: at + len(key) + 1, End: at + len(line)}); e != nil {
				return p, e
			}
		case "content-type":
			if p.media = text; !mediaTypes.MatchString(text) {
				return p, newFormError("a part has an invalid Content-Type")
			}
		case "content-length":
			if text != strconv.Itoa(p.value.Len()) {
				return p, newFormError("a part has a wrong Content-Length")
			}
		case "content-transfer-encoding":
			if text != "binary" && text != "8bit" && text != "7bit" {
				return p, newFormError("a part is encoded; send it without an encoding")
			}
		default:
			return p, newFormError("a part has a header that forms do not use")
		}
		at += len(line) + 2
	}
	if p.name == "" {
		return p, newFormError("a part has no name")
	}
	return p, nil
}

// mediaTypes are the types of parts. It allows only parameters that cannot carry text.
var mediaTypes = regexp.MustCompile(`^[A-Za-z0-9]+/[A-Za-z0-9.+-]{1,60}( ?; ?(charset|codecs|rate|channels)="?[A-Za-z0-9.-]{1,20}"?)*$`)

// disposition is the header that names a part. A name may end with brackets; not all readers understand filename*.
var disposition = regexp.MustCompile(`^ ?form-data; ?name=(?:"(\w{1,64}(?:\[\])?)"|(\w{1,64}))(?:; ?filename=(?:"((?:[^"\\\r\n]|\\.)*)"|([^";\\\s]+)))?$`)

func (p *part) readDisposition(doc []byte, at splice.Span) *core.Error {
	m := disposition.FindSubmatchIndex(doc[at.Start:at.End])
	if m == nil {
		return newFormError("a part has an invalid Content-Disposition")
	}
	group := func(k int) splice.Span { return splice.Span{Start: at.Start + m[k], End: at.Start + m[k+1]} }
	for _, k := range []int{2, 4} {
		if m[k] >= 0 {
			p.name = strings.TrimSuffix(string(doc[group(k).Start:group(k).End]), "[]")
		}
	}
	for _, k := range []int{6, 8} {
		if m[k] >= 0 {
			p.isFile, p.fileName = true, group(k)
		}
	}
	return nil
}

// checkForm fails if links have changed the number of parts of a form: their text may contain the boundary.
func (s *Shape) checkForm(doc []byte, n *notes) *core.Error {
	if !s.form || bytes.Count(doc, []byte("--"+n.boundary)) == n.parts {
		return nil
	}
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeGuardUnavailable,
		Public: "a guard has written the boundary of the form into one of its values, so the request was refused",
	}
}

// cleanName returns what replaces the name of a file, or "" if the name looks like an identifier and may stay. The
// extension stays, because it tells providers the format.
func cleanName(raw []byte) string {
	if scan.IsPlain(raw) && !bytes.ContainsRune(raw, '\\') && len(raw) > 0 {
		return ""
	}
	return "file" + string(bytes.ToLower(endings.Find(raw)))
}

var endings = regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]{1,7}$`)
