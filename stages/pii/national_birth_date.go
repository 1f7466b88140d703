package pii

// scorePLPESEL: weights 1, 3, 7, 9, and the century in the month.
func scorePLPESEL(v *value) float32 {
	if sum := sumWeighted(v.c, "1379137913"); (10-sum%10)%10 != int(v.c[10]-'0') || isAllSame(v.c) {
		return 0
	}
	if !isCalendarDate(parseNumber(v.c[:2]), parseNumber(v.c[2:4])%20, parseNumber(v.c[4:6])) {
		return 0.3
	}
	return 0.8
}

// scoreSEPersonnummer: a date, whose day is 60 more in a coordination number, and
// the Luhn digit.
func scoreSEPersonnummer(v *value) float32 {
	c := v.c[len(v.c)-10:]
	d := parseNumber(c[4:6])
	if d > 60 {
		d -= 60
	}
	long := len(v.c) == 12
	if !isCalendarDate(parseNumber(c[:2]), parseNumber(c[2:4]), d) || long && (parseNumber(v.c[:2]) < 18 || parseNumber(v.c[:2]) > 20) {
		return 0
	}
	if !passesLuhnChars(c) {
		return scoreOrZero(long && passesLuhnChars(v.c), 0.4) // counted over the century, too, by mistake
	}
	return v.scoreGrouped(0.85, 0.65)
}

// scoreFIHETU: the sign of the century, and the remainder modulo 31 as a character
// (Digital and Population Data Services Agency; the signs of 2023 too).
func scoreFIHETU(v *value) float32 {
	c := v.c
	n := parseNumber(c[:6])
	var serial []byte
	var last byte
	if v.shape == 0 {
		if s := v.sep[0]; s != '-' && s != '+' {
			return 0
		}
		serial, last = c[6:9], c[9]
	} else {
		if !isOneOf(c[6], "ABCDEFUVWXY") {
			return 0
		}
		serial, last = c[7:10], c[10]
	}
	k := parseNumber(serial)
	return scoreOrZero(
		isCalendarDate(parseNumber(c[4:6]), parseNumber(c[2:4]), parseNumber(c[:2])) && k >= 2 &&
			"0123456789ABCDEFHJKLMNPRSTUVWXY"[(n*1000+k)%31] == last,
		0.95,
	)
}

// scoreDKCPR: a date, and the sum modulo 11, which numbers since 2007 may miss.
func scoreDKCPR(v *value) float32 {
	if !isCalendarDate(parseNumber(v.c[4:6]), parseNumber(v.c[2:4]), parseNumber(v.c[:2])) {
		return 0
	}
	if sumWeighted(v.c, "4327654321")%11 == 0 {
		return v.scoreGrouped(0.85, 0.6)
	}
	return 0.2 // numbers given out since 2007 need not pass: only behind a telling word
}

// scoreNOFNR: two check digits; the day is 40 more in a D number.
func scoreNOFNR(v *value) float32 {
	c := v.c
	d, m := parseNumber(c[:2]), parseNumber(c[2:4])
	if d > 40 {
		d -= 40
	}
	if m > 80 {
		m -= 80
	} else if m > 40 {
		m -= 40
	}
	one := sumWeighted(c, "3761894521") % 11
	two := sumWeighted(c, "54327654321") % 11
	return scoreOrZero(isCalendarDate(parseNumber(c[4:6]), m, d) && one == 0 && two == 0, 0.9)
}

// scoreROCNP: sex and century, date, county, and the remainder modulo 11.
func scoreROCNP(v *value) float32 {
	c := v.c
	county := parseNumber(c[7:9])
	k := sumWeighted(c, "279146358279") % 11
	if k == 10 {
		k = 1
	}
	ok := c[0] != '0' && beginsWithDate(c[1:]) && (county >= 1 && county <= 52 || county == 70 || county >= 80 && county <= 83) &&
		k == int(c[12]-'0')
	return scoreOrZero(ok, 0.85)
}

// scoreBGEGN: the month is 20 more for those born before 1900, 40 from 2000 on.
func scoreBGEGN(v *value) float32 {
	c := v.c
	m := parseNumber(c[2:4])
	if m > 40 {
		m -= 40
	} else if m > 20 {
		m -= 20
	}
	return scoreOrZero(isCalendarDate(parseNumber(c[:2]), m, parseNumber(c[4:6])) && sumWeighted(c, "2485:9736")%11%10 == int(c[9]-'0'), 0.65)
}
