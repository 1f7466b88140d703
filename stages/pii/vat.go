package pii

import "strings"

// vatForms are the forms of a VAT identification number behind the country code (Council Directive 2006/112/EC, as the VIES
// service lists them).
var vatForms = map[string][]string{
	"AT": {
		"A99999999",
	},
	"BE": {"9999999999"},
	"BG": {"999999999", "9999999999"},
	"CY": {"99999999A"},
	"CZ": {"99999999", "999999999", "9999999999"},
	"DE": {
		"999~999~999",
	},
	"DK": {"99~99~99~99"},
	"EE": {"999999999"},
	"EL": {"999999999"},
	"ES": {"X9999999X"},
	"FI": {"99999999"},
	"FR": {"XX~999999999"},
	"HR": {
		"99999999999",
	},
	"HU": {"99999999"},
	"IE": {"9X99999A", "9999999AA"},
	"IT": {"99999999999"},
	"LT": {"999999999", "999999999999"},
	"LU": {"99999999"},
	"LV": {"99999999999"},
	"MT": {
		"99999999",
	},
	"NL": {"999999999A99"},
	"PL": {"9999999999"},
	"PT": {"999999999"},
	"RO": {"99", "999", "9999", "99999", "999999", "9999999", "99999999", "999999999", "9999999999"},
	"SE": {
		"999999999999",
	},
	"SI": {"99999999"},
	"SK": {"9999999999"},
	"GB": {"999~9999~99", "999~9999~99~999"},
	"XI": {"999999999", "999999999999"},
	"CH": {"A~999~999~999", "AA~999~999~999"},
}

// vatShapes are the compiled forms.
var vatShapes = func() map[string][]shape {
	m := map[string][]shape{}
	for country, forms := range vatForms {
		for _, f := range forms {
			m[country] = append(m[country], shape{chars: strings.ReplaceAll(f, "~", "")})
		}
	}
	return m
}()

// listVATFormats returns all forms behind two letters. A row of formats has one entry for all countries; scoreEUVAT checks the country
// code.
func listVATFormats() (out []string) {
	seen := map[string]bool{}
	for _, forms := range vatForms {
		for _, f := range forms {
			if f = "AA~" + f; !seen[f] {
				seen[f] = true
				out = append(out, f)
			}
		}
	}
	return out
}

// scoreEUVAT: the form of the country, and the check digit where it is reliable: Germany and France.
func scoreEUVAT(v *value) float32 {
	c := v.c
	fits := false
	for _, f := range vatShapes[string(c[:2])] {
		fits = fits || len(f.chars) == len(c)-2 && f.accepts(c[2:])
	}
	switch {
	case !fits:
		return 0
	case c[0] == 'D' && c[1] == 'E':
		return chooseScore(passesMod1110(c[2:]) && c[2] != '0', 0.8, 0.5)
	case c[0] == 'F' && c[1] == 'R' && isDigitByte(c[2]) && isDigitByte(c[3]):
		return chooseScore((12+3*(parseNumber(c[4:])%97))%97 == parseNumber(c[2:4]), 0.8, 0.25)
	case len(c) < 10:
		return 0.2
	}
	return 0.35
}
