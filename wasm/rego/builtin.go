package rego

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// Builtin is a function of Rego that OPA leaves to the host. ok is false if the result is
// undefined.
type Builtin func(args []json.RawMessage) (result any, ok bool)

// Builtins are the functions without side effects or access to secrets. A host refuses a policy
// that uses any other, such as the network, when it loads it.
var Builtins = map[string]Builtin{"sprintf": sprintf}

// maxFormatted is the longest result of sprintf, in bytes.
const maxFormatted = 64 << 10

// sprintf is sprintf(format, values). Numbers are integers where they can be;
// values that are not scalars are formatted as JSON.
func sprintf(args []json.RawMessage) (any, bool) {
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

// isWide reports a format whose width or precision has more than three digits, or comes
// from an argument: it could make a text of any length out of a few bytes.
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

// maxSprintfWork bounds what sprintf makes before it is known to be too long, in bytes.
const maxSprintfWork = 16 << 20

// isCostly reports a format that could make much out of few bytes, as one that shows a
// long value again and again does.
func isCostly(format string, raw []json.RawMessage) bool {
	longest := 0
	for _, r := range raw {
		longest = max(longest, len(r))
	}
	// A verb is padded to three digits' width, or makes at most ten bytes of each.
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
