package rego

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// Builtin is a Rego function that OPA leaves to the host. ok is false if the result is undefined.
type Builtin func(args []json.RawMessage) (result any, ok bool)

// Builtins are the functions without side effects or access to secrets. A host refuses to load a policy that uses any other, such as
// network access.
var Builtins = map[string]Builtin{"sprintf": formatValues}

// maxFormatted is the longest result of sprintf, in bytes.
const maxFormatted = 64 << 10

// formatValues implements sprintf(format, values). Numbers are formatted as integers if possible; values that are not
// scalars are formatted as JSON.
func formatValues(args []json.RawMessage) (any, bool) {
	var format string
	var raw []json.RawMessage
	if len(args) != 2 || json.Unmarshal(args[0], &format) != nil || json.Unmarshal(args[1], &raw) != nil {
		return nil, false
	}
	if isWide(format) || isCostly(format, raw) {
		return nil, false
	}
	values := make([]any, len(raw))
	for k, r := range raw {
		var text string
		switch {
		case json.Unmarshal(r, &text) == nil && r[0] == '"':
			values[k] = text
		case r[0] == '-' || '0' <= r[0] && r[0] <= '9':
			values[k] = readNumber(string(r))
		default:
			values[k] = string(r)
		}
	}
	out := fmt.Sprintf(format, values...)
	if len(out) > maxFormatted {
		return nil, false
	}
	return out, true
}

// isWide reports whether a format has a width or precision of more than three digits, or one taken from an argument: it could turn a few
// bytes into a text of any length.
func isWide(format string) bool {
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 {
			return false
		}
		format = format[at+1:]
		digits := 0
		for len(format) > 0 && strings.IndexByte("+-# .0123456789*[]", format[0]) >= 0 {
			switch c := format[0]; {
			case c == '*':
				return true
			case '0' <= c && c <= '9':
				digits++
			default:
				digits = 0
			}
			if digits > 3 {
				return true
			}
			format = format[1:]
		}
		if len(format) > 0 {
			format = format[1:]
		}
	}
}

// maxSprintfWork bounds the output of sprintf, in bytes, before it is known to be too long.
const maxSprintfWork = 16 << 20

// isCostly reports whether a format could produce a large output from a few bytes, for example by repeating a long value.
func isCostly(format string, raw []json.RawMessage) bool {
	longest := 0
	for _, r := range raw {
		longest = max(longest, len(r))
	}
	// A verb is padded to a width of three digits, or produces at most ten bytes for each byte of its value.
	return strings.Count(format, "%")*(1000+10*longest) > maxSprintfWork
}

// maxDigits is the most digits of a number in arithmetic.
const maxDigits = 1000

func readNumber(text string) any {
	if len(text) > maxDigits {
		return text
	}
	if n, ok := new(big.Int).SetString(text, 10); ok {
		if n.IsInt64() {
			return n.Int64()
		}
		return n
	}
	var f float64
	if json.Unmarshal([]byte(text), &f) != nil {
		return text
	}
	return f
}
