package pii

var bankTypes = []detector{
	{
		name: "SWIFT_BIC", pack: packBank, off: true, find: findBIC,
		triggers: []trigger{{
			at: lettersAZ, before: newNoWordNor("-."), behind: byteSet{bytes: lettersAZ, classes: isDigit},
			why: "the first letter of the code", example: "SWIFT DEUTDEFF500",
		}},
		words: []string{"swift", "bic", "swiftcode"}, hints: []string{"bank", "transfer", "wire"},
	},
	{
		name:    "BANK_ACCOUNT",
		pack:    packBank,
		off:     true,
		spoken:  true,
		formats: listAccountFormats(),
		check:   scoreBankAccount,
		words:   []string{"account", "acct", "konto", "kontonummer", "banking", "compte", "cuenta", "conto", "rekening", "rekeningnummer"},
		against: []string{
			"order",
			"phone",
			"tracking",
			"ticket",
			"invoice",
			"swift",
			"bic",
			"routing",
			"aba",
			"card",
			"ssn",
			"timestamp",
			"id",
			"tel",
			"call",
			"balance",
			"amount",
			"total",
		},
		penalty: 1,
	},
	{
		name: "UK_SORT_CODE", pack: packBank, off: true, formats: []string{"99~99~99"}, check: scoreSortCode,
		words: []string{"sort", "sortcode"},
	},
}

// listAccountFormats are 6 to 17 digits, in groups or not.
func listAccountFormats() (out []string) {
	const digits = "9~9~9~9~9~9~9~9~9~9~9~9~9~9~9~9~9"
	for n := 6; n <= 17; n++ {
		out = append(out, digits[:2*n-1])
	}
	return out
}

// scoreBankAccount: it has no fixed form, so a telling word must precede it.
func scoreBankAccount(v *value) float32 {
	return scoreOrZero(!isAllSame(v.c) && !isStraightLong(v.c), spokenScore)
}

// isStraightLong reports whether digits only count up or down, as in examples.
func isStraightLong(c []byte) bool { return len(c) > 10 && isStraight(c) }

// scoreSortCode scores the grouping alone: sort codes have no check digit.
func scoreSortCode(v *value) float32 {
	return scoreOrZero(v.cuts == 0 || v.cuts == 1<<1|1<<3, v.scoreGrouped(0.35, 0.2))
}

// findBIC recognises a business identifier code of ISO 9362 at its first
// letter: four letters, a country, a location, and optionally a branch.
func findBIC(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i > 0 && (isWordByte(t[i-1]) || t[i-1] == '-' || t[i-1] == '.') {
		return 0, 0, 0
	}
	j := i
	for j < len(t) && j-i < 12 && (isUpper(t[j]) || isDigitByte(t[j])) {
		j++
	}
	s.noteLookAhead(i, j+1)
	if n := j - i; n != 8 && n != 11 || j < len(t) && isWordByte(t[j]) {
		return 0, 0, 0
	}
	for _, c := range []byte(t[i : i+6]) {
		if !isUpper(c) {
			return 0, 0, 0
		}
	}
	if !isCountry(t[i+4 : i+6]) {
		return 0, 0, 0
	}
	score := float32(0.3)
	for _, c := range []byte(t[i+6 : j]) {
		if isDigitByte(c) {
			score = 0.4
		}
	}
	return i, j, score
}

// countries are the codes of ISO 3166-1, and XK, which SWIFT uses for Kosovo.
const countries = "ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCYCZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSXKYEYTZAZMZW"

func isCountry(code string) bool {
	for i := 0; i < len(countries); i += 2 {
		if countries[i:i+2] == code {
			return true
		}
	}
	return false
}
