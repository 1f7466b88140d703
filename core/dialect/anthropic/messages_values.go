package anthropic

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

func (r *request) boolean(param string) bool {
	switch r.s.Kind() {
	case splice.True, splice.False:
		return r.s.Bool()
	case splice.Null:
		r.s.Null()
	default:
		r.wrongType(param, "a boolean")
	}
	return false
}

func (r *request) text(param string) string {
	switch r.s.Kind() {
	case splice.String:
		return str(r.s, r.doc)
	case splice.Null:
		r.s.Null()
	default:
		r.wrongType(param, "a string")
	}
	return ""
}

func (r *request) number(param string, lo, hi float64) {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
	case splice.Number:
		at := r.s.Number()
		if r.s.Err() != nil {
			return
		}
		if e := core.OutOfRange(param, r.doc[at.Start:at.End], lo, hi); e != nil {
			r.fail(e)
		}
	default:
		r.wrongType(param, "a number")
	}
}

func (r *request) integer(param string, least int64) int64 {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
		return 0
	case splice.Number:
	default:
		r.wrongType(param, "an integer")
		return 0
	}
	at := r.s.Number()
	if r.s.Err() != nil {
		return 0
	}
	v, e := core.Integer(param, r.doc[at.Start:at.End], least)
	if e != nil {
		r.fail(e)
	}
	return v
}

// maxTokens bounds what a provider may claim, so that sums do not overflow.
const maxTokens = 1 << 50

// count reads a number of tokens; anything else is none.
func count(s *splice.Scanner, doc []byte) int64 {
	if s.Kind() != splice.Number {
		s.Skip()
		return 0
	}
	at := s.Number()
	if s.Err() != nil {
		return 0
	}
	n, ok := splice.Integer(doc[at.Start:at.End])
	if !ok || n < 0 || n > maxTokens {
		return 0
	}
	return n
}
