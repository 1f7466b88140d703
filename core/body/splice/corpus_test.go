package splice

import (
	"fmt"
	"strings"
)

// corpus holds whole, valid documents with everything the gateway must carry
// through unchanged.
var corpus = []string{
	`{"model":"gpt-4o","messages":[{"role":"user","content":"Hello, world"}],"stream":true,"n":null}`,
	"{ \"seed\" :\t12345678901234567890 ,\r\n \"t\":1.0e0, \"u\":-0.0E+00,\"url\":\"http:\\/\\/x\\/y\" }",
	`{"z":1,"a":{"z":1,"a":[]},"m":{},"b":[[],[{}],[false,true,null]]}`,
	`{"content":"caf\u00e9 \ud83d\ude00 line\nnext\ttab \"quoted\" back\\slash \b\f\r"}`,
	`{"content":"café 日本語 😀 Ελληνικά кириллица` + strings.Repeat("ä", 40) + `"}`,
	`{"tool_calls":[{"function":{"name":"f","arguments":"{\"to\":\"bo@x.com\",\"n\":4111,\"s\":\"a\\nb\\u00e9\\ud83d\\ude00\"}"}}]}`,
	"\n\n" + `{` + "\n" + strings.Repeat(" ", 37) + `"indented":` + strings.Repeat(" ", 19) + `[1, 2,` + "\n\t3]\n}\n",
	`"` + strings.Repeat("plain text of some length, ", 20) + `"`,
	`["` + strings.Repeat(`x`, 63) + `\n` + strings.Repeat("y", 65) + `","",""]`,
	manyKeys(60),
	`"\ud800\udc00\uDBFF\uDFFF\ud7ff\ue000\uffff` + "\U00010000\U0010FFFF\ud7ff\ue000\uffff\u0080\u07ff\u0800" + `"`,
	`0`, `-1.5e-7`, `""`, `true`, `false`, `null`, `[]`, `{}`, ` [ ] `,
}

// broken holds documents that must be refused, with the reason for it.
var broken = []struct {
	name, doc string
	why       Reason
	at        int
}{
	{"nothing", ``, ReasonTruncated, 0},
	{"only white space", " \n ", ReasonTruncated, 3},
	{"a byte order mark", "\xef\xbb\xbf{}", ReasonSyntax, 0},
	{"a NUL byte", "\x00", ReasonSyntax, 0},
	{"a NUL byte behind the value", "{}\x00", ReasonTrailing, 2},
	{"a NUL byte between tokens", "[\x001]", ReasonSyntax, 1},
	{"a NUL byte in a string", "\"a\x00b\"", ReasonControl, 2},
	{"a raw line feed in a string", "[\"0123456789\n\"]", ReasonControl, 12},
	{"a vertical tab as space", "[\v1]", ReasonSyntax, 1},
	{"two values", `{}{}`, ReasonTrailing, 2},
	{"a comma at the end of an array", `[1,]`, ReasonSyntax, 3},
	{"a comma at the end of an object", `{"a":1,}`, ReasonSyntax, 7},
	{"a comma at the start", `[,1]`, ReasonSyntax, 1},
	{"a missing comma", `[1 2]`, ReasonSyntax, 3},
	{"a missing colon", `{"a" 1}`, ReasonSyntax, 5},
	{"a missing value", `{"a":}`, ReasonSyntax, 5},
	{"a bare key", `{a:1}`, ReasonSyntax, 1},
	{"a number for a key", `{1:1}`, ReasonSyntax, 1},
	{"single quotes", `['a']`, ReasonSyntax, 1},
	{"the wrong bracket", `[1}`, ReasonSyntax, 2},
	{"the wrong bracket in an object", `{"a":1]`, ReasonSyntax, 6},
	{"a bracket too many", `[]]`, ReasonTrailing, 2},
	{"a comment", `[/*x*/1]`, ReasonSyntax, 1},
	{"a misspelled literal", `[trUe]`, ReasonSyntax, 3},
	{"a literal that goes on", `[truex]`, ReasonSyntax, 5},
	{"NaN", `[NaN]`, ReasonSyntax, 1},
	{"a leading zero", `[01]`, ReasonNumber, 2},
	{"a leading plus", `[+1]`, ReasonSyntax, 1},
	{"a minus alone", `[-]`, ReasonNumber, 2},
	{"no digit behind the point", `[1.]`, ReasonNumber, 3},
	{"no digit before the point", `[.1]`, ReasonSyntax, 1},
	{"no digit in the exponent", `[1e+]`, ReasonNumber, 4},
	{"a hexadecimal number", `[0x1]`, ReasonSyntax, 2},
	{"an unknown escape", `["\x"]`, ReasonEscape, 2},
	{"an upper-case escape", `["\N"]`, ReasonEscape, 2},
	{"a short \\u escape", `["\u12g4"]`, ReasonEscape, 2},
	{"a lone high surrogate", `["\ud83d"]`, ReasonSurrogate, 2},
	{"a lone low surrogate", `["\ude00"]`, ReasonSurrogate, 2},
	{"a high surrogate before another escape", `["\ud83d\n"]`, ReasonSurrogate, 2},
	{"a high surrogate before a letter", `["\ud83d\u0041"]`, ReasonSurrogate, 2},
	{"a high surrogate before a character", `["\ud83d\ue000"]`, ReasonSurrogate, 2},
	{"a stray continuation byte", "[\"a\x80\"]", ReasonInvalidUTF8, 3},
	{"an overlong form of two", "[\"\xc0\xaf\"]", ReasonInvalidUTF8, 2},
	{"an overlong form of three", "[\"\xe0\x80\xaf\"]", ReasonInvalidUTF8, 2},
	{"a surrogate in UTF-8", "[\"\xed\xa0\x80\"]", ReasonInvalidUTF8, 2},
	{"a character above U+10FFFF", "[\"\xf4\x90\x80\x80\"]", ReasonInvalidUTF8, 2},
	{"a character cut by a quote", "[\"\u00e9\xe6\x97\"]", ReasonInvalidUTF8, 4},
	{"equal keys", `{"a":1,"b":2,"a":3}`, ReasonDuplicateKey, 13},
	{"keys equal when decoded", `{"a":1,"\u0061":2}`, ReasonDuplicateKey, 7},
	{"keys equal when decoded, escaped first", `{"\u0061":1,"a":2}`, ReasonDuplicateKey, 12},
	{"equal empty keys", `{"":1,"":2}`, ReasonDuplicateKey, 6},
	{"equal keys inside", `[{"x":{"long-key-name":1,"long-key-name":2}}]`, ReasonDuplicateKey, 25},
	{"an equal key behind an inner object", `{"k":{"k":{}},"k":1}`, ReasonDuplicateKey, 14},
	{"an equal key after many", strings.TrimSuffix(manyKeys(300), "}") + `,"key-7":1}`, ReasonDuplicateKey, len(manyKeys(300))},
}

func manyKeys(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"key-%d":{"key-%d":%d}`, i, i, i)
	}
	b.WriteByte('}')
	return b.String()
}
