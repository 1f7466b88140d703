package pii

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/dataset"
)

var update = flag.Bool("update", false, "rewrite the table of docs/pii.md")

// said is what docs/pii.md says of each type: what is recognised, and how.
var said = map[string]string{
	"EMAIL":              "dot-atom of RFC 5321 with letters of all scripts; also `(at)`, `[dot]`, `at … dot`, `AT`, `_at_`, ` @ `, tags around the `@`, entities, `%40`; a bare `at` with a real dot behind \"mail\" or for a large provider; not `git@host:`",
	"CREDIT_CARD":        "12 to 19 digits, issuer ranges, Luhn, groups as on cards; with wider or mixed separators when nothing of the kind goes on; in cells, lists and other groups behind a telling word",
	"US_SSN":             "area, group and serial rules; without separators, digit by digit or set apart oddly only behind a telling word",
	"IBAN":               "length of the country, ISO 7064 mod 97-10; also with a space behind the country, dots, slashes, more spaces or tags between",
	"IP_ADDRESS":         "IPv4 without leading zeros, also `203[.]0[.]113[.]7`, IPv6, prefix lengths; not versions and object identifiers",
	"PHONE":              "E.164 by country code, behind `+`, `%2B`, `00`, `011` or `wa.me/`; North American writing with an area in use; national numbers of the region, behind a telling word, or before a label such as `office`",
	"PRIVATE_KEY":        "PEM and OpenPGP private keys from the first line to the last, or as far as they go, at most 16 KiB",
	"API_KEY":            "380 families by their prefix or mark, length and entropy; random bodies behind words such as `_live_` and `_key_`; values of entropy 3 behind names such as `token`, `secret`, `api_key`; Bearer headers; webhook addresses",
	"JWT":                "two to five parts, the first an object with `alg` or `enc`; at most 8 KiB",
	"URL_CREDENTIALS":    "`user:password` in URLs and database addresses, and behind curl's `-u`; a token that is the user of a URL",
	"PASSWORD":           "the value behind `password=`, `passwd:`, `\"pwd\": \"…\"`",
	"CRYPTO_ADDRESS":     "Bitcoin by Base58Check, Bech32 and Bech32m; Ethereum by EIP-55",
	"CARD_CVV":           "three or four digits behind `CVV`, `CVC`; behind `CID` and \"security code\" only near a card",
	"CARD_EXPIRY":        "month and year behind `exp`, `valid thru`, near a card",
	"CARD_TRACK":         "tracks 1 and 2 of ISO/IEC 7813 with the Luhn digit",
	"MAC_ADDRESS":        "exactly six pairs, or three fours with dots; not the broadcast address or zeros",
	"UUID":               "the form of RFC 9562",
	"IMEI":               "15 digits with the Luhn digit, behind a telling word or in groups",
	"IMSI":               "15 digits of a country, behind a telling word",
	"VIN":                "17 characters without I, O, Q; the check digit, or a telling word",
	"LAT_LONG":           "two numbers within 90 and 180 with four places, with two behind a telling word",
	"URL":                "web schemes; hosts with `www.` or one of 46 top-level domains; gives way to a key in it",
	"USERNAME":           "the value behind `username=`, `login:`",
	"SWIFT_BIC":          "8 or 11 characters with a country code, behind a telling word",
	"BANK_ACCOUNT":       "6 to 17 digits behind a telling word",
	"UK_SORT_CODE":       "three pairs behind a telling word",
	"PASSPORT":           "6 to 11 letters and digits behind a telling word",
	"DRIVER_LICENSE":     "5 to 18 letters and digits behind a telling word",
	"LICENSE_PLATE":      "3 to 10 letters and digits behind a telling word",
	"DE_ID_CARD":         "characters of a document number; the check digit when it is there",
	"HK_ID":              "check character modulo 11",
	"TW_ID":              "county letter and weights",
	"PK_CNIC":            "province and groups; in one piece behind a telling word",
	"US_ITIN":            "area 9 and groups in use; in one piece behind a telling word",
	"US_EIN":             "prefix in use, behind a telling word",
	"US_NPI":             "Luhn over 80840 and the number",
	"US_MBI":             "the form of eleven places",
	"US_DEA":             "check digit",
	"US_ABA_ROUTING":     "district and check 3-7-1",
	"CA_SIN":             "Luhn; in one piece behind a telling word",
	"UK_NHS":             "check modulo 11; in one piece only in ranges in use",
	"UK_NINO":            "prefixes and suffix in use",
	"UK_UTR":             "check digit or form, behind a telling word",
	"AU_TFN":             "weights modulo 11",
	"AU_ABN":             "weights modulo 89",
	"AU_ACN":             "weights modulo 10",
	"AU_MEDICARE":        "weights modulo 10",
	"ES_NIE":             "check letter modulo 23",
	"ES_NIF":             "check letter modulo 23, or that of a legal person",
	"FR_NIR":             "key modulo 97, Corsica too",
	"DE_TAX_ID":          "ISO 7064 mod 11,10 and the rule of repeated digits",
	"DE_SOCIAL_SECURITY": "date and check digit",
	"IT_FISCAL_CODE":     "name, date, check letter, omocodia; 11 digits of a legal person behind a telling word",
	"NL_BSN":             "eleven test",
	"BE_NN":              "97 less the remainder, both centuries",
	"PL_PESEL":           "weights modulo 10 and the date",
	"SE_PERSONNUMMER":    "date, coordination numbers, Luhn",
	"FI_HETU":            "date, sign of the century, check character modulo 31",
	"DK_CPR":             "date and weights modulo 11; numbers since 2007 without the check behind a telling word",
	"NO_FNR":             "date and two checks modulo 11",
	"RO_CNP":             "date, county, check modulo 11",
	"BG_EGN":             "date and check modulo 11",
	"EU_VAT":             "form of the country; check digit of Germany and France; others behind a telling word",
	"BR_CPF":             "two checks modulo 11",
	"BR_CNPJ":            "two checks modulo 11, letters too",
	"AR_CUIT":            "kind and check modulo 11",
	"MX_CURP":            "date, sex and check digit",
	"CL_RUT":             "check modulo 11; without '-' behind a telling word",
	"IN_AADHAAR":         "Verhoeff, no palindrome, not from 0 or 1 on",
	"IN_PAN":             "form and kind of holder",
	"IN_GSTIN":           "state, form, check modulo 36 or Z",
	"SG_NRIC":            "check letter; the form alone with less confidence",
	"KR_RRN":             "date; the check digit gives more confidence",
	"CN_RIC":             "province, date, ISO 7064 mod 11-2; 15 digits behind a telling word",
	"TH_TNIN":            "province and check modulo 11",
	"TR_TCKN":            "two check digits",
	"ZA_ID":              "date, citizenship, Luhn",
	"IL_ID":              "Luhn with zeros before; in one piece behind a telling word",
	"DATE_OF_BIRTH":      "a date behind a telling word",
	"AGE":                "`42 years old`, `age 42`",
	"POSTAL_CODE":        "the forms of many countries behind a telling word",
	"STREET_ADDRESS":     "heuristic: a number, words with capitals, a word for a street in English, an apartment",
	"PERSON":             "heuristic: words with capitals behind a title or an introduction; recall is low",
}

// table is what docs/pii.md shows between its marks.
func table() string {
	var b strings.Builder
	b.WriteString("| type | packs | on | usual action | what is recognised |\n|---|---|---|---|---|\n")
	for i := range builtin {
		d := &builtin[i]
		packs := append([]string{d.pack}, extraPacks[d.name]...)
		slices.Sort(packs)
		on, action := "yes", actionRedact
		if d.off {
			on = ""
		}
		if d.masked {
			action = actionMask
		}
		_, _ = fmt.Fprintf(
			&b,
			"| %s | %s | %s | %s | %s |\n",
			d.name,
			strings.Join(slices.Compact(packs), ", "),
			on,
			action,
			strings.ReplaceAll(said[d.name], "|", "\\|"),
		)
	}
	return b.String()
}

func TestTheDocumentationListsEveryType(t *testing.T) {
	for _, name := range ListTypes() {
		assert.NotEmpty(t, said[name], "%s", name)
	}
	assert.Len(t, said, len(builtin), "types that there are not")
	const begin, end = "<!-- types: begin -->\n", "<!-- types: end -->"
	file := filepath.Join(dataset.FindRoot(t), "docs", "pii.md")
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(raw), begin)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := head + begin + table() + end + tail
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(raw), "run: go test ./stages/pii -run Documentation -update")
}
