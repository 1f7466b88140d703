package play

import "strings"

// Odd returns texts that every stage must survive: empty, blank, control characters, broken UTF-8 of every kind,
// unfinished placeholders and JSON, long words, and many characters of several bytes.
func Odd() []string {
	return []string{
		"", " ", "\n\r\t\v\x00\x01\x7f", "é\u0301 \U0001F600 \u202Eabc\u202C \uFFFD \U0010FFFF",
		"caf\xc3 \xff\xfe\x80 \xed\xa0\x80 \xf0\x9f\x98 broken", "\x80", "\xf0\x9f\x98", "\xc0\xaf", "\xf5\x80\x80\x80",
		"{{PII_EMAIL_0123456789abcdef}}", "{{PII_EMAIL_0123", `{"a":"\u00e9"}`, strings.Repeat("{", 500), strings.Repeat("[\"", 300),
		strings.Repeat("a", 10_000), strings.Repeat("1", 5_000), strings.Repeat("é", 30_000), strings.Repeat("\x00", 5_000),
	}
}
