package chart

import (
	"math"
	"strconv"
)

// Unit formats a value.
type Unit func(float64) string

// Count formats a number, in thousands or millions if it is large.
func Count(v float64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if math.Abs(v) >= u.of {
			return digits(v/u.of, 3) + u.name
		}
	}
	return digits(v, 3)
}

// Dollars formats an amount of money.
func Dollars(v float64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	switch {
	case v >= 1e4:
		return sign + "$" + Count(v)
	case v == 0:
		return "$0"
	case v >= 1:
		return sign + "$" + strconv.FormatFloat(v, 'f', 2, 64)
	}
	return sign + "$" + digits(v, 3)
}

// Millis formats milliseconds, in seconds if they are many.
func Millis(v float64) string {
	if math.Abs(v) >= 1e4 {
		return digits(v/1e3, 3) + " s"
	}
	return digits(v, 4) + " ms"
}

// Percent formats a percentage.
func Percent(v float64) string { return digits(v, 3) + " %" }

// digits formats a value with about n significant digits.
func digits(v float64, n int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	if v == 0 {
		return "0"
	}
	places := max(0, n-1-int(math.Floor(math.Log10(math.Abs(v)))))
	power := math.Pow(10, float64(min(places, 15)))
	return strconv.FormatFloat(math.Round(v*power)/power, 'f', -1, 64)
}
