package config

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// decodeScalar decodes a single value into a word, text, number, switch, size, duration or time.
func (d *decoder) decodeScalar(rv reflect.Value, v *value, path string, f field) {
	t := rv.Type()
	if v.kind != scalar {
		d.reportProblem(v.at, path, "is "+v.nameKind()+" where "+describeType(t)+" is wanted", d.formatHint(f, t))
		return
	}
	bad := func(message, hint string) { d.reportProblem(v.at, path, d.quoteValue(v, path, f)+" "+message, hint) }
	switch {
	case t == timeType:
		when, err := parseTime(v.text)
		if err != nil {
			bad("is not a time", "write it as 2027-01-31T00:00:00Z")
			return
		}
		rv.Set(reflect.ValueOf(when))
	case t == durationType:
		got, err := time.ParseDuration(v.text)
		if err != nil {
			bad("is not a duration", "write a number with a unit, as in "+cmp.Or(f.tag.Get("eg"), f.tag.Get("default"), "30s"))
			return
		}
		if d.bounds(v, path, f, int64(got), func(s string) int64 { b, _ := time.ParseDuration(s); return int64(b) }) {
			rv.SetInt(int64(got))
		}
	case t == sizeType:
		got, err := ParseByteSize(v.text)
		if err != nil {
			bad("is not a size", "write a number with a unit, as in "+cmp.Or(f.tag.Get("eg"), f.tag.Get("default"), "16MiB"))
			return
		}
		if d.bounds(v, path, f, int64(got), func(s string) int64 { b, _ := ParseByteSize(s); return int64(b) }) {
			rv.SetInt(int64(got))
		}
	case t == amountType:
		d.decodeAmount(rv, v, path, f)
	case rv.CanAddr() && rv.Addr().Type().Implements(textType):
		if err := rv.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(v.text)); err != nil {
			bad("cannot be read as "+describeType(t), d.formatHint(f, t))
		}
	case t.Implements(choicesType):
		d.decodeWord(rv, v, path, f)
	case t.Kind() == reflect.String:
		rv.SetString(v.text)
	default:
		d.decodeNumber(rv, v, path, f)
	}
}

// decodeAmount decodes an amount of money. Quoted text is not a number, as in number.
func (d *decoder) decodeAmount(rv reflect.Value, v *value, path string, f field) {
	rv.SetInt(0) // no complaint about the default after one about the written value
	usd, err := money.Parse(v.text)
	if v.quoted && v.from == "" {
		err = money.ErrSyntax
	}
	switch {
	case err == nil:
		rv.SetInt(int64(usd))
	case errors.Is(err, money.ErrFine):
		d.reportProblem(v.at, path, d.quoteValue(v, path, f)+" "+err.Error(), "write at most ten decimal places")
	case errors.Is(err, money.ErrRange):
		d.reportProblem(v.at, path, d.quoteValue(v, path, f)+" "+err.Error(), "write 0 to 92000000")
	default:
		d.reportProblem(v.at, path, d.quoteValue(v, path, f)+" is not "+describeType(rv.Type()), d.formatHint(f, rv.Type()))
	}
}

// decodeWord decodes one of a closed set of words.
func (d *decoder) decodeWord(rv reflect.Value, v *value, path string, f field) {
	allowed := reflect.Zero(rv.Type()).Interface().(choices).Values()
	if slices.Contains(allowed, v.text) {
		rv.SetString(v.text)
		return
	}
	write := cmp.Or(suggestWord(v.text, allowed), f.tag.Get("default"), allowed[0])
	hint := fmt.Sprintf("write %s: %s", f.name, write)
	if strings.HasSuffix(path, "]") {
		hint = "write " + write
	}
	d.reportProblem(v.at, path, d.quoteValue(v, path, f)+" is not one of "+strings.Join(allowed, ", "), hint)
}

// quoteValue quotes a value for a message, unless it is secret or came from a variable, which may hold a secret put in
// the wrong place.
func (d *decoder) quoteValue(v *value, path string, f field) string {
	switch {
	case v.from != "":
		return "the value of ${" + v.from + "}"
	case f.tag.Get("secret") == "true", d.secret != nil && d.secret(path, f.name):
		return "the value"
	}
	return quoteText(v.text)
}

// quoteText quotes text of the file, cut at 60 bytes.
func quoteText(text string) string {
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "…"
	}
	return strconv.Quote(text)
}

// describeType describes a type for a message.
func describeType(t reflect.Type) string {
	switch {
	case t == timeType:
		return "a time"
	case t == durationType:
		return "a duration"
	case t == sizeType:
		return "a size"
	case t == amountType:
		return "a number"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int,
		reflect.Int8,
		reflect.Int16,
		reflect.Int32,
		reflect.Int64,
		reflect.Uint,
		reflect.Uint8,
		reflect.Uint16,
		reflect.Uint32,
		reflect.Uint64:
		return "a whole number"
	}
	return "a " + strings.ToLower(t.Name())
}

func (d *decoder) formatHint(f field, t reflect.Type) string {
	example := cmp.Or(f.tag.Get("eg"), f.tag.Get("default"))
	if example == "" {
		switch t.Kind() {
		case reflect.Bool:
			example = "true"
		case reflect.String:
			example = "…"
		default:
			example = "1"
		}
	}
	return fmt.Sprintf("write %s: %s", f.name, example)
}

// parseTime reads RFC 3339, or a date as its first moment in UTC.
func parseTime(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	return time.Parse(time.RFC3339, text)
}
