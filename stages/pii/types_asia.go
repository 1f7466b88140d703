package pii

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

var asiaTypes = []detector{
	{
		name:    "IN_AADHAAR",
		pack:    packCore,
		formats: []string{"9999~9999~9999"},
		check:   scoreINAadhaar,
		words:   []string{"aadhaar", "aadhar", "adhaar", "aadhaarnumber", "uidai", "uid", "आधार"},
		hints:   taxHints,
		against: []string{"order", "invoice", "tracking", "ean", "upc", "barcode", "gtin", "isbn", "timestamp", "serial"},
		penalty: 0.3,
	},
	{
		name:    "IN_PAN",
		pack:    packIN,
		off:     true,
		formats: []string{"AAAAA9999A"},
		check:   scoreINPAN,
		words:   []string{"pan", "permanent"},
		hints:   taxHints,
	},
	{
		name:    "IN_GSTIN",
		pack:    packIN,
		off:     true,
		formats: []string{"99AAAAA9999AXAX"},
		check:   scoreINGSTIN,
		words:   []string{"gstin", "gst"},
		hints:   taxHints,
	},
	{
		name:    "SG_NRIC",
		pack:    packAPAC,
		off:     true,
		formats: []string{"A9999999A"},
		check:   scoreSGNRIC,
		words:   []string{"nric", "fin", "singapore"},
		hints:   taxHints,
	},
	{
		name:    "KR_RRN",
		pack:    packAPAC,
		off:     true,
		formats: []string{"999999~9999999"},
		check:   scoreKRRRN,
		words:   []string{"rrn", "resident", "주민등록번호", "주민번호"},
		hints:   taxHints,
	},
	{
		name:    "CN_RIC",
		pack:    packAPAC,
		off:     true,
		formats: []string{"999999~99999999~999X", "999999999999999"},
		check:   scoreCNRIC,
		words:   []string{"ric", "身份证", "身份證", "居民"},
		hints:   taxHints,
	},
	{
		name:    "TH_TNIN",
		pack:    packAPAC,
		off:     true,
		formats: []string{"9~9999~99999~99~9"},
		check:   scoreTHTNIN,
		words:   []string{"tnin", "thai", "บัตรประชาชน", "ประชาชน"},
		hints:   taxHints,
	},
	{
		name:    "TR_TCKN",
		pack:    packAPAC,
		off:     true,
		formats: []string{"99999999999"},
		check:   scoreTRTCKN,
		words:   []string{"tckn", "kimlik", "tc"},
		hints:   taxHints,
	},
	{
		name:    "ZA_ID",
		pack:    packAfrica,
		off:     true,
		formats: []string{"999999~9999~999", "999999~9999~99~9"},
		check:   scoreZAID,
		words:   []string{"african", "rsa", "za"},
		hints:   taxHints,
	},
	{
		name:    "IL_ID",
		pack:    packAPAC,
		off:     true,
		formats: []string{"99999999~9", "9999999~9"},
		check:   scoreILID,
		words:   []string{"teudat", "zehut", "israeli", "il", "זהות"},
		hints:   taxHints,
	},
}

// scoreINAadhaar: the check of Verhoeff; it does not start with 0 or 1, and is not a palindrome.
// Without spaces it needs a telling word: one in ten numbers of twelve digits passes the check, and AWS account ids have
// twelve digits.
func scoreINAadhaar(v *value) float32 {
	c := v.c
	palindrome := true
	for i := range 6 {
		palindrome = palindrome && c[i] == c[11-i]
	}
	grouped := float32(0.85)
	if v.cuts == 1<<3 && v.sep[0] == '.' {
		grouped = 0.25 // a decimal number: "2386.25591391"
	}
	return scoreOrZero(c[0] >= '2' && !palindrome && passesVerhoeff(c), v.scoreGrouped(grouped, 0.25))
}

// scoreINPAN: the fourth letter is the kind of holder (Income Tax Department).
func scoreINPAN(v *value) float32 {
	if string(v.c[5:9]) == "0000" {
		return 0
	}
	return chooseScore(isOneOf(v.c[3], "ABCFGHJKLPT"), 0.7, 0.2)
}

// scoreINGSTIN: state, permanent account number, count, 'Z' and a check character
// modulo 36.
func scoreINGSTIN(v *value) float32 {
	c := v.c
	state := parseNumber(c[:2])
	if state < 1 || state > 38 && state != 97 && state != 99 || c[12] == '0' {
		return 0
	}
	sum := 0
	const chars = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for i := range 14 {
		k := strings.IndexByte(chars, c[i]) * (i%2 + 1)
		sum += k/36 + k%36
	}
	if chars[(36-sum%36)%36] == c[14] {
		return 1
	}
	return scoreOrZero(c[13] == 'Z', 0.7)
}

// scoreSGNRIC: the check letter; the M series has its own letters.
func scoreSGNRIC(v *value) float32 {
	c := v.c
	sum := sumWeighted(c[1:8], "2765432")
	switch c[0] {
	case 'S':
		return scoreSGCheck("JZIHGFEDCBA"[sum%11] == c[8])
	case 'T':
		return scoreSGCheck("JZIHGFEDCBA"[(sum+4)%11] == c[8])
	case 'F':
		return scoreSGCheck("XWUTRQPNMLK"[sum%11] == c[8])
	case 'G':
		return scoreSGCheck("XWUTRQPNMLK"[(sum+4)%11] == c[8])
	case 'M':
		return scoreSGCheck("KLJNPQRTUWX"[10-(sum+3)%11] == c[8])
	}
	return 0
}

// scoreSGCheck accepts a wrong check letter by the form alone: tests and letters contain typing errors.
func scoreSGCheck(ok bool) float32 {
	return chooseScore(ok, 0.9, 0.5)
}

// scoreKRRRN: date, sex and century; numbers since 2020 have no check digit.
func scoreKRRRN(v *value) float32 {
	c := v.c
	if !beginsWithDate(c) {
		return 0
	}
	k := (11 - sumWeighted(c, "234567892345")%11) % 10
	if k == int(c[12]-'0') || (c[6] >= '5' && c[6] <= '8') && (k+2)%10 == int(c[12]-'0') {
		return v.scoreGrouped(0.9, 0.75)
	}
	return v.scoreGrouped(0.6, 0.5)
}

// cnProvinces are the first two digits of GB/T 2260.
const cnProvinces = " 11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83 91 "

// scoreCNRIC: GB 11643-1999, with the check of ISO/IEC 7064 MOD 11-2; the older one
// of 15 digits has no check.
func scoreCNRIC(v *value) float32 {
	c := v.c
	if !strings.Contains(cnProvinces, zerocopy.String(c[:2])) {
		return 0
	}
	if len(c) == 15 {
		return scoreOrZero(beginsWithDate(c[6:]), 0.35)
	}
	y := parseNumber(c[6:10])
	if y < 1850 || y > 2100 || !isCalendarDate(y, parseNumber(c[10:12]), parseNumber(c[12:14])) {
		return 0
	}
	sum := 0
	for i, w := range [...]int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2} {
		sum += int(c[i]-'0') * w
	}
	return scoreOrZero("10X98765432"[sum%11] == c[17], 0.95)
}

// scoreTHTNIN: the kind of person, the province, and the check modulo 11.
func scoreTHTNIN(v *value) float32 {
	c := v.c
	p := parseNumber(c[1:3])
	ok := p >= 10 && p <= 27 || p >= 30 && p <= 49 || p >= 50 && p <= 58 || p >= 60 && p <= 67 || p >= 70 && p <= 77 || p >= 80 && p <= 86 ||
		p >= 90 && p <= 96
	sum := 0
	for i := range 12 {
		sum += int(c[i]-'0') * (13 - i)
	}
	return scoreOrZero(ok && c[0] != '0' && c[0] != '9' && (11-sum%11)%10 == int(c[12]-'0'), v.scoreGrouped(0.9, 0.8))
}

// scoreTRTCKN: two check digits.
func scoreTRTCKN(v *value) float32 {
	c := v.c
	odd := int(c[0]-'0') + int(c[2]-'0') + int(c[4]-'0') + int(c[6]-'0') + int(c[8]-'0')
	even := int(c[1]-'0') + int(c[3]-'0') + int(c[5]-'0') + int(c[7]-'0')
	sum := odd + even + int(c[9]-'0')
	return scoreOrZero(c[0] != '0' && ((odd*7-even)%10+10)%10 == int(c[9]-'0') && sum%10 == int(c[10]-'0'), 0.88)
}

// scoreZAID: date, citizenship 0, 1 or 2, and the Luhn digit.
func scoreZAID(v *value) float32 {
	return scoreOrZero(beginsWithDate(v.c) && v.c[10] <= '2' && passesLuhnChars(v.c), v.scoreGrouped(0.85, 0.8))
}

// scoreILID: the Luhn digit, with zeros before a shorter number.
func scoreILID(v *value) float32 {
	c := v.c
	var d [9]byte
	copy(d[:], "0")
	copy(d[9-len(c):], c)
	ok := passesLuhnChars(d[:]) && !isAllSame(c) && parseNumber(c) > 100000
	if len(c) == 8 && v.cuts == 0 {
		return scoreOrZero(ok, 0.2)
	}
	return scoreOrZero(ok, v.scoreGrouped(0.55, 0.35))
}
