package pii

var latamTypes = []detector{
	{
		name:    "BR_CPF",
		pack:    packLatam,
		off:     true,
		formats: []string{"999~999~999~99"},
		check:   scoreBRCPF,
		words:   []string{"cpf", "contribuinte"},
		hints:   taxHints,
	},
	{
		name:    "BR_CNPJ",
		pack:    packLatam,
		off:     true,
		formats: []string{"99~999~999~9999~99", "XX~XXX~XXX~XXXX~99"},
		check:   scoreBRCNPJ,
		words:   []string{"cnpj", "empresa"},
		hints:   taxHints,
	},
	{
		name:    "AR_CUIT",
		pack:    packLatam,
		off:     true,
		formats: []string{"99~99999999~9"},
		check:   scoreARCUIT,
		words:   []string{"cuit", "cuil", "cdi"},
		hints:   taxHints,
	},
	{
		name:    "MX_CURP",
		pack:    packLatam,
		off:     true,
		formats: []string{"AAAA999999AAAAAAX9"},
		check:   scoreMXCURP,
		words:   []string{"curp"},
		hints:   taxHints,
	},
	{
		name:    "CL_RUT",
		pack:    packLatam,
		off:     true,
		formats: []string{"99~999~999~X", "9~999~999~X"},
		check:   scoreCLRUT,
		words:   []string{"rut", "run", "rol"},
		hints:   taxHints,
	},
}

// passesTwoEleven checks the last two digits of c, each modulo 11. The weights rise from the right, from 2 to top, and then start
// again at 2.
func passesTwoEleven(c []byte, top int) bool {
	for n := len(c) - 2; n < len(c); n++ {
		sum, w := 0, 2
		for i := n - 1; i >= 0; i-- {
			sum += int(c[i]-'0') * w
			if w++; w > top {
				w = 2
			}
		}
		k := 11 - sum%11
		if k > 9 {
			k = 0
		}
		if int(c[n]-'0') != k {
			return false
		}
	}
	return true
}

// scoreBRCPF: two check digits (Receita Federal).
func scoreBRCPF(v *value) float32 {
	return scoreOrZero(!isAllSame(v.c) && passesTwoEleven(v.c, 99), v.scoreGrouped(0.9, 0.8))
}

// scoreBRCNPJ: two check digits; since 2026 letters may be in front of them.
func scoreBRCNPJ(v *value) float32 {
	return scoreOrZero(!isAllSame(v.c) && countDigits(v.c) >= 6 && passesTwoEleven(v.c, 9), v.scoreGrouped(0.9, 0.85))
}

// countDigits returns the number of digits.
func countDigits(c []byte) (n int) {
	for _, v := range c {
		if isDigitByte(v) {
			n++
		}
	}
	return n
}

// scoreARCUIT: the kind of person, and the check modulo 11 (AFIP).
func scoreARCUIT(v *value) float32 {
	switch string(v.c[:2]) {
	case "20", "23", "24", "25", "26", "27", "30", "33", "34", "50", "51", "55":
	default:
		return 0
	}
	k := (11 - sumWeighted(v.c, "5432765432")%11) % 11
	return scoreOrZero(k == int(v.c[10]-'0') || k == 10 && v.c[10] == '9', v.scoreGrouped(0.9, 0.75))
}

// scoreMXCURP: date, sex, state, and the check digit over 37 characters, of which
// the letter Ñ is one (RENAPO).
func scoreMXCURP(v *value) float32 {
	c := v.c
	if !beginsWithDate(c[4:]) || !isOneOf(c[10], "HMX") {
		return 0
	}
	sum := 0
	for i := range 17 {
		k := int(c[i] - '0')
		if !isDigitByte(c[i]) {
			if k = int(c[i]-'A') + 10; c[i] > 'N' {
				k++
			}
		}
		sum += k * (18 - i)
	}
	return scoreOrZero((10-sum%10)%10 == int(c[17]-'0'), 1)
}

// scoreCLRUT: the check modulo 11, whose ten is K.
func scoreCLRUT(v *value) float32 {
	last := len(v.c) - 1
	sum, w := 0, 2
	for i := last - 1; i >= 0; i-- {
		sum += int(v.c[i]-'0') * w
		if w++; w > 7 {
			w = 2
		}
	}
	k := "0123456789K"[(11-sum%11)%11]
	return scoreOrZero(v.c[last] == k && parseNumber(v.c[:last]) > 100000, chooseScore(v.cuts>>(last-1)&1 == 1, 0.75, 0.3))
}
