package scan

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
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
// Null is the empty string.
func (r *Request) ReadText(param string) string {
	switch r.S.Kind() {
	case splice.String:
		return Alias(r.S, r.Doc)
	case splice.Null:
		r.S.Null()
	default:
		r.RejectType(param, "a string")
	}
	return ""
}

// ReadName reads a name for the head, as a copy: a rewritten request drops the
// body that it came in. Null is the empty string.
func (r *Request) ReadName(param string) string {
	if r.S.Kind() != splice.String {
		return r.ReadText(param)
	}
	s := Text(r.S, r.Doc)
	if len(s) > MaxName {
		r.Fail(Invalid(param, strconv.Quote(param)+" is longer than "+strconv.Itoa(MaxName)+" bytes"))
		return ""
	}
	return s
}

// CheckNumber reads a number that must lie between lo and hi, or null.
func (r *Request) CheckNumber(param string, lo, hi float64) {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
	case splice.Number:
		at := r.S.Number()
		if r.S.Err() != nil {
			return
		}
		if e := OutOfRange(param, r.Doc[at.Start:at.End], lo, hi); e != nil {
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
	v, e := Integer(param, r.Doc[at.Start:at.End], least)
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
