package pii

var commonwealthTypes = []detector{
	{
		name:    "CA_SIN",
		pack:    packCA,
		off:     true,
		formats: []string{"999~999~999"},
		check:   scoreCASIN,
		words:   []string{"sin", "nas", "insurance", "sociale", "canadian"},
		hints:   taxHints,
	},
	{
		name:    "UK_NHS",
		pack:    packUK,
		off:     true,
		formats: []string{"999~999~9999"},
		check:   scoreUKNHS,
		words:   []string{"nhs", "chi", "patient"},
		hints:   []string{"health", "medical", "hospital"},
		against: []string{"isbn", "book"},
		penalty: 1,
	},
	{
		name:    "UK_NINO",
		pack:    packUK,
		off:     true,
		formats: []string{"AA~99~99~99~A"},
		check:   scoreUKNINO,
		words:   []string{"nino", "insurance", "ni"},
		hints:   taxHints,
	},
	{
		name:    "UK_UTR",
		pack:    packUK,
		off:     true,
		formats: []string{"99999~99999"},
		check:   scoreUKUTR,
		words:   []string{"utr", "taxpayer"},
		hints:   taxHints,
	},
	{
		name:    "AU_TFN",
		pack:    packANZ,
		off:     true,
		formats: []string{"999~999~999", "99999999"},
		check:   scoreAUTFN,
		words:   []string{"tfn", "tax"},
		hints:   taxHints,
	},
	{
		name:    "AU_ABN",
		pack:    packANZ,
		off:     true,
		formats: []string{"99~999~999~999"},
		check:   scoreAUABN,
		words:   []string{"abn", "business"},
		hints:   taxHints,
	},
	{
		name:    "AU_ACN",
		pack:    packANZ,
		off:     true,
		formats: []string{"999~999~999"},
		check:   scoreAUACN,
		words:   []string{"acn", "company"},
		hints:   taxHints,
	},
	{
		name:    "AU_MEDICARE",
		pack:    packANZ,
		off:     true,
		formats: []string{"9999~99999~9", "9999~99999~9~9"},
		check:   scoreAUMedicare,
		words:   []string{"medicare"},
		hints:   taxHints,
	},
}

// scoreCASIN: the Luhn digit; numbers do not start with 0 or 8.
func scoreCASIN(v *value) float32 {
	return scoreOrZero(v.c[0] != '0' && v.c[0] != '8' && passesLuhnChars(v.c) && !isAllSame(v.c), v.scoreGrouped(0.6, 0.3))
}

// scoreUKNHS: the check modulo 11 of the NHS Data Dictionary, which books (ISO 2108) use too. Without separators the number must
// be in a range that England assigns, or a telling word must precede it.
func scoreUKNHS(v *value) float32 {
	if sum := sumWeighted(v.c, ":98765432"); (11-sum%11)%11 != int(v.c[9]-'0') || isAllSame(v.c) {
		return 0
	}
	if v.cuts == 1<<2|1<<5 {
		return 0.8
	}
	return scoreOrZero(v.cuts == 0, chooseScore(isOneOf(v.c[0], "467"), 0.5, 0.3))
}

// scoreUKNINO: the letters that HM Revenue and Customs uses (NIM39110).
func scoreUKNINO(v *value) float32 {
	a, b := v.c[0], v.c[1]
	switch string(v.c[:2]) {
	case "BG", "GB", "KN", "NK", "NT", "TN", "ZZ":
		return 0
	}
	return scoreOrZero(!isOneOf(a, "DFIQUV") && !isOneOf(b, "DFIOQUV") && v.c[8] <= 'D', 0.85)
}

// scoreUKUTR: the check digit comes first.
func scoreUKUTR(v *value) float32 {
	if "21987654321"[sumWeighted(v.c[1:], "6789:5432")%11] == v.c[0] {
		return 0.45
	}
	return 0.3
}

// scoreAUTFN: the Australian Taxation Office's sum modulo 11.
func scoreAUTFN(v *value) float32 {
	w := "14375869:"
	if len(v.c) == 8 {
		w = ":7584631"
	}
	return scoreOrZero(sumWeighted(v.c, w)%11 == 0 && !isAllSame(v.c), v.scoreGrouped(0.65, chooseScore(len(v.c) == 9, 0.55, 0.3)))
}

// scoreAUABN: modulo 89 after subtracting one from the first digit.
func scoreAUABN(v *value) float32 {
	sum := (int(v.c[0]-'0') - 1) * 10
	for i, w := range [...]int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19} {
		sum += int(v.c[i+1]-'0') * w
	}
	return scoreOrZero(v.c[0] != '0' && sum%89 == 0, v.scoreGrouped(0.85, 0.65))
}

// scoreAUACN: the check of the Australian Securities and Investments Commission.
func scoreAUACN(v *value) float32 {
	return scoreOrZero((10-sumWeighted(v.c[:8], "87654321")%10)%10 == int(v.c[8]-'0') && !isAllSame(v.c), v.scoreGrouped(0.6, 0.5))
}

// scoreAUMedicare: the ninth digit checks the first eight.
func scoreAUMedicare(v *value) float32 {
	return scoreOrZero(
		v.c[0] >= '2' && v.c[0] <= '6' && sumWeighted(v.c, "13791379")%10 == int(v.c[8]-'0') && !isAllSame(v.c[:8]),
		v.scoreGrouped(0.75, 0.55),
	)
}
