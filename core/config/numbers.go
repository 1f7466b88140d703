package config

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// decodeNumber decodes switches and numbers. Quoted text is not a number, unless it contains a variable: within {} a ${…} has
// to be quoted.
func (d *decoder) decodeNumber(rv reflect.Value, v *value, path string, f field) {
	bad := func() {
		d.reportProblem(v.at, path, d.quoteValue(v, path, f)+" is not "+describeType(rv.Type()), d.formatHint(f, rv.Type()))
	}
	if v.quoted && v.from == "" {
		bad()
		return
	}
	switch rv.Kind() {
	case reflect.Bool:
		if v.text != "true" && v.text != "false" {
			bad()
			return
		}
		rv.SetBool(v.text == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(v.text, 10, 64)
		if err != nil || rv.OverflowInt(n) {
			bad()
			return
		}
		if d.bounds(v, path, f, n, func(s string) int64 { b, _ := strconv.ParseInt(s, 10, 64); return b }) {
			rv.SetInt(n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(v.text, 10, 64)
		if err != nil || rv.OverflowUint(n) {
			bad()
			return
		}
		rv.SetUint(n)
	case reflect.Float32, reflect.Float64:
		n, err := strconv.ParseFloat(v.text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || rv.OverflowFloat(n) {
			bad()
			return
		}
		rv.SetFloat(n)
	default:
		d.reportProblem(v.at, path, "cannot be decoded: a "+rv.Type().String()+" has no form in the file", "")
	}
}

// bounds checks a number against the min and max tags.
func (d *decoder) bounds(v *value, path string, f field, n int64, parse func(string) int64) bool {
	low, hasLow := f.tag.Lookup("min")
	high, hasHigh := f.tag.Lookup("max")
	switch {
	case hasLow && hasHigh && (n < parse(low) || n > parse(high)):
		d.reportProblem(v.at, path, d.quoteValue(v, path, f)+" is out of range", fmt.Sprintf("write %s to %s", low, high))
	case hasLow && n < parse(low):
		d.reportProblem(v.at, path, d.quoteValue(v, path, f)+" is too small", "write "+low+" or more")
	case hasHigh && n > parse(high):
		d.reportProblem(v.at, path, d.quoteValue(v, path, f)+" is too large", "write "+high+" or less")
	default:
		return true
	}
	return false
}
