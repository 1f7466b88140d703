package pii

var europeTypes = []detector{
	{
		name:    "ES_NIE",
		pack:    packEU,
		off:     true,
		formats: []string{"A~9999999~A"},
		check:   scoreESNIE,
		words:   []string{"nie", "extranjero"},
		hints:   taxHints,
	},
	{
		name:    "ES_NIF",
		pack:    packEU,
		off:     true,
		formats: []string{"99999999~A", "9999999~A", "A~9999999~X", "999999~A", "99999~A"},
		check:   scoreESNIF,
		words:   []string{"nif", "dni", "cif"},
		hints:   taxHints,
	},
	{
		name:    "FR_NIR",
		pack:    packEU,
		off:     true,
		formats: []string{"9~99~99~9X~999~999~99"},
		check:   scoreFRNIR,
		words:   []string{"nir", "insee", "sécurité", "sociale", "securite", "vitale"},
		hints:   taxHints,
	},
	{
		name:    "DE_TAX_ID",
		pack:    packEU,
		off:     true,
		formats: []string{"99~999~999~999"},
		check:   scoreDETaxID,
		words:   []string{"steuer", "steuerid", "idnr", "steueridentifikationsnummer", "identifikationsnummer", "de"},
		hints:   taxHints,
	},
	{
		name:    "DE_SOCIAL_SECURITY",
		pack:    packEU,
		off:     true,
		formats: []string{"99~999999~A~999"},
		check:   scoreDESocial,
		words:   []string{"rentenversicherung", "rentenversicherungsnummer", "sozialversicherungsnummer", "rvnr", "versicherungsnummer"},
		hints:   taxHints,
	},
	{
		name:    "IT_FISCAL_CODE",
		pack:    packEU,
		off:     true,
		formats: []string{"AAA~AAA~99X99~A999A", "AAA~AAA~XXAXX~AXXXA", "99999999999"},
		check:   scoreITFiscal,
		words:   []string{"codice", "fiscale", "fiscal", "cf"},
		hints:   taxHints,
	},
	{
		name:    "NL_BSN",
		pack:    packEU,
		off:     true,
		formats: []string{"9999~99~999", "999~999~999", "9999~9999"},
		check:   scoreNLBSN,
		words:   []string{"bsn", "burgerservicenummer", "sofinummer", "sofi"},
		hints:   taxHints,
	},
	{
		name:    "BE_NN",
		pack:    packEU,
		off:     true,
		formats: []string{"99~99~99~999~99"},
		check:   scoreBENN,
		words:   []string{"rijksregisternummer", "rijksregister", "insz", "niss", "national", "be", "nn"},
		hints:   taxHints,
	},
	{
		name: "PL_PESEL", pack: packEU, off: true, formats: []string{"99999999999"}, check: scorePLPESEL, words: []string{"pesel"},
		hints: taxHints,
	},
	{
		name:    "SE_PERSONNUMMER",
		pack:    packEU,
		off:     true,
		formats: []string{"999999~9999", "99999999~9999"},
		check:   scoreSEPersonnummer,
		words:   []string{"personnummer", "pnr", "samordningsnummer"},
		hints:   taxHints,
	},
	{
		name:    "FI_HETU",
		pack:    packEU,
		off:     true,
		formats: []string{"999999_999X", "999999A999X"},
		check:   scoreFIHETU,
		words:   []string{"hetu", "henkilötunnus", "henkilotunnus"},
		hints:   taxHints,
	},
	{
		name:    "DK_CPR",
		pack:    packEU,
		off:     true,
		formats: []string{"999999~9999"},
		check:   scoreDKCPR,
		words:   []string{"cpr", "personnummer"},
		hints:   taxHints,
	},
	{
		name:    "NO_FNR",
		pack:    packEU,
		off:     true,
		formats: []string{"999999~99999"},
		check:   scoreNOFNR,
		words:   []string{"fødselsnummer", "fodselsnummer", "fnr", "personnummer"},
		hints:   taxHints,
	},
	{
		name:    "RO_CNP",
		pack:    packEU,
		off:     true,
		formats: []string{"9999999999999"},
		check:   scoreROCNP,
		words:   []string{"cnp", "cod"},
		hints:   taxHints,
	},
	{
		name: "BG_EGN", pack: packEU, off: true, formats: []string{"999999~999~9"}, check: scoreBGEGN, words: []string{"egn", "егн"},
		hints: taxHints,
	},
	{
		name:    "EU_VAT",
		pack:    packEU,
		off:     true,
		formats: listVATFormats(),
		check:   scoreEUVAT,
		words:   []string{"vat", "ust", "ustid", "ustidnr", "iva", "tva", "btw", "moms", "umsatzsteuer"},
		hints:   taxHints,
	},
}

const esLetters = "TRWAGMYFPDXBNJZSQVHLCKE"

// scoreESNIE: an identity number of a foreigner, whose first letter is a digit.
func scoreESNIE(v *value) float32 {
	if !isOneOf(v.c[0], "XYZ") {
		return 0
	}
	n := parseNumber(v.c[1:8]) + int(v.c[0]-'X')*10000000
	return scoreOrZero(esLetters[n%23] == v.c[8], 0.9)
}

// scoreESNIF: a citizen's number with its letter, one of K, L, M or X, Y, Z before
// it, or a legal person's with its digit or letter (Orden EHA/451/2008).
func scoreESNIF(v *value) float32 {
	c := v.c
	if v.shape != 2 { // leading zeros are often omitted
		last := len(c) - 1
		return scoreOrZero(esLetters[parseNumber(c[:last])%23] == c[last] && parseNumber(c[:last]) > 0, [...]float32{
			5: 0.3, 6: 0.3, 7: 0.5,
			8: 0.85,
		}[last])
	}
	switch {
	case isOneOf(c[0], "KLM"):
		return scoreOrZero(esLetters[parseNumber(c[1:8])%23] == c[8], 0.8)
	case isOneOf(c[0], "XYZ"):
		return scoreOrZero(scoreESNIE(v) > 0, 0.8)
	case !isOneOf(c[0], "ABCDEFGHJNPQRSUVW"):
		return 0
	}
	sum := 0
	for i := 1; i < 8; i++ {
		x := int(c[i] - '0')
		if i%2 == 1 {
			if x *= 2; x > 9 {
				x -= 9
			}
		}
		sum += x
	}
	k := (10 - sum%10) % 10
	return scoreOrZero(c[8] == byte('0'+k) && !isOneOf(c[0], "PQRSW") || c[8] == "JABCDEFGHI"[k] && !isOneOf(c[0], "ABEH"), 0.8)
}

// scoreFRNIR: the key is 97 less the number modulo 97, with 19 and 18 for Corsica.
func scoreFRNIR(v *value) float32 {
	c := v.c
	m := parseNumber(c[3:5])
	if !isOneOf(c[0], "123478") || m < 1 || m > 12 && m < 20 || m > 42 && m < 50 {
		return 0
	}
	var d [13]byte
	copy(d[:], c[:13])
	switch {
	case c[6] == 'A' && c[5] == '2':
		d[6] = '9'
		d[5] = '1'
	case c[6] == 'B' && c[5] == '2':
		d[5], d[6] = '1', '8'
	case !isDigitByte(c[6]):
		return 0
	}
	return scoreOrZero(97-parseNumber(d[:])%97 == parseNumber(c[13:]), 0.9)
}

// scoreDETaxID: modulo 11, 10, and one of the first ten digits occurs twice or three times (Bundeszentralamt für Steuern).
func scoreDETaxID(v *value) float32 {
	if v.c[0] == '0' || !passesMod1110(v.c) {
		return 0
	}
	var n [10]int
	for _, d := range v.c[:10] {
		n[d-'0']++
	}
	twice, more := 0, 0
	for _, k := range n {
		switch {
		case k == 2 || k == 3:
			twice++
		case k > 3:
			more++
		}
	}
	return scoreOrZero(twice == 1 && more == 0, v.scoreGrouped(0.9, 0.8))
}

// scoreDESocial: the check of § 2 Versicherungsnummern-, Kontoführungs- und
// Versicherungsverlaufsverordnung.
func scoreDESocial(v *value) float32 {
	c := v.c
	d, m := parseNumber(c[2:4]), parseNumber(c[4:6])
	if d > 50 {
		d -= 50
	}
	if d < 1 || d > 31 || m < 1 || m > 12 {
		return 0
	}
	l := int(c[8]-'A') + 1
	digits := [12]int{
		int(c[0] - '0'),
		int(c[1] - '0'),
		int(c[2] - '0'),
		int(c[3] - '0'),
		int(c[4] - '0'),
		int(c[5] - '0'),
		int(c[6] - '0'),
		int(c[7] - '0'),
		l / 10,
		l % 10,
		int(c[9] - '0'),
		int(c[10] - '0'),
	}
	sum := 0
	for i, w := range [...]int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1} {
		x := digits[i] * w
		sum += x/10 + x%10
	}
	return scoreOrZero(sum%10 == int(c[11]-'0'), 0.9)
}

// scoreNLBSN: the eleven test.
func scoreNLBSN(v *value) float32 {
	c := v.c
	var d [9]byte
	copy(d[:], "0")
	copy(d[9-len(c):], c)
	sum := sumWeighted(d[:8], "98765432") - int(d[8]-'0')
	if sum%11 != 0 || isAllSame(c) || parseNumber(c) < 1000000 {
		return 0
	}
	if len(c) == 8 {
		return 0.3
	}
	return v.scoreGrouped(0.6, 0.5)
}

// scoreBENN: 97 less the number modulo 97; a 2 precedes those born since 2000.
func scoreBENN(v *value) float32 {
	n, k, m := parseNumber(v.c[:9]), parseNumber(v.c[9:]), parseNumber(v.c[2:4])
	if m %= 20; m > 12 || parseNumber(v.c[4:6]) > 31 {
		return 0
	}
	return scoreOrZero(97-n%97 == k || 97-(2000000000+n)%97 == k, v.scoreGrouped(0.9, 0.75))
}
