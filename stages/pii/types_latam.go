package pii

var latamTypes = []detector{
	{
		name:    "BR_CPF",
		pack:    packLatam,
		off:     true,
		formats: []string{"999~999~999~99"},
		check:   brCPF,
		words:   []string{"cpf", "contribuinte"},
		hints:   taxHints,
	},
	{
		name:    "BR_CNPJ",
		pack:    packLatam,
		off:     true,
		formats: []string{"99~999~999~9999~99", "XX~XXX~XXX~XXXX~99"},
		check:   brCNPJ,
		words:   []string{"cnpj", "empresa"},
		hints:   taxHints,
	},
	{
		name:    "AR_CUIT",
		pack:    packLatam,
		off:     true,
		formats: []string{"99~99999999~9"},
		check:   arCUIT,
		words:   []string{"cuit", "cuil", "cdi"},
		hints:   taxHints,
	},
	{
		name:    "MX_CURP",
		pack:    packLatam,
		off:     true,
		formats: []string{"AAAA999999AAAAAAX9"},
		check:   mxCURP,
		words:   []string{"curp"},
		hints:   taxHints,
	},
	{
		name:    "CL_RUT",
		pack:    packLatam,
		off:     true,
		formats: []string{"99~999~999~X", "9~999~999~X"},
		check:   clRUT,
		words:   []string{"rut", "run", "rol"},
		hints:   taxHints,
	},
}

// twoEleven checks the last two digits of c, each modulo 11. The weights rise from the right, from 2 to top, and then start
// again at 2.
func twoEleven(c []byte, top int) bool {
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

// brCPF: two check digits (Receita Federal).
func brCPF(v *value) float32 {
	return scoreIf(!allSame(v.c) && twoEleven(v.c, 99), v.scoreGrouped(0.9, 0.8))
}

// brCNPJ: two check digits; since 2026 letters may be in front of them.
func brCNPJ(v *value) float32 {
	return scoreIf(!allSame(v.c) && numberOfDigits(v.c) >= 6 && twoEleven(v.c, 9), v.scoreGrouped(0.9, 0.85))
}

// numberOfDigits returns the number of digits.
func numberOfDigits(c []byte) (n int) {
	for _, v := range c {
		if digit(v) {
			n++
		}
	}
	return n
}

// arCUIT: the kind of person, and the check modulo 11 (AFIP).
func arCUIT(v *value) float32 {
	switch string(v.c[:2]) {
	case "20", "23", "24", "25", "26", "27", "30", "33", "34", "50", "51", "55":
	default:
		return 0
	}
	k := (11 - weightedSum(v.c, "5432765432")%11) % 11
	return scoreIf(k == int(v.c[10]-'0') || k == 10 && v.c[10] == '9', v.scoreGrouped(0.9, 0.75))
}

// mxCURP: date, sex, state, and the check digit over 37 characters, of which
// the letter Ñ is one (RENAPO).
func mxCURP(v *value) float32 {
	c := v.c
	if !dayOf(c[4:]) || !within(c[10], "HMX") {
		return 0
	}
	sum := 0
	for i := range 17 {
		k := int(c[i] - '0')
		if !digit(c[i]) {
			if k = int(c[i]-'A') + 10; c[i] > 'N' {
				k++
			}
		}
		sum += k * (18 - i)
	}
	return scoreIf((10-sum%10)%10 == int(c[17]-'0'), 1)
}

// clRUT: the check modulo 11, whose ten is K.
func clRUT(v *value) float32 {
	last := len(v.c) - 1
	sum, w := 0, 2
	for i := last - 1; i >= 0; i-- {
		sum += int(v.c[i]-'0') * w
		if w++; w > 7 {
			w = 2
		}
	}
	k := "0123456789K"[(11-sum%11)%11]
	return scoreIf(v.c[last] == k && numberOf(v.c[:last]) > 100000, scoreEither(v.cuts>>(last-1)&1 == 1, 0.75, 0.3))
}
