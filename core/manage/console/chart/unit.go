package chart

import (
	"math"
	"strconv"
)

// Unit formats a value.
type Unit func(float64) string

// FormatCount formats a number, in thousands or millions if it is large.
func FormatCount(v float64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if math.Abs(v) >= u.of {
			return formatDigits(v/u.of, 3) + u.name
		}
	}
	return formatDigits(v, 3)
}

// FormatDollars formats an amount of money.
func FormatDollars(v float64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	switch {
	case v >= 1e4:
		return sign + "$" + FormatCount(v)
	case v == 0:
		return "$0"
	case v >= 1:
		return sign + "$" + strconv.FormatFloat(v, 'f', 2, 64)
	}
	return sign + "$" + formatDigits(v, 3)
}

// FormatMillis formats milliseconds, in seconds if they are many.
func FormatMillis(v float64) string {
	if math.Abs(v) >= 1e4 {
		return formatDigits(v/1e3, 3) + " s"
	}
	return formatDigits(v, 4) + " ms"
}

// FormatPercent formats a percentage.
func FormatPercent(v float64) string { return formatDigits(v, 3) + " %" }

// formatDigits formats a value with about n significant digits.
func formatDigits(v float64, n int) string {
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
