package pii

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// ofTypes has values of the types beyond the first six, all made up or taken
// from the standard that defines them, in what may surround them.
var ofTypes = []struct{ text, want string }{
	{"key AKIAIOSFODNN7EXAMPLQ.", "API_KEY AKIAIOSFODNN7EXAMPLQ"},
	{"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "API_KEY ghp_16C7e42F292c6912E7710c838347Ae178B4a"},
	{`"api_key": "q8Zr2LmX0vTn4KpW9sBd"`, "API_KEY q8Zr2LmX0vTn4KpW9sBd"},
	{"bot 1234567890:AAF3xYzQ7rLm2Kp9Wv4tBn8sDc6hJg1eRu5", "API_KEY 1234567890:AAF3xYzQ7rLm2Kp9Wv4tBn8sDc6hJg1eRu5"},
	{"Authorization: Bearer q8Zr2LmX0vTn4KpW9sBd", "API_KEY q8Zr2LmX0vTn4KpW9sBd"},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dGhlLXNpZ25hdHVyZQ", "JWT eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dGhlLXNpZ25hdHVyZQ"},
	{
		"-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGlRFZ\nabcdefgh\n-----END EC PRIVATE KEY-----\n.",
		"PRIVATE_KEY -----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGlRFZ\nabcdefgh\n-----END EC PRIVATE KEY-----",
	},
	{"-----BEGIN RSA PRIVATE KEY-----\nMHcCAQEEIIGlRFZabcdefgh", "PRIVATE_KEY -----BEGIN RSA PRIVATE KEY-----\nMHcCAQEEIIGlRFZabcdefgh"},
	{"postgres://app:s3cr7t@db.example:5432/x", "URL_CREDENTIALS app:s3cr7t"},
	{"curl -u kim:hunter2xyz https://a.example", "URL_CREDENTIALS kim:hunter2xyz"},
	{"password=hunter2!", "PASSWORD hunter2!"},
	{`{"db_password": "correct horse"}`, "PASSWORD correct"},
	{"send to 16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ", "CRYPTO_ADDRESS 16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ"},
	{"send to bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "CRYPTO_ADDRESS bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"},
	{"card 4539824553459855, CVV 123", "CARD_CVV 123"},
	{"4539 8245 5345 9855 exp 04/29", "CARD_EXPIRY 04/29"},
	{"%B4539824553459855^DOE/JANE^2904101000?", "CARD_TRACK %B4539824553459855^DOE/JANE^2904101000?"},
	{";4539824553459855=29041010000000000?", "CARD_TRACK ;4539824553459855=29041010000000000?"},
	{"02:00:5e:10:00:01", "MAC_ADDRESS 02:00:5e:10:00:01"},
	{"02-00-5E-10-00-01", "MAC_ADDRESS 02-00-5E-10-00-01"},
	{"itin 912-70-1234", "US_ITIN 912-70-1234"},
	{"2341 2341 2346", "IN_AADHAAR 2341 2341 2346"},
	{"SWIFT DEUTDEFF500", "SWIFT_BIC DEUTDEFF500"},
	{"account 90128034", "BANK_ACCOUNT 90128034"},
	{"sort code 20-30-40", "UK_SORT_CODE 20-30-40"},
	{"IMEI 49-015420-323751-8", "IMEI 49-015420-323751-8"},
	{"IMSI 262011234567890", "IMSI 262011234567890"},
	{"VIN 1M8GDM9AXKP042788", "VIN 1M8GDM9AXKP042788"},
	{"plate ABC 1234", "LICENSE_PLATE ABC 1234"},
	{"born on 4 June 1976.", "DATE_OF_BIRTH 4 June 1976"},
	{"DOB: 1976-06-04", "DATE_OF_BIRTH 1976-06-04"},
	{"birthday June 4th, 1976", "DATE_OF_BIRTH June 4th, 1976"},
	{"a 42 years old man", "AGE 42 years old"},
	{"at 52.5200, 13.4050 now", "LAT_LONG 52.5200, 13.4050"},
	{"zip 90210", "POSTAL_CODE 90210"},
	{"postcode EC1A 1BB", "POSTAL_CODE EC1A 1BB"},
	{"lives at 12 Old Mill Road, Apt 4", "STREET_ADDRESS 12 Old Mill Road, Apt 4"},
	{"my name is Kim van der Lee and", "PERSON Kim van der Lee"},
	{"Dr. Anna O'Neil", "PERSON Anna O'Neil"},
	{"see https://a.example/b?c=1.", "URL https://a.example/b?c=1"},
	{"username: kim_lee", "USERNAME kim_lee"},
	{"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "UUID f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
	{"passport C01X00T47", "PASSPORT C01X00T47"},
	{"driver's license D1234567", "DRIVER_LICENSE D1234567"},
	{"Ausweis T220001293", "DE_ID_CARD T220001293"},
	{"A123456(3)", "HK_ID A123456(3)"},
	{"A123456789", "TW_ID A123456789"},
	{"42201-0397640-8", "PK_CNIC 42201-0397640-8"},
	{"EIN 91-1144442", "US_EIN 91-1144442"},
	{"NPI 1234567893", "US_NPI 1234567893"},
	{"1EG4-TE5-MK73", "US_MBI 1EG4-TE5-MK73"},
	{"DEA BB1388568", "US_DEA BB1388568"},
	{"routing 111000025", "US_ABA_ROUTING 111000025"},
	{"SIN 046-454-286 no, 123-456-782", "CA_SIN 123-456-782"},
	{"NHS 943 476 5919", "UK_NHS 943 476 5919"},
	{"AB 12 34 56 C", "UK_NINO AB 12 34 56 C"},
	{"UTR 1955839661", "UK_UTR 1955839661"},
	{"TFN 123 456 782", "AU_TFN 123 456 782"},
	{"51 824 753 556", "AU_ABN 51 824 753 556"},
	{"ACN 004 085 616", "AU_ACN 004 085 616"},
	{"Medicare 2123 45670 1", "AU_MEDICARE 2123 45670 1"},
	{"54362315-K", "ES_NIF 54362315-K"},
	{"X-2482300-W", "ES_NIE X-2482300-W"},
	{"2 95 10 99 126 111 93", "FR_NIR 2 95 10 99 126 111 93"},
	{"36 574 261 809", "DE_TAX_ID 36 574 261 809"},
	{"15 070649 C 103", "DE_SOCIAL_SECURITY 15 070649 C 103"},
	{"RCCMNL83S18D969H", "IT_FISCAL_CODE RCCMNL83S18D969H"},
	{"BSN 111222333", "NL_BSN 111222333"},
	{"85.07.30-033 28", "BE_NN 85.07.30-033 28"},
	{"PESEL 44051401359", "PL_PESEL 44051401359"},
	{"880320-0016", "SE_PERSONNUMMER 880320-0016"},
	{"131052-308T", "FI_HETU 131052-308T"},
	{"211062-5629", "DK_CPR 211062-5629"},
	{"151086 95088", "NO_FNR 151086 95088"},
	{"CNP 1630615123457", "RO_CNP 1630615123457"},
	{"ЕГН 7523169263", "BG_EGN 7523169263"},
	{"VAT DE136695976", "EU_VAT DE136695976"},
	{"390.533.447-05", "BR_CPF 390.533.447-05"},
	{"16.727.230/0001-97", "BR_CNPJ 16.727.230/0001-97"},
	{"20-05536168-2", "AR_CUIT 20-05536168-2"},
	{"BOXW310820HNERXN09", "MX_CURP BOXW310820HNERXN09"},
	{"12.531.909-2", "CL_RUT 12.531.909-2"},
	{"PAN ACUPA7085R", "IN_PAN ACUPA7085R"},
	{"27AAPFU0939F1ZV", "IN_GSTIN 27AAPFU0939F1ZV"},
	{"NRIC S1234567D", "SG_NRIC S1234567D"},
	{"971013-9019902", "KR_RRN 971013-9019902"},
	{"360426199101010071", "CN_RIC 360426199101010071"},
	{"1-2345-45678-78-1", "TH_TNIN 1-2345-45678-78-1"},
	{"17291716060", "TR_TCKN 17291716060"},
	{"7503305044089", "ZA_ID 7503305044089"},
	{"teudat zehut 3933742-3", "IL_ID 3933742-3"},
	{"write to kim_1 (at) mail.example today", "EMAIL kim_1 (at) mail.example"},
	{"kim[at]mail[dot]example", "EMAIL kim[at]mail[dot]example"},
	{"kim@mail[.]example", "EMAIL kim@mail[.]example"},
	{"kim.lee at mail dot example", "EMAIL kim.lee at mail dot example"},
}

func TestEveryTypeIsFound(t *testing.T) {
	e := engine(t, Options{Packs: []string{packAll}})
	seen := map[string]bool{}
	for _, c := range ofTypes {
		var got []string
		for _, m := range e.DetectAll(nil, c.text) {
			got = append(got, m.Type+" "+c.text[m.Start:m.End])
			seen[m.Type] = true
		}
		assert.Contains(t, got, c.want, c.text)
	}
	for _, name := range ListTypes() {
		if findRow(name) >= len(coreTypes) {
			assert.True(t, seen[name], "no value of %s in the table", name)
		}
	}
}

func TestThereAreEightyThreeTypesOfWhichEighteenAreOn(t *testing.T) {
	assert.Len(t, ListTypes(), 83)
	assert.Len(t, namesOf(t, packDefault), 18)
}

func TestWhatLooksLikeASecretIsLeftAlone(t *testing.T) {
	e := engine(t, Options{})
	for name, text := range map[string]string{
		"a masked key":                      "token ghp_************ was revoked",
		"a placeholder of a manual":         "set KEY=sk_live_<your-token-here>",
		"a row of the same letter":          "ghs_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"a name in a program":               "secret_length = X25519.secret_length",
		"a path":                            "keyfile: /etc/ssl/private/app.pem, token=./a/b1/c2.txt",
		"a variable for a password":         "password=$DB_PASSWORD password: ${PW} pwd=%PW%",
		"prose about a password":            "The password: please choose a long one.",
		"a public key":                      "-----BEGIN PUBLIC KEY-----\nMHcCAQEEIIGlRFZabcdefgh\n-----END PUBLIC KEY-----",
		"half a token":                      "eyJhbGciOiJIUzI1NiJ9",
		"a URL without a password":          "https://a.example/x:y@z",
		"a counter of tokens":               "max_tokens: 4096000000, total_tokens=128000000000",
		"three digits":                      "page 123 of 456",
		"a month and a year without card":   "valid until 04/29",
		"a crossed counter":                 "Aadhaar 2341 2341 2347",
		"a hardware address for all":        "ff:ff:ff:ff:ff:ff",
		"an address with a wrong check":     "16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyY",
		"a placeholder of our own":          "{{PII_API_KEY_0123456789abcdef}}",
		"a number with seconds and an ID":   "id=1714550400123 at 10:00:00.123",
		"a commit":                          "commit 9a038989604e8da62ecddbe2094b16ce1b778be1",
		"a row of hyphens":                  "----------------------------------------",
		"a capital letter behind another":   "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"a domain that is mentioned":        "we look at example and dot the i",
		"a name behind (at)":                "(at) the end",
		"words of JSON side by side":        `{"role":"user","index":12,"kind":"token","value":"abc123def456ghi"}`,
		"an identifier of a session (csrf)": "csrf-token=Mj2qykJO5rELyHgezQ69nzUX0i3OH67V7V4eUrLfpuyO",
	} {
		t.Run(name, func(t *testing.T) { assert.Empty(t, listFound(e, text), text) })
	}
}
