package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestValuesThatResembleCodeAreFound holds the values that the rules for numbers and names of programs must let through.
func TestValuesThatResembleCodeAreFound(t *testing.T) {
	e := engine(t, Options{})
	for _, c := range []struct{ name, text, want string }{
		{"a German number in parentheses", "phone (030 1234567)", "PHONE (030 1234567"},
		{"an American number in one piece in parentheses", "Tel. (2125550187)", "PHONE (2125550187"},
		{"an American number with dashes in parentheses", "call (212-555-0187)", "PHONE (212-555-0187"},
		{"a number with an area in parentheses inside parentheses", "phone ((030) 1234567)", "PHONE (030) 1234567"},
		{"a number and a remark about it in parentheses", "phone (030 1234567, in the morning)", "PHONE (030 1234567"},
		{"a number behind another in a bracket that closes later", "phone (030 1234567 or 030 7654321)", "PHONE (030 1234567|PHONE 030 7654321"},
		{"a number behind the label of its line and a bracket", "Kim (mobil)+49 151 23456789", "PHONE +49 151 23456789"},
		{"a number before a date", "Telefon 030 1234567 2024-05-01", "PHONE 030 1234567"},
		{"a number with zeros in its second group", "Handy 0171 0001234", "PHONE 0171 0001234"},

		{"a card behind a word in -ed and a colon", "Card used: 4539 8245 5345 9855", "CREDIT_CARD 4539 8245 5345 9855"},
		{"a card behind another word in -ed", "card saved: 4539 8245 5345 9855", "CREDIT_CARD 4539 8245 5345 9855"},
		{"a card behind a year and a colon", "Card on file since 2019: 4539 8245 5345 9855", "CREDIT_CARD 4539 8245 5345 9855"},
		{"a card behind the number of its kind", "Karte 12: 4539 8245 5345 9855", "CREDIT_CARD 4539 8245 5345 9855"},
		{"a card behind a word of hexadecimal letters", "facade: 4539 8245 5345 9855", "CREDIT_CARD 4539 8245 5345 9855"},
		{"a card behind two short words of hexadecimal letters", "ad be 4539 8245 5345 9855", "CREDIT_CARD 4539 8245 5345 9855"},
		{"a card behind a room of letters and digits", "room b12a 4539 8245 5345 9855", "CREDIT_CARD 4539 8245 5345 9855"},
		{"a card between a number and a time", "10004512,4539824553459855,0429", "CREDIT_CARD 4539824553459855"},
		{"a card behind the number of a customer", "20240501, 4539824553459855, Kim", "CREDIT_CARD 4539824553459855"},
		{"a card before the number of an order", "4539824553459855,10004512,Kim", "CREDIT_CARD 4539824553459855"},
		{"a card of 19 digits in a row of a table", "7,6204430613845490939,open", "CREDIT_CARD 6204430613845490939"},
		{"a card of 18 digits behind a word", "card 675964982643845367", "CREDIT_CARD 675964982643845367"},
		{"a card in a parameter of one letter", "?c=4539824553459855", "CREDIT_CARD 4539824553459855"},
		{"a card in a later parameter of one letter", "https://shop.example/pay?a=1&n=4539824553459855", "CREDIT_CARD 4539824553459855"},

		{"a key before three points of a sentence", "api_key: q8Zr2LmX0vTn4KpW9sBd... does it work?", "API_KEY q8Zr2LmX0vTn4KpW9sBd"},
		{"a key before an ellipsis at the end", "api_key=q8Zr2LmX0vTn4KpW9sBd...", "API_KEY q8Zr2LmX0vTn4KpW9sBd"},
		{
			"a key in base64 with two signs of plus", "aws_secret_access_key=q8Zr2+LmX0vTn4+KpW9sBdQ7fHc3yJg1eRu5Aa6Z",
			"API_KEY q8Zr2+LmX0vTn4+KpW9sBdQ7fHc3yJg1eRu5Aa6Z",
		},
		{"a key cut off in quotes, but long", `"api_key": "q8Zr2LmX0vTn4KpW9sBd..."`, "API_KEY q8Zr2LmX0vTn4KpW9sBd"},
		{"a secret of words and numbers", "client_secret: Winter7Sunshine3Mountain", "API_KEY Winter7Sunshine3Mountain"},
		{"a secret of words and powers of two", "api_secret=dragon256Falcon4096", "API_KEY dragon256Falcon4096"},
		{"a key in pairs with colons", "encryption_key=3f:9a:04:be:51:d2:86:7f:3a:9c", "API_KEY 3f:9a:04:be:51:d2:86:7f:3a:9c"},
		{"a key of 16 bytes in pairs with colons", "aes_key=3f:9a:04:be:51:d2:86:7f:3a:9c:11:5d:c0:42:e7:68", "API_KEY 3f:9a:04:be:51:d2:86:7f:3a:9c:11:5d:c0:42:e7:68"},
		{"a key in base64 with a slash behind a bare name", "key: q8Zr2/LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z", "API_KEY q8Zr2/LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z"},
		{"a key behind a second name", "token: sid=q8Zr2LmX0vTn4KpW9sBd", "API_KEY sid=q8Zr2LmX0vTn4KpW9sBd"},
		{"a token of a request", "request_token=q8Zr2LmX0vTn4KpW9sBd", "API_KEY q8Zr2LmX0vTn4KpW9sBd"},

		{"a password between tags that starts with an at sign", "<password>@dm1n2024!</password>", "PASSWORD @dm1n2024!"},
		{"a password in capitals", "password=HXQZKWPT", "PASSWORD HXQZKWPT"},
		{"a password in capitals between tags", "<password>HXQZKWPT</password>", "PASSWORD HXQZKWPT"},
		{"a password in capitals behind an option", "mysql --password=DRAGONFLY", "PASSWORD DRAGONFLY"},
		{"a password with example in it", "password: forexample99!", "PASSWORD forexample99!"},
		{"a password behind an arrow", "password->tr0ub4dor", "PASSWORD tr0ub4dor"},
		{"a password between colons", "password=:hunter2:", "PASSWORD hunter2:"},
		{"a password of a clause behind a login", "alter login kim identified by 'hunter2!'", "PASSWORD hunter2!"},
		{"a password of two words and a colon", "password=kim.larsen:Sesame", "PASSWORD kim.larsen:Sesame"},
		{"a password of a number and a word", "password=10/Dragon", "PASSWORD 10/Dragon"},
		{"a card with spaces of a URL", "card=4539%208245%205345%209855", "CREDIT_CARD 4539%208245%205345%209855"},
		{"a card with dashes of a URL", "4539%2D8245%2d5345%2D9855", "CREDIT_CARD 4539%2D8245%2d5345%2D9855"},
		{"a card with hard spaces as escapes", `"4539\u00a08245\u00A05345\u00a09855"`, `CREDIT_CARD 4539\u00a08245\u00A05345\u00a09855`},
		{
			"a private key of PuTTY", "Comment: kim\r\nPrivate-Lines: 2\r\nAAAAIGq8Zr2LmX0vTn4K\r\npW9sBdQ7\r\nPrivate-MAC: 3f9a\r\n",
			"PRIVATE_KEY Private-Lines: 2\r\nAAAAIGq8Zr2LmX0vTn4K\r\npW9sBdQ7",
		},
		{
			"a private key of PuTTY in a string", `"Private-Lines: 1\nAAAAIGq8Zr2LmX0vTn4K\nPrivate-MAC: 3f9a"`,
			`PRIVATE_KEY Private-Lines: 1\nAAAAIGq8Zr2LmX0vTn4K`,
		},
		{"a private key of PuTTY that is cut off", "Private-Lines: 4\nAAAAIGq8Zr2LmX0vTn4K", "PRIVATE_KEY Private-Lines: 4\nAAAAIGq8Zr2LmX0vTn4K"},
		{"a password of a clause on its own", "identified by 'hunter2!'", "PASSWORD hunter2!"},

		{"a check number behind the word case", "CVV in this case 123", "CARD_CVV 123"},
		{"a check number behind a sign of plus", "card 4539824553459855 CVV + 123", "CARD_CVV 123"},

		{"an address of a mail server in brackets", "(mx [52.14.8.91])", "IP_ADDRESS 52.14.8.91"},
		{"an address in a list", "* 52.14.8.91\n", "IP_ADDRESS 52.14.8.91"},
		{"an address and the name of a host", "203.0.113.7-web01", "IP_ADDRESS 203.0.113.7"},
		{"a range of the last part in parentheses", "(203.0.113.7-20)", "IP_ADDRESS 203.0.113.7"},
		{"a range of the last part of a small address", "(52.14.8.91-120)", "IP_ADDRESS 52.14.8.91"},
		{"an address behind the number of a list", "(1:203.0.113.7)", "IP_ADDRESS 203.0.113.7"},
		{"an address behind the word standard", "our standard relay is 52.14.8.91", "IP_ADDRESS 52.14.8.91"},

		{"a number in pairs before a German word of hexadecimal letters", "Tel. 06 12 34 56 78 ab 9 Uhr", "PHONE 06 12 34 56 78"},
		{"a number in pairs with two of zeros", "Tel. 06 12 00 34 00", "PHONE 06 12 00 34 00"},
		{"a number before an ordinal", "Tel. 06 12 34 56 78 2e ligne", "PHONE 06 12 34 56 78"},
		{"a number in fours before a word of hexadecimal letters", "Tel. 0171 2345 67 89 da wohnt er", "PHONE 0171 2345 67 89"},
		{"a number in many short groups", "Tel. 089 1 23 45 67 8", "PHONE 089 1 23 45 67 8"},
		{"a number in a column", "tel|name\n0309018201|Kim", "PHONE 0309018201"},
		{"a number in fours that ends as a range does", "call 6500-1299", "PHONE 6500-1299"},
		{"a number in fours that look like years", "call 2012 1987", "PHONE 2012 1987"},
		{"a number behind an exit code and a point", "call 0049.30901820", "PHONE 0049.30901820"},
		{"a number with slashes that cannot be a date", "call 0221 45/34/56", "PHONE 0221 45/34/56"},
		{"the last digits of a number in parentheses", "call 030 (901820)", "PHONE 030 (901820"},
		{"a number with points behind a bracket", "Kim (mobil)+49.151.23456789", "PHONE +49.151.23456789"},
		{"a number in one piece behind a bracket", "Kim (mobil)+4915123456789", "PHONE +4915123456789"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for want := range strings.SplitSeq(c.want, "|") {
				assert.Contains(t, listFound(e, c.text), want, c.text)
			}
		})
	}
}

func TestRulesForProgramsDoNotDependOnTheCutting(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"0000000: 2e54 4820 5858 4420 3120 2241  .TH XXD", "00000010: 4539 8245 5345 9855 0a0a  x", "00000010: 4539 8245 5345 9855", "text 0084 0004 00 00 B4 81 Ext",
		"Tel. 06 12 34 56 78 ab 9 Uhr", "Tel. 06 12 34 56 78  3e 30", "Tel. 06 12 34 56 78   |x", "Telefon 030 1234567 2024-05-01", "call 50331648 bytes", "call 030 (901820) x",
		"00140054|\tCALL 5(PC)", `"api_key": "q8Zr2LmX0vTn4KpW9..."`, "api_key: q8Zr2LmX0vTn4KpW9sBd... does", "<a>:<password>@b1</password>", "<a>:<password>@b1</x>",
		"(203.0.113.7-20)", "(1.3.0.16-3) unstable", "203.0.113.7-web01", "1.8.0.121-0.b13", "password=:hunter2:`", "call 1000-1199 are", "call " + strings.Repeat("0011 ", 5) + "     0a 0b",
	} {
		for _, before := range []string{"", "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "} {
			assertAnyCutting(t, e, before+text+" and more of it.", 3)
			assertAnyCutting(t, e, before+text, 3)
		}
	}
}

func TestDumpsAndVersionsAreStillRuledOut(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"00000010: 4820 5858 4420 3120 2241 0a0a", "0000010 4820 5858 4420 3120 2241 0a0a", "(20.11.10.1-1) unstable", "(1.3.0.16-30)", "203.0.113.7-1.el9 is", `\-\-passwd=FILE\fP`,
		"call 1.6 89/07/20 SMI", `"client_secret": "this1234is5678my91011example1213client1415secret"`, `"PurchaseToken": "eyJ2IjoiMSIsInMiOjEsImMiOi..."`,
		`{"key": "photos/2019/IMG_12345678abc.jpg"}`, `"key": "Releases/Build2019/Setup64Installer"`, `"RequestToken": "5f40c577-3534-4b20-9599-0b0123456789"`, "passwd->pw_name[0]",
		"https://<user>:<password>@host1.example", "cvc\n\tcase 131:\n", "00 68 00 00 00 13 65 63 call", "call 26 1 00032625 1",
	} {
		assert.Empty(t, e.Detect(nil, text), text)
	}
}

func TestANumberOfTheRegionInParenthesesIsFound(t *testing.T) {
	assert.Equal(t, []string{"PHONE (030 901820"}, listFound(engine(t, Options{Region: "DE"}), "am Apparat (030 901820)"))
	assert.Equal(t, []string{"PHONE (2125550187"}, listFound(engine(t, Options{Region: "US"}), "at (2125550187)"))
}
