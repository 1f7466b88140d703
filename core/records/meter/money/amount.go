// Package money represents amounts of US dollars exactly, in units of 1e-10 USD. It reads and writes them as decimal
// numbers, never through floating point.
//
// It may import the standard library.
package money

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Places is the number of decimal places of a dollar amount.
const Places = 10

// USD is one dollar.
const USD Amount = 10_000_000_000

// Most is the largest amount that Parse accepts, about 92 million dollars. Sums may be ten times as large.
const Most = 92_000_000 * USD

// Amount is an amount of money in units of 1e-10 USD. In JSON it is a number with as many digits as it needs.
type Amount int64

// The errors of Parse.
var (
	ErrSyntax = errors.New("is not a decimal number")
	ErrFine   = errors.New("has more than 10 decimal places")
	ErrRange  = errors.New("is out of range")
)

// Parse parses a decimal number, with or without an exponent, as in JSON. It never rounds: it refuses nonzero digits
// beyond the tenth decimal place, and amounts larger than Most.
func Parse(s string) (Amount, error) {
	rest, negative := strings.CutPrefix(s, "-")
	mantissa, exponent := rest, 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		e, err := strconv.Atoi(rest[i+1:])
		if err != nil || len(rest[i+1:]) > 5 {
			return 0, ErrSyntax
		}
		mantissa, exponent = rest[:i], e
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	if whole == "" || dotted && fraction == "" || len(whole) > 1 && whole[0] == '0' {
		return 0, ErrSyntax
	}
	digits := whole + fraction
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, ErrSyntax
		}
	}
	shift := Places + exponent - len(fraction) // the value is digits * 10^shift units
	digits = strings.TrimLeft(digits, "0")
	for ; shift < 0 && strings.HasSuffix(digits, "0"); shift++ {
		digits = digits[:len(digits)-1]
	}
	switch {
	case digits == "":
		return 0, nil
	case shift < 0:
		return 0, ErrFine
	case len(digits)+shift > 18:
		return 0, ErrRange
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", shift), 10, 64)
	if err != nil || Amount(n) > Most {
		return 0, ErrRange
	}
	if negative {
		n = -n
	}
	return Amount(n), nil
}

// String returns the amount in dollars as a decimal number without trailing zeros.
func (a Amount) String() string {
	s := a.FormatFixed(Places)
	s = strings.TrimRight(s, "0")
	return strings.TrimSuffix(s, ".")
}

// FormatFixed returns the amount with 0 to 10 decimal places, rounded half away from zero.
func (a Amount) FormatFixed(places int) string {
	n, sign := uint64(a), ""
	if a < 0 {
		n, sign = -n, "-"
	}
	unit := uint64(1)
	for range Places - places {
		unit *= 10
	}
	n = (n + unit/2) / unit
	s := strconv.FormatUint(n, 10)
	if n == 0 {
		sign = ""
	}
	if len(s) <= places {
		s = strings.Repeat("0", places+1-len(s)) + s
	}
	if places == 0 {
		return sign + s
	}
	return sign + s[:len(s)-places] + "." + s[len(s)-places:]
}

// MarshalJSON writes a number.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSON reads a number, or a string that holds one, since clients in floating-point languages send strings.
// null leaves the amount unchanged.
func (a *Amount) UnmarshalJSON(b []byte) error {
	s := string(b)
	if s == "null" {
		return nil
	}
	if len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	n, err := Parse(s)
	if err != nil {
		return fmt.Errorf("an amount of money %w", err)
	}
	*a = n
	return nil
}
