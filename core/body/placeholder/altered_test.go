package placeholder

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alterations are what a model may make of short, and what of it is the placeholder; "" when nothing is.
var alterations = []struct{ name, text, found string }{
	{"nothing is altered", "a " + short + " b", short},
	{"small letters", "{{pii_email_0a1b2c3d4e5f6a7b}}", "*"},
	{"one large letter", "{{Pii_Email_0a1b2c3d4e5f6a7b}}", "*"},
	{"large digits", "{{PII_EMAIL_0A1B2C3D4E5F6A7B}}", "*"},
	{"blanks inside the braces", "{{ PII_EMAIL_0a1b2c3d4e5f6a7b }}", "*"},
	{"a line break inside the braces", "{{\n  PII_EMAIL_0a1b2c3d4e5f6a7b\n}}", "*"},
	{"a blank behind an underscore", "{{PII_ EMAIL_0a1b2c3d4e5f6a7b}}", "*"},
	{"a blank before the digits", "{{PII_EMAIL _ 0a1b2c3d4e5f6a7b}}", "*"},
	{"blanks for underscores", "{{PII EMAIL 0a1b2c3d4e5f6a7b}}", "*"},
	{"characters that are not seen", "{{\u200bPII_\u00adEMAIL_\u20600a1b2c3d4e5f6a7b\ufeff}}", "*"},
	{"single braces", "{PII_EMAIL_0a1b2c3d4e5f6a7b}", "*"},
	{"a closing brace too few", "{{PII_EMAIL_0a1b2c3d4e5f6a7b} x", "{{PII_EMAIL_0a1b2c3d4e5f6a7b}"},
	{"no braces", "x PII_EMAIL_0a1b2c3d4e5f6a7b.", "PII_EMAIL_0a1b2c3d4e5f6a7b"},
	{"no braces, within a word", "(PII_EMAIL_0a1b2c3d4e5f6a7bs)", "PII_EMAIL_0a1b2c3d4e5f6a7b"},
	{"no closing braces", "{{PII_EMAIL_0a1b2c3d4e5f6a7b", "PII_EMAIL_0a1b2c3d4e5f6a7b"},
	{"no opening braces", "PII_EMAIL_0a1b2c3d4e5f6a7b}}", "PII_EMAIL_0a1b2c3d4e5f6a7b"},
	{"braces of a template around it", "{{{" + short + "}", short},
	{"an object around single braces", `{"a":{PII_EMAIL_0a1b2c3d4e5f6a7b}}`, "{PII_EMAIL_0a1b2c3d4e5f6a7b}"},
	{"a link around it", "[PII_EMAIL_0a1b2c3d4e5f6a7b](x)", "PII_EMAIL_0a1b2c3d4e5f6a7b"},
	{"decimal entities", "&#123;&#123;PII_EMAIL_0a1b2c3d4e5f6a7b&#125;&#125;", "*"},
	{"hexadecimal entities", "&#x7B;&#x7B;PII&#x5f;EMAIL&#95;0a1b2c3d4e5f6a7b&#x7d;&#x7D;", "*"},
	{"entities with names", "&lbrace;&lbrace;PII&lowbar;EMAIL&nbsp;0a1b2c3d4e5f6a7b&rbrace;&rbrace;", "*"},
	{"short names of entities", "&lcub;PII_EMAIL_0a1b2c3d4e5f6a7b&rcub;", "*"},
	{"percent", "%7B%7BPII%5FEMAIL_0a1b2c3d4e5f6a7b%7d%7D", "*"},
	{"full-width braces", "｛｛PII_EMAIL_0a1b2c3d4e5f6a7b｝｝", "*"},
	{"braces escaped in JSON", `\u007b\u007bPII\u005fEMAIL_0a1b2c3d4e5f6a7b\u007D\u007D`, "*"},
	{"braces escaped in JSON in JSON", `\\u007b\\u007bPII_EMAIL_0a1b2c3d4e5f6a7b\\u007d\\u007d`, "*"},
	{
		"an escape in front of escaped braces",
		`\\\u007b\u007bPII_EMAIL_0a1b2c3d4e5f6a7b\u007d\u007d`,
		`\u007b\u007bPII_EMAIL_0a1b2c3d4e5f6a7b\u007d\u007d`,
	},
	{"escapes of Markdown", `\{\{PII\_EMAIL\_0a1b2c3d4e5f6a7b\}\}`, "*"},
	{"escaped underscores in JSON", `{{PII\\_EMAIL\\_0a1b2c3d4e5f6a7b}}`, "*"},
	{"escaped underscores without braces", `PII\_EMAIL\_0a1b2c3d4e5f6a7b`, "*"},
	{"a backslash that belongs to what is in front", `C:\` + short, short},
	{"emphasis within the braces", "{{**PII_EMAIL_0a1b2c3d4e5f6a7b**}}", "*"},
	{"emphasis around it", "**PII_EMAIL_0a1b2c3d4e5f6a7b**", "PII_EMAIL_0a1b2c3d4e5f6a7b"},
	{"code within the braces", "{{`PII_EMAIL_0a1b2c3d4e5f6a7b`}}", "*"},
	{"a false start", "{{PII_EMAIL_{PII_EMAIL_0a1b2c3d4e5f6a7b}", "{PII_EMAIL_0a1b2c3d4e5f6a7b}"},
	{"the type alone", "{{PII_EMAIL}} {{PII_EMAIL_}} <EMAIL> EMAIL_0a1b2c3d4e5f6a7b", ""},
	{"the digits alone", "0a1b2c3d4e5f6a7b {{PII_0a1b2c3d4e5f6a7b}}", ""},
	{"a digit too few", "{{PII_EMAIL_0a1b2c3d4e5f6a7}}", ""},
	{"a digit too many", "PII_EMAIL_0a1b2c3d4e5f6a7b0", ""},
	{"digits with a blank in them", "{{PII_EMAIL_0a1b2c3d 4e5f6a7b}}", ""},
	{"blanks for underscores without braces", "PII EMAIL 0a1b2c3d4e5f6a7b", ""},
	{"blanks for underscores and no closing brace", "{{PII EMAIL 0a1b2c3d4e5f6a7b", ""},
	{"too many blanks", "{{PII_" + strings.Repeat(" ", 20) + "EMAIL_0a1b2c3d4e5f6a7b}}", ""},
	{"a type that is too long", "PII_" + strings.Repeat("T", 32) + "_0a1b2c3d4e5f6a7b", ""},
	{"a type that starts with a digit", "PII_1A_0a1b2c3d4e5f6a7b", ""},
	{"other letters", "PIN_EMAIL_0a1b2c3d4e5f6a7b pIi_EMAIL_0a1b2c3d4e5f6a7b", ""},
	{"more backslashes than anybody writes", strings.Repeat(`\`, 16) + "{PII EMAIL 0a1b2c3d4e5f6a7b}", "{PII EMAIL 0a1b2c3d4e5f6a7b}"},
	{"text about it", "PII is an acronym; {PII} and {{PII is one}} and pii_detector(x) too", ""},
	{"nothing", "", ""},
}

func TestAlteredPlaceholdersAreFoundWhenTypeAndDigitsAreWhole(t *testing.T) {
	for _, tc := range alterations {
		t.Run(tc.name, func(t *testing.T) {
			want := tc.found
			if want == "*" {
				want = tc.text
			}
			start, end, token, ok := FindNextAltered(tc.text, 0)
			require.Equal(t, want != "", ok, "%q", tc.text[start:end])
			assert.Equal(t, want, tc.text[start:end])
			if ok {
				assert.Equal(t, short, token)
			}
		})
	}
}

func TestTheProperFormOfAnAlteredPlaceholderIsWhole(t *testing.T) {
	for text, want := range map[string]string{
		long: long,
		"pii_credit_card_0A1B2C3D4E5F6A7B01234567":             long,
		"{PII CREDIT CARD 0a1b2c3d4e5f6a7b01234567}":           long,
		`\{PII\_A\_\_B2\_0a1b2c3d4e5f6a7b\}`:                   "{{PII_A__B2_0a1b2c3d4e5f6a7b}}",
		"{{PII_A__0a1b2c3d4e5f6a7b}}":                          "{{PII_A__0a1b2c3d4e5f6a7b}}",
		"PII_" + strings.Repeat("t", 31) + "_0a1b2c3d4e5f6a7b": "{{PII_" + strings.Repeat("T", 31) + "_0a1b2c3d4e5f6a7b}}",
	} {
		_, _, token, ok := FindNextAltered(text, 0)
		assert.True(t, ok, text)
		assert.Equal(t, want, token)
	}
}

func BenchmarkAltered(b *testing.B) {
	text := strings.Repeat("some plain words of text, in a paragraph. ", 100)
	b.Run("next, none", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			FindNextAltered(text, 0)
		}
	})
	b.Run("partial, none", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			FindPartialAltered(text, len(text)-12)
		}
	})
	b.Run("partial, flood", func(b *testing.B) {
		flood := strings.Repeat("{PII_", 100)
		for b.Loop() {
			FindPartialAltered(flood, 0)
		}
	})
}
