package rest

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// wordings translate the library's messages about invalid values, selected by prefix, to instructions. % stands for the rest
// of the message. The value itself is omitted, because it may be secret.
var wordings = []struct{ found, write string }{
	{"expected length >= ", "write at least % characters"},
	{"expected length <= ", "write at most % characters"},
	{"expected array length >= ", "write a list of at least % elements"},
	{"expected array length <= ", "write a list of at most % elements"},
	{"expected number >= ", "write a number of % or more"},
	{"expected number <= ", "write a number of % or less"},
	{"expected number > ", "write a number above %"},
	{"expected number < ", "write a number below %"},
	{"expected number to be a multiple of ", "write a multiple of %"},
	{"expected value to be one of ", "write one of %"},
	{"expected object with at least ", "write an object with at least %"},
	{"expected object with at most ", "write an object with at most %"},
	{"expected string to match pattern ", "write what fits the pattern %"},
	{"expected string to be RFC 3339 date-time", "write a time with its zone, as 2026-01-31T12:00:00Z"},
	{"expected string to be RFC 3339 date", "write a date, as 2026-01-31"},
	{"expected string to be RFC 5322 email", "write an e-mail address, as name@example.com"},
	{"expected string to be RFC 3986 uri", "write a whole address, as https://example.com/path"},
	{"expected string to be RFC 4122 uuid", "write a UUID"},
	{"expected string to be base64 encoded", "write it in base64"},
	{"expected string to be regex", "write a regular expression of RE2"},
	{"expected array items to be unique", "write each element once"},
	{"expected boolean", "write true or false, without quotes"},
	{"expected number", "write a number, without quotes"},
	{"expected integer", "write a whole number, without quotes"},
	{"expected string", "write a text in quotes"},
	{"expected array", "write a list in square brackets"},
	{"expected object", "write an object in braces"},
	{"invalid integer", "write a whole number"},
	{"invalid float", "write a number"},
	{"invalid boolean", "write true or false"},
	{"invalid date/time", "write a time with its zone, as 2026-01-31T12:00:00Z"},
	{"request body is required", "send a JSON object"},
}

// rewordRefusal returns what to write instead of an invalid value.
func rewordRefusal(d *huma.ErrorDetail) string {
	for _, w := range wordings {
		rest, ok := strings.CutPrefix(d.Message, w.found)
		if !ok {
			continue
		}
		text := strings.Replace(w.write, "%", strings.Trim(rest, `"`), 1)
		if rest == "1" { // singular
			text = strings.NewReplacer("characters", "character", "elements", "element").Replace(text)
		}
		return text
	}
	said, _, _ := strings.Cut(d.Message, ": ")
	return said
}
