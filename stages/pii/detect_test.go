package pii

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listFound returns what an engine finds, as "TYPE text" of the raw bytes.
func listFound(e *Engine, text string) []string {
	out := []string{}
	for _, m := range e.Detect(nil, text) {
		out = append(out, m.Type+" "+text[m.Start:m.End])
	}
	return out
}

func engine(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := NewEngine(o)
	require.NoError(t, err)
	return e
}

func TestDetectFindsValues(t *testing.T) {
	e := engine(t, Options{})
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"an address in a sentence", "Write to kim.lee@mail.example.", []string{"EMAIL kim.lee@mail.example"}},
		{"an address behind a label and before a comma", "mail=kim+a@ex.example,x", []string{"EMAIL kim+a@ex.example"}},
		{"an address in quotes", "'kim@ex.example'", []string{"EMAIL kim@ex.example"}},
		{"an address with an apostrophe", "o'neil@ex.example", []string{"EMAIL o'neil@ex.example"}},
		{"an address whose sign is escaped for a URL", "?to=%20kim%40ex.example&x", []string{"EMAIL kim%40ex.example"}},
		{"an address whose sign is a decimal entity", "kim&#64;ex.example", []string{"EMAIL kim&#64;ex.example"}},
		{"an address whose sign is a hexadecimal entity", "kim&#X40;ex.example", []string{"EMAIL kim&#X40;ex.example"}},
		{"an address with a full-width sign", "kim＠ex.example", []string{"EMAIL kim＠ex.example"}},
		{"an international address", "Пишите: иван@пример.рф!", []string{"EMAIL иван@пример.рф"}},
		{"an address inside Chinese text", "邮箱是kim@ex.example请保存", []string{"EMAIL kim@ex.example"}},
		{"an address at the end of a long Chinese sentence", strings.Repeat("好", 60) + "kim@ex.example", []string{"EMAIL kim@ex.example"}},
		{"a punycode top-level domain", "kim@xn--e1afmkfd.xn--p1ai", []string{"EMAIL kim@xn--e1afmkfd.xn--p1ai"}},
		{"an address and the password behind it", "kim@ex.example:hunter", []string{"EMAIL kim@ex.example"}},
		{"digits that are an address", "4539824553459855@ex.example", []string{"EMAIL 4539824553459855@ex.example"}},

		{"a bare card", "pay 4539824553459855 now", []string{"CREDIT_CARD 4539824553459855"}},
		{"a card in fours", "4539-8245-5345-9855", []string{"CREDIT_CARD 4539-8245-5345-9855"}},
		{"an American Express card in its own groups", "3446 281968 16154", []string{"CREDIT_CARD 3446 281968 16154"}},
		{"a card digit by digit", "4 5 3 9 8 2 4 5 5 3 4 5 9 8 5 5", []string{"CREDIT_CARD 4 5 3 9 8 2 4 5 5 3 4 5 9 8 5 5"}},
		{"a card behind another number", "line 12 4539 8245 5345 9855", []string{"CREDIT_CARD 4539 8245 5345 9855"}},
		{"a card before its expiry", "4539 8245 5345 9855 12/29", []string{"CREDIT_CARD 4539 8245 5345 9855"}},
		{"two cards in a row", "4539824553459855;5425709660906571", []string{"CREDIT_CARD 4539824553459855", "CREDIT_CARD 5425709660906571"}},
		{"a Mastercard of the second series", "2221920520325133", []string{"CREDIT_CARD 2221920520325133"}},
		{"a card of 13 digits that is called one", "card: 4222222222222", []string{"CREDIT_CARD 4222222222222"}},
		{"a card with hidden characters", "4539\u200b8245\u200d5345\ufeff9855", []string{"CREDIT_CARD 4539\u200b8245\u200d5345\ufeff9855"}},
		{"a card in full-width digits", "４５３９８２４５５３４５９８５５", []string{"CREDIT_CARD ４５３９８２４５５３４５９８５５"}},
		{"a card in Bengali digits", "৪৫৩৯৮২৪৫৫৩৪৫৯৮৫৫", []string{"CREDIT_CARD ৪৫৩৯৮২৪৫৫৩৪৫৯৮৫৫"}},
		{"a card with thin spaces", "4539\u20098245\u20095345\u20099855", []string{"CREDIT_CARD 4539\u20098245\u20095345\u20099855"}},

		{"a social security number", "536-22-8726", []string{"US_SSN 536-22-8726"}},
		{"a social security number with en dashes", "536–22–8726", []string{"US_SSN 536–22–8726"}},
		{"a bare social security number that is called one", "ssn 536228726", []string{"US_SSN 536228726"}},

		{"an account number", "DE75370400440513110086", []string{"IBAN DE75370400440513110086"}},
		{"an account number in groups and small letters", "gb29 nwbk 6016 1331 9268 19.", []string{"IBAN gb29 nwbk 6016 1331 9268 19"}},
		{"an account number behind its name", "IBANNO9386011117947", []string{"IBAN NO9386011117947"}},

		{"an address of the internet", "from 203.0.113.77, twice", []string{"IP_ADDRESS 203.0.113.77"}},
		{"an address and its port", "203.0.113.77:8080", []string{"IP_ADDRESS 203.0.113.77"}},
		{"a network", "deny 198.51.100.0/24.", []string{"IP_ADDRESS 198.51.100.0/24"}},
		{"a range of addresses", "203.0.113.7-203.0.113.9", []string{"IP_ADDRESS 203.0.113.7", "IP_ADDRESS 203.0.113.9"}},
		{"an address in Chinese text", "地址203.0.113.77好", []string{"IP_ADDRESS 203.0.113.77"}},
		{"an address of version 6", "at 2001:db8::ff00:42:8329: closed", []string{"IP_ADDRESS 2001:db8::ff00:42:8329"}},
		{"an address of version 6 in brackets", "http://[2001:db8::1]:80/", []string{"IP_ADDRESS 2001:db8::1"}},
		{"an address of version 6 behind a label", "host:2001:db8:0:1:2:3:4:5", []string{"IP_ADDRESS 2001:db8:0:1:2:3:4:5"}},
		{"an address with a zone", "fe80::1%eth0 up", []string{"IP_ADDRESS fe80::1%eth0"}},
		{"a mapped address", "::ffff:192.0.2.1", []string{"IP_ADDRESS ::ffff:192.0.2.1"}},
		{"the loopback", "use ::1 or http://[::1]:80/", []string{"IP_ADDRESS ::1", "IP_ADDRESS ::1"}},
		{"a short address that is called one", "ip 1::7", []string{"IP_ADDRESS 1::7"}},
		{"a small address that is called one", "IPv4 address 1.1.1.1", []string{"IP_ADDRESS 1.1.1.1"}},

		{"an international number", "Ring +49 30 901820.", []string{"PHONE +49 30 901820"}},
		{"a trunk zero in parentheses", "+44 (0)20 7946 0958", []string{"PHONE +44 (0)20 7946 0958"}},
		{"the North American way of writing", "(212) 555-0187 or 212.555.0187", []string{"PHONE (212) 555-0187", "PHONE 212.555.0187"}},
		{"an extension", "212-555-0187 ext. 42", []string{"PHONE 212-555-0187 ext. 42"}},
		{"a national number behind its name", "Tel.: 030 901820", []string{"PHONE 030 901820"}},
		{"a national number in another language", "Мой телефон 8 495 555 01 87", []string{"PHONE 8 495 555 01 87"}},
		{"a national number in Chinese text", "我的电话：13812345678。", []string{"PHONE 13812345678"}},
		{"a number in JSON", `{"mobilePhone":"5550187000"}`, []string{"PHONE 5550187000"}},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, listFound(e, c.text)) })
	}
}

func TestDetectLeavesLookAlikesAlone(t *testing.T) {
	e := engine(t, Options{})
	for name, text := range map[string]string{
		"a remote of git":                      "git clone git@host.example:org/repo.git",
		"a path of scp":                        "scp kim@host.example:/tmp/x .",
		"a package and its version":            "npm i lodash@4.17.21",
		"a picture for dense screens":          "icon@2x.png",
		"a handle":                             "thanks @kim",
		"a one-letter top-level domain":        "a@b.c",
		"a card with a wrong check digit":      "4539824553459856",
		"a card inside a longer run":           "104539824553459855",
		"a card inside a hexadecimal number":   "0x4539824553459855",
		"a card inside a decimal number":       "0.4539824553459855",
		"a card inside a dotted number":        "4539824553459855.25",
		"a card in groups of other sizes":      "453982-45-534598-55",
		"groups of four in a list":             "4539, 8245, 5345, 9855",
		"a number no area can have":            "part 100-200-3000",
		"a card in a longer run of groups":     "12345678-4539-8245-5345-985500000000",
		"an issuer that does not exist":        "9539824553459857",
		"a negative number":                    "[-4539824553459855, 1]",
		"an article number":                    "EAN 4222222222222",
		"an area that was never issued":        "000-22-8726 and 666-22-8726 and 900-22-8726",
		"a number void by decree":              "078-05-1120",
		"nine digits that are nothing":         "536228726",
		"mixed separators in a social number":  "536-22.8726",
		"an account number of a wrong length":  "DE7537040044051311008",
		"an account number with a wrong check": "DE76370400440513110086",
		"a country without account numbers":    "US75370400440513110086",
		"an object identifier":                 "1.3.6.1.4.1.311",
		"a version of four parts":              "version 10.20.30.40",
		"the version of a product":             "Firefox/10.20.30.40",
		"the number of a section":              "see 3.2.1.4 above",
		"a part with a leading zero":           "203.0.113.07",
		"a part above 255":                     "203.0.113.256",
		"a slice":                              "x[::2] y[::1] z[1::1]",
		"a scope":                              "std::cafe::bad",
		"a time":                               "12:34:56",
		"a hardware address":                   "ff:ff:ff:ff:ff:ff and 02:00:5e:10:00:00:00:01",
		"a fingerprint":                        "7d:44:69:94:e5:2d:fc:61:77:b9:62:23:a6:3a:57:68",
		"coordinates":                          "+49.8688197, -12.3456789",
		"a date behind a word for a number":    "call me on 2024-05-01",
		"a range of years":                     "phone book 2012-2022",
		"digits behind the word order":         "call about order 5550187000",
		"an offset from UTC":                   "2024-05-01T10:00:00+0600",
		"a sum":                                "3+4955501870",
		"a UUID of digits":                     "90856446-3127-6996-4373-276750334214",
		"a placeholder":                        "{{PII_CREDIT_CARD_4539824553459855}}",
	} {
		t.Run(name, func(t *testing.T) { assert.Empty(t, listFound(e, text), text) })
	}
}

func TestRegionLetsNationalNumbersCount(t *testing.T) {
	de := engine(t, Options{Region: "DE"})
	assert.Equal(t, []string{"PHONE 030 901820"}, listFound(de, "am Apparat: 030 901820"))
	assert.Empty(t, listFound(engine(t, Options{}), "am Apparat: 030 901820"))
	assert.Empty(t, listFound(de, "Bestellung 1234567890123456"), "longer than any number of the region")
	us := engine(t, Options{Region: "US"})
	assert.Equal(t, []string{"PHONE 2125550187"}, listFound(us, "at 2125550187"))
	assert.Empty(t, listFound(us, "invoice 2125550187"), "a word that tells of another number")
	assert.Empty(t, listFound(us, "at 1125550187"), "not a number of the region")
}

func TestOptionsChooseTypesAndThresholds(t *testing.T) {
	text := "kim@ex.example 4539824553459855 card 4222222222222"
	only := engine(t, Options{Types: []string{"CREDIT_CARD"}})
	assert.Equal(t, []string{"CREDIT_CARD 4539824553459855", "CREDIT_CARD 4222222222222"}, listFound(only, text))
	strict := engine(t, Options{Types: []string{"CREDIT_CARD"}, Threshold: map[string]float32{"CREDIT_CARD": 0.9}})
	assert.Equal(t, []string{"CREDIT_CARD 4539824553459855"}, listFound(strict, text))
	lax := engine(t, Options{Threshold: map[string]float32{"US_SSN": 0.1}})
	assert.Equal(t, []string{"US_SSN 536228726"}, listFound(lax, "536228726"))
}

func TestOptionsThatAreWrongAreRefused(t *testing.T) {
	_, err := NewEngine(Options{Types: []string{"EMAIL", "SHOE_SIZE"}})
	require.ErrorContains(t, err, "SHOE_SIZE")
	require.ErrorContains(t, err, "CREDIT_CARD", "the error lists the known ones")
	_, err = NewEngine(Options{Threshold: map[string]float32{"SHOE_SIZE": 0.5}})
	require.ErrorContains(t, err, "SHOE_SIZE")
	_, err = NewEngine(Options{Threshold: map[string]float32{"EMAIL": 1.5}})
	require.ErrorContains(t, err, "between 0 and 1")
	_, err = NewEngine(Options{Region: "XX"})
	require.ErrorContains(t, err, "XX")
}

func TestDetectAppendsAndKeepsWhatWasThere(t *testing.T) {
	e := engine(t, Options{})
	dst := []Match{{Start: 100, End: 200, Type: "OTHER"}}
	dst = e.Detect(dst, "kim@ex.example")
	require.Len(t, dst, 2)
	assert.Equal(t, "OTHER", dst[0].Type)
	assert.Equal(t, Match{0, 14, "EMAIL", 0.95}, dst[1])
}

func TestEngineServesManyAtOnce(t *testing.T) {
	e := engine(t, Options{})
	text := prose(8<<10, 20)
	want := e.Detect(nil, text)
	require.NotEmpty(t, want)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				assert.Equal(t, want, e.Detect(nil, text))
				assert.Empty(t, e.Detect(nil, "nothing — ١٢ — here"))
			}
		})
	}
	wg.Wait()
}

func TestDetectFromLeavesTheContextAlone(t *testing.T) {
	e := engine(t, Options{})
	text := "card 4222222222222"
	assert.Equal(t, []Match{{5, 18, "CREDIT_CARD", 0.65}}, e.DetectFrom(nil, text, 5))
	assert.Empty(t, e.DetectFrom(nil, text, 6), "no match begins inside a number")
	assert.Empty(t, e.DetectFrom(nil, "kim@ex.example", 2), "an address that began before is not cut")
}
