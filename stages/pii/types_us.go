package pii

// taxHints are words for tax numbers of any country.
var taxHints = []string{
	"tax",
	"taxid",
	"tin",
	"national",
	"identity",
	"identification",
	"id",
	"personal",
	"identifier",
	"citizen",
	"nin",
	"registration",
}

var usTypes = []detector{
	{
		name:    "US_ITIN",
		pack:    packCore,
		formats: []string{"999~99~9999"},
		check:   scoreUSITIN,
		words:   []string{"itin", "taxpayer", "individual"},
		hints:   taxHints,
	},
	{
		name:    "US_EIN",
		pack:    packUS,
		off:     true,
		formats: []string{"99~9999999"},
		check:   scoreUSEIN,
		words:   []string{"ein", "fein", "employer"},
		hints:   taxHints,
	},
	{
		name:    "US_NPI",
		pack:    packHealth,
		off:     true,
		formats: []string{"9999~999~999"},
		check:   scoreUSNPI,
		words:   []string{"npi", "provider", "physician"},
	},
	{
		name:    "US_MBI",
		pack:    packHealth,
		off:     true,
		formats: []string{"9AX9~AX9~AA99"},
		check:   scoreUSMBI,
		words:   []string{"mbi", "medicare", "beneficiary"},
	},
	{
		name:    "US_DEA",
		pack:    packHealth,
		off:     true,
		formats: []string{"AX9999999"},
		check:   scoreUSDEA,
		words:   []string{"dea", "certificate", "prescriber"},
	},
	{
		name:    "US_ABA_ROUTING",
		pack:    packBank,
		off:     true,
		formats: []string{"9999~9999~9"},
		check:   scoreUSABA,
		words:   []string{"aba", "routing", "rtn", "transit", "bank"},
	},
}

// scoreUSITIN: the area starts with 9, and the group is a number that the Internal
// Revenue Service hands out (Publication 1915).
func scoreUSITIN(v *value) float32 {
	g := parseNumber(v.c[3:5])
	ok := v.c[0] == '9' && (g >= 50 && g <= 65 || g >= 70 && g <= 88 || g >= 90 && g <= 92 || g >= 94) && parseNumber(v.c[5:]) != 0
	if v.cuts != 0 && v.cuts != 1<<2|1<<4 {
		return 0
	}
	return scoreOrZero(ok, v.scoreGrouped(0.8, 0.2))
}

// scoreUSEIN: the prefix is one that the Internal Revenue Service assigned to a campus or to the Internet.
func scoreUSEIN(v *value) float32 {
	p := parseNumber(v.c[:2])
	ok := p >= 1 && p <= 6 || p >= 10 && p <= 16 || p >= 20 && p <= 27 || p >= 30 && p <= 48 || p >= 50 && p <= 68 ||
		p >= 71 && p <= 77 || p >= 80 && p <= 88 || p >= 90 && p <= 95 || p >= 98
	return scoreOrZero(ok && !isAllSame(v.c), v.scoreGrouped(0.45, 0.3))
}

// scoreUSNPI: ten digits from 1 or 2 on with the Luhn digit over 80840 before them
// (45 CFR 162.406).
func scoreUSNPI(v *value) float32 {
	var c [15]byte
	copy(c[:], "80840")
	copy(c[5:], v.c)
	return scoreOrZero((v.c[0] == '1' || v.c[0] == '2') && passesLuhnChars(c[:]) && !isAllSame(v.c[1:9]), 0.55)
}

// scoreUSMBI: the eleven places of the Centers for Medicare and Medicaid Services,
// without the letters S, L, O, I, B and Z.
func scoreUSMBI(v *value) float32 {
	for _, c := range v.c {
		if isOneOf(c, "SLOIBZ") {
			return 0
		}
	}
	return scoreOrZero(v.c[0] != '0' && isDigitByte(v.c[3]) && isDigitByte(v.c[6]), v.scoreGrouped(0.8, 0.6))
}

// scoreUSDEA: the check digit of a registration of the Drug Enforcement Administration.
func scoreUSDEA(v *value) float32 {
	d := v.c[2:]
	sum := int(d[0]-'0') + int(d[2]-'0') + int(d[4]-'0') + 2*(int(d[1]-'0')+int(d[3]-'0')+int(d[5]-'0'))
	return scoreOrZero(
		isOneOf(v.c[0], "ABCDEFGHJKLMPRSTUX") && (isUpper(v.c[1]) || v.c[1] == '9') && sum%10 == int(d[6]-'0') && parseNumber(d) != 0,
		0.8,
	)
}

// scoreUSABA: the district of the Federal Reserve and the check 3-7-1 of the
// American Bankers Association.
func scoreUSABA(v *value) float32 {
	p := parseNumber(v.c[:2])
	ok := p <= 12 || p >= 21 && p <= 32 || p >= 61 && p <= 72 || p == 80
	return scoreOrZero(ok && sumWeighted(v.c, "371371371")%10 == 0 && !isAllSame(v.c) && parseNumber(v.c) > 1000000, 0.5)
}
