package admin

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// recordID matches the ids of imported records, which become parts of URL paths.
var recordID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// CheckBounds checks the fields of a request against the limits in their struct tags. The API checks them itself; other callers
// use this function. The error names the field.
func CheckBounds(v any) error {
	err := checkLimits(reflect.ValueOf(v))
	if err == nil {
		return nil
	}
	field, says, _ := strings.Cut(err.Error(), ": ")
	return newInvalidValueError(field, says)
}

// checkLimits checks the fields of a document against the limits in their struct tags, which the API would check in a
// request. Omitted fields are not checked.
func checkLimits(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return checkLimits(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := checkLimits(v.Index(i)); err != nil {
				return fmt.Errorf("[%d].%w", i, err)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f, x := v.Type().Field(i), v.Field(i)
			if !f.IsExported() || x.Kind() != reflect.Pointer && x.IsZero() {
				continue
			}
			if x.Kind() == reflect.Pointer {
				if x = x.Elem(); !x.IsValid() {
					continue
				}
			}
			if err := checkLimit(f.Tag, x); err != nil {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := checkLimits(x); err != nil {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				return fmt.Errorf("%s%w", name, err)
			}
		}
	}
	return nil
}

// checkLimit checks a value against the limits in the tag of its field.
func checkLimit(tag reflect.StructTag, v reflect.Value) error {
	least, most, unit, n := "minLength", "maxLength", " characters", int64(0)
	switch {
	case v.Kind() == reflect.String:
		if words := strings.Split(tag.Get("enum"), ","); words[0] != "" && !slices.Contains(words, v.String()) {
			return fmt.Errorf("write one of %s", strings.Join(words, ", "))
		}
		n = int64(utf8.RuneCountInString(v.String()))
	case v.Kind() == reflect.Slice:
		least, most, unit, n = "minItems", "maxItems", " elements", int64(v.Len())
	case v.CanInt():
		least, most, unit, n = "minimum", "maximum", "", v.Int()
	default:
		return nil
	}
	if bound, err := strconv.ParseInt(tag.Get(least), 10, 64); err == nil && n < bound {
		return fmt.Errorf("write %s", fmt.Sprint(bound, unit, " or more"))
	}
	if bound, err := strconv.ParseInt(tag.Get(most), 10, 64); err == nil && n > bound {
		return fmt.Errorf("write %s", fmt.Sprint("at most ", bound, unit))
	}
	return nil
}
