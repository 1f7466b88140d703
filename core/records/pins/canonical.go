package pins

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
)

// Canonicalize returns a JSON text in the one spelling of RFC 8785: members sorted, no white space, numbers and strings as
// ECMAScript writes them. Texts that say the same thing have the same form. It fails for a text that is not JSON, and for
// numbers beyond what a double holds.
func Canonicalize(doc []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read JSON: more than one value")
	}
	return appendValue(nil, v)
}

func appendValue(dst []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case json.Number:
		return appendNumber(dst, v)
	case string:
		return appendString(dst, v), nil
	case []any:
		dst = append(dst, '[')
		for i := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendValue(dst, v[i]); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case map[string]any:
		return appendObject(dst, v)
	}
	return nil, fmt.Errorf("a %T is not JSON", v)
}

// appendObject appends the members in the order of the UTF-16 form of their names (section 3.2.3).
func appendObject(dst []byte, m map[string]any) (_ []byte, err error) {
	type member struct {
		name  string
		units []uint16
	}
	members := make([]member, 0, len(m))
	for name := range m {
		members = append(members, member{name, utf16.Encode([]rune(name))})
	}
	slices.SortFunc(members, func(a, b member) int { return slices.CompareFunc(a.units, b.units, cmp.Compare) })
	dst = append(dst, '{')
	for i := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, members[i].name), ':')
		if dst, err = appendValue(dst, m[members[i].name]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendNumber appends a number as ECMAScript does (section 3.2.2.3): without an exponent from 1e-6 to 1e21.
func appendNumber(dst []byte, n json.Number) ([]byte, error) {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return nil, errors.New("a number is beyond what a double holds")
	}
	if f == 0 {
		return append(dst, '0'), nil // also -0
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if end := len(dst); dst[end-2] == '0' && (dst[end-3] == '-' || dst[end-3] == '+') { // e-07 is e-7
		dst[end-2] = dst[end-1]
		dst = dst[:end-1]
	}
	return dst, nil
}

// appendString appends a string with the shortest escapes (section 3.2.2.2).
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ':
			dst = append(dst, c)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, '"')
}
