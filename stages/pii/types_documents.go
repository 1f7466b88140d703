package pii

var documentTypes = []detector{
	{
		name:    "PASSPORT",
		pack:    packDocs,
		off:     true,
		spoken:  true,
		formats: append(listDocumentFormats(6, 11), "9~99~999999", "999~999999"),
		check:   scorePassport,
		words: []string{
			"passport",
			"passports",
			"pasaporte",
			"passeport",
			"reisepass",
			"passaporto",
			"pass",
			"passnr",
			"paspoort",
			"travel",
			"passaporte",
			"паспорт",
			"护照",
			"護照",
			"passportno",
			"reisepassnummer",
			"passnummer",
			"paszport",
			"paszportu",
			"pasaport",
			"여권",
			"パスポート",
			"паспорта",
			"διαβατήριο",
		},
	},
	{
		name:   "DRIVER_LICENSE",
		pack:   packDocs,
		off:    true,
		spoken: true,
		formats: append(listDocumentFormats(5, 18), "999~99~9999", "A999~9999~9999", "A9999~99999~99999", "A999~999~99~999~9",
			"A999~999~999~999"),
		check:   scoreLicense,
		words:   []string{"license", "licence", "dl", "führerschein", "fuhrerschein", "permis", "licencia", "patente", "rijbewijs", "dln"},
		against: []string{"plate", "passport", "key", "software", "product"},
		penalty: 1,
	},
	{
		name:    "LICENSE_PLATE",
		pack:    packDocs,
		off:     true,
		spoken:  true,
		formats: plateFormats,
		check:   scorePlate,
		words: []string{
			"plate",
			"plates",
			"kennzeichen",
			"plaka",
			"matrícula",
			"matricula",
			"targa",
			"numberplate",
			"licenceplate",
			"immatriculation",
			"kenteken",
			"registration",
			"vehicle",
			"car",
		},
	},
	{
		name:    "DE_ID_CARD",
		pack:    packEU,
		off:     true,
		formats: []string{"AXXXXXXXX", "AXXXXXXXX9"},
		check:   scoreDEIDCard,
		words:   []string{"personalausweis", "ausweis", "ausweisnummer", "personalausweisnummer"},
		hints:   taxHints,
	},
	{
		name: "HK_ID", pack: packAPAC, off: true, find: findHKID,
		triggers: []trigger{{
			at: digits09, number: numberForm{first: [2]int{6, 7}, joined: true, early: true},
			why: "the digits behind the letters", example: "HKID A123456(3)",
		}},
		words: []string{"hkid", "hong", "kong", "香港身份證"}, hints: taxHints,
	},
	{
		name:    "TW_ID",
		pack:    packAPAC,
		off:     true,
		formats: []string{"A999999999", "AA99999999"},
		check:   scoreTWID,
		words:   []string{"taiwan", "taiwanese", "身分證"},
		hints:   taxHints,
	},
	{
		name:    "PK_CNIC",
		pack:    packAPAC,
		off:     true,
		formats: []string{"99999~9999999~9"},
		check:   scorePKCNIC,
		words:   []string{"cnic", "nadra", "nicop"},
		hints:   taxHints,
	},
}

// listDocumentFormats are lo to hi letters and digits.
func listDocumentFormats(lo, hi int) (out []string) {
	for n := lo; n <= hi; n++ {
		b := []byte("XX~XXXXXXXXXXXXXXXXXXXXXXXX")[:n+1]
		out = append(out, string(b), "X~"+string(makeNines(n-1)))
	}
	return out
}

func makeNines(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = '9'
	}
	return b
}

// scorePassport: letters and digits in no order common to all states (ICAO 9303 leaves the number to them), so a telling word
// must precede it.
func scorePassport(v *value) float32 {
	d := countDigits(v.c)
	return scoreOrZero(
		d >= 3 && len(v.c)-d <= 5 && (d > 3 || len(v.c) == 8) || len(v.c) == 9 && d >= 2 && hasOnly(v.c, "0123456789CFGHJKLMNPRTVWXYZ"),
		spokenScore,
	)
}

// hasOnly reports whether all characters are in a set: German documents use few letters, in any position.
func hasOnly(c []byte, set string) bool {
	for _, b := range c {
		if !isOneOf(b, set) {
			return false
		}
	}
	return true
}

// scoreLicense: every authority has its own form, so a telling word must precede it.
func scoreLicense(v *value) float32 {
	d := countDigits(v.c)
	return scoreOrZero(d >= 4 && d*5 >= len(v.c)*2, spokenScore)
}

// plateFormats are the groups of plates, with or without separators between them. 'X' is a letter or digit, so plate checks
// for both.
var plateFormats = func() (out []string) {
	for n := 3; n <= 10; n++ {
		b := "X~X~X~X~X~X~X~X~X~X"
		out = append(out, b[:2*n-1])
	}
	return out
}()

func scorePlate(v *value) float32 {
	d := countDigits(v.c)
	l := len(v.c) - d
	cuts := 0
	for c := v.cuts; c != 0; c &= c - 1 {
		cuts++
	}
	return scoreOrZero(d >= 1 && l >= 1 && l <= 7 && d <= 6 && cuts <= 3, spokenScore)
}

// scoreDEIDCard: the characters of a document number, with its check digit or not.
func scoreDEIDCard(v *value) float32 {
	d := 0
	for _, c := range v.c {
		if isDigitByte(c) {
			d++
		} else if !isOneOf(c, "CFGHJKLMNPRTVWXYZ") {
			return 0
		}
	}
	if len(v.c) == 10 {
		sum := 0
		for i, c := range v.c[:9] {
			k := int(c - '0')
			if !isDigitByte(c) {
				k = int(c-'A') + 10
			}
			sum += k * [...]int{7, 3, 1}[i%3]
		}
		return scoreOrZero(sum%10 == int(v.c[9]-'0') && d >= 2, chooseScore(d >= 5, 0.7, 0.3))
	}
	return scoreOrZero(d >= 3 && (d < 8 || v.c[0] == 'T'), 0.5)
}

// findHKID recognises the number of a Hong Kong identity card: one letter or
// two, six digits, and the check character, in brackets or without.
func findHKID(s *scan, i int) (int, int, float32) {
	t := s.v.s
	a := i
	for a > 0 && i-a < 3 && isLetterByte(t[a-1]) {
		a--
	}
	if i == a || i-a > 2 || a > 0 && (isWordByte(t[a-1]) || t[a-1] == '-') {
		return 0, 0, 0
	}
	j := i
	for j < len(t) && j-i < 7 && isDigitByte(t[j]) {
		j++
	}
	s.noteLookAhead(a, j+4)
	if j-i < 6 {
		return 0, 0, 0
	}
	k, end := i+6, i+7
	bracket := false
	if k < len(t) && (t[k] == '(' || t[k] == '[') {
		if k+2 >= len(t) || t[k+2] != ')' && t[k+2] != ']' {
			return 0, 0, 0
		}
		k, end, bracket = k+1, k+3, true
	}
	if k >= len(t) || !bracket && end < len(t) && isWordByte(t[end]) {
		return 0, 0, 0
	}
	sum := 0
	if i-a == 2 {
		sum = (int(t[a]&^0x20-'A')+10)*9 + (int(t[a+1]&^0x20-'A')+10)*8
	} else {
		sum = 36*9 + (int(t[a]&^0x20-'A')+10)*8
	}
	for n := range 6 {
		sum += int(t[i+n]-'0') * (7 - n)
	}
	switch c := t[k]; {
	case isDigitByte(c):
		sum += int(c - '0')
	case c|0x20 == 'a':
		sum += 10
	default:
		return 0, 0, 0
	}
	if sum%11 != 0 {
		return 0, 0, 0
	}
	if bracket {
		return a, end, 0.9
	}
	return a, end, 0.5
}

// scoreTWID: the letter of the county is two digits, and all of them have weights.
func scoreTWID(v *value) float32 {
	code := func(c byte) int {
		return [...]int{10, 11, 12, 13, 14, 15, 16, 17, 34, 18, 19, 20, 21, 22, 35, 23, 24, 25, 26, 27, 28, 29, 32, 30, 31, 33}[c-'A']
	}
	n := code(v.c[0])
	sum := n/10 + n%10*9
	second := int(v.c[1] - '0')
	if v.shape == 1 {
		if v.c[1] > 'D' {
			return 0
		}
		second = code(v.c[1]) % 10
	} else if !isOneOf(v.c[1], "1289") {
		return 0
	}
	sum += second * 8
	for i := 2; i < 9; i++ {
		sum += int(v.c[i]-'0') * (9 - i)
	}
	return scoreOrZero((sum+int(v.c[9]-'0'))%10 == 0, 0.85)
}

// scorePKCNIC: the province, and the last digit, which is odd for men.
func scorePKCNIC(v *value) float32 {
	return scoreOrZero(v.c[0] >= '1' && v.c[0] <= '7', chooseScore(v.cuts == 1<<4|1<<11, 0.7, 0.3))
}
