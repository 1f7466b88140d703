package scan

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// ReadBool reads a boolean. Null is false.
func (r *Request) ReadBool(param string) bool {
	switch r.S.Kind() {
	case splice.True, splice.False:
		return r.S.Bool()
	case splice.Null:
		r.S.Null()
	default:
		r.RejectType(param, "a boolean")
	}
	return false
}

// ReadText reads a string, which aliases the body unless it contains escapes.
// Null is the empty string. What is not plain becomes a segment: the fields that are read
// so hold identifiers, and the guards must see everything else.
func (r *Request) ReadText(param string) string {
	switch r.S.Kind() {
	case splice.String:
		return r.ReadPlain(param)
	case splice.Null:
		r.S.Null()
	default:
		r.RejectType(param, "a string")
	}
	return ""
}

// ReadIdentifier is [Request.ReadText] for a member of a list's element. The path of the
// element is only spelled out for an error.
func (r *Request) ReadIdentifier(list string, i int32, name string) string {
	if r.S.Kind() == splice.String {
		return r.ReadPlain(name)
	}
	return r.ReadText(FormatPath(list, i, name))
}

// ReadPlain reads the string that comes next like [Request.ReadText].
func (r *Request) ReadPlain(name string) string {
	at, escaped := r.S.String()
	if r.S.Err() != nil {
		return ""
	}
	if raw := r.Doc[at.Start:at.End]; !IsPlain(raw) {
		r.addIdentifier(strings.Clone(ShortenName(name)), at)
	}
	if escaped {
		return unescapeString(r.Doc, at)
	}
	return zerocopy.String(r.Doc[at.Start:at.End])
}

// addIdentifier adds a segment for the content of a string that names something.
func (r *Request) addIdentifier(name string, at splice.Span) {
	if at.Len() > 0 {
		r.X.Request.Segments = append(r.X.Request.Segments, core.Segment{
			Role: r.Place.Role, Kind: core.KindOther, Depth: 1, Message: r.Place.Message, Part: r.Place.Part, Field: name, Span: at,
		})
	}
}

// ReadName reads a name for the head, as a copy: a rewritten request drops the
// body that it came in. Null is the empty string.
func (r *Request) ReadName(param string) string {
	if r.S.Kind() != splice.String {
		return r.ReadText(param)
	}
	s := strings.Clone(r.ReadPlain(param))
	if len(s) > MaxName {
		r.Fail(NewInvalid(param, strconv.Quote(param)+" is longer than "+strconv.Itoa(MaxName)+" bytes"))
		return ""
	}
	return s
}

// ReadUser reads the name of the end user for the head. It can be anything that names a
// person, so that it is a segment however it is spelled.
func (r *Request) ReadUser(param string) string {
	if r.S.Kind() != splice.String {
		return r.ReadText(param)
	}
	user := r.ReadUserID(param)
	if len(user) > MaxName {
		r.Fail(NewInvalid(param, strconv.Quote(param)+" is longer than "+strconv.Itoa(MaxName)+" bytes"))
		return ""
	}
	return strings.Clone(user)
}

// ReadUserID reads the string that comes next like [Request.ReadUser], but of any length
// and not as a copy.
func (r *Request) ReadUserID(param string) string {
	at, escaped := r.S.String()
	if r.S.Err() != nil {
		return ""
	}
	r.addIdentifier(param, at)
	if escaped {
		return unescapeString(r.Doc, at)
	}
	return zerocopy.String(r.Doc[at.Start:at.End])
}

// ReadBoundedNumber reads a number that must lie between lo and hi, or null.
func (r *Request) ReadBoundedNumber(param string, lo, hi float64) {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
	case splice.Number:
		at := r.S.Number()
		if r.S.Err() != nil {
			return
		}
		if e := CheckRange(param, r.Doc[at.Start:at.End], lo, hi); e != nil {
			r.Fail(e)
		}
	default:
		r.RejectType(param, "a number")
	}
}

// ReadInteger reads an integer that must be least or more. Null is 0.
func (r *Request) ReadInteger(param string, least int64) int64 {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return 0
	case splice.Number:
	default:
		r.RejectType(param, "an integer")
		return 0
	}
	at := r.S.Number()
	if r.S.Err() != nil {
		return 0
	}
	v, e := ParseInteger(param, r.Doc[at.Start:at.End], least)
	if e != nil {
		r.Fail(e)
	}
	return v
}

// EnterList opens an array. It reports false for null and for any other value.
func (r *Request) EnterList(param, want string) bool {
	switch r.S.Kind() {
	case splice.Array:
		return r.S.Enter()
	case splice.Null:
		r.S.Null()
	default:
		r.RejectType(param, want)
	}
	return false
}

// EnterObject opens an object. It reports false for null and for any other value.
func (r *Request) EnterObject(param string) bool {
	switch r.S.Kind() {
	case splice.Object:
		return r.S.Enter()
	case splice.Null:
		r.S.Null()
	default:
		r.RejectType(param, "an object")
	}
	return false
}
