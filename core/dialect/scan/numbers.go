package scan

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// CheckRange returns the client's error of a field that must be a number from lo to hi, given
// in digits; nil: it is one.
func CheckRange(param string, digits []byte, lo, hi float64) *core.Error {
	if v, err := strconv.ParseFloat(string(digits), 64); err == nil && lo <= v && v <= hi {
		return nil
	}
	return &core.Error{
		Kind:  core.InvalidRequest,
		Code:  core.CodeInvalidValue,
		Param: param,
		Public: strconv.Quote(
			param,
		) + " must be between " + strconv.FormatFloat(
			lo,
			'f',
			-1,
			64,
		) + " and " + strconv.FormatFloat(
			hi,
			'f',
			-1,
			64,
		),
	}
}

// ParseInteger reads a field that must be an integer of at least least.
func ParseInteger(param string, digits []byte, least int64) (int64, *core.Error) {
	if v, ok := splice.ParseInteger(digits); ok && v >= least {
		return v, nil
	}
	want := " must be an integer"
	if least > -1<<63 {
		want += " of at least " + strconv.FormatInt(least, 10)
	}
	return 0, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: param, Public: strconv.Quote(param) + want}
}
