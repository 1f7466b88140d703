package pii

import "strings"

var personTypes = []detector{
	{
		name: "DATE_OF_BIRTH",
		pack: packPerson,
		off:  true,
		find: findBirth,
		triggers: []trigger{
			{
				at:      digits09,
				before:  newNoWordNor(".-+$#"),
				behind:  byteSet{bytes: " ./-,", classes: isLetter},
				number:  numberForm{first: [2]int{1, 4}, early: true},
				why:     "the first number of the date",
				example: "born on 14.03.1985",
			},
		},
		words: []string{
			"birth",
			"born",
			"dob",
			"birthdate",
			"birthday",
			"birthdays",
			"dateofbirth",
			"geboren",
			"geburtsdatum",
			"né",
			"née",
			"naissance",
			"nacimiento",
			"nacido",
			"nacida",
			"nato",
			"nata",
			"nascita",
			"nascimento",
			"geboortedatum",
			"b",
		},
	},
	{
		name: "AGE", pack: packPerson, off: true, find: findAge, words: []string{"age", "aged"},
		triggers: []trigger{{
			at: digits09, before: newNoWordNor(".-+$#/,:"), number: numberForm{first: [2]int{1, 3}},
			why: "the number of years", example: "she is 43 years old",
		}},
	},
	{
		name:   "POSTAL_CODE",
		pack:   packPerson,
		off:    true,
		spoken: true,
		formats: []string{
			"99999",
			"99999~9999",
			"9999",
			"999~99",
			"999999",
			"AX~9AA",
			"AX9~9AA",
			"AXXX~9AA",
			"A9A~9A9",
			"9999~AA",
			"999~9999",
			"99999~999",
		},
		check: scorePostal,
		words: []string{
			"zip",
			"zipcode",
			"postcode",
			"postal",
			"plz",
			"postleitzahl",
			"cap",
			"cep",
			"pincode",
			"postnummer",
			"codepostal",
			"pin",
		},
		against: []string{"order", "invoice", "account"},
		penalty: 1,
	},
	{
		name: "STREET_ADDRESS", pack: packPerson, off: true, find: findStreet,
		triggers: []trigger{{
			at: digits09, before: newNoWordNor(".-+$#/,"), behind: byteSet{bytes: " ", classes: isLetter}, number: numberForm{first: [2]int{1, 5}},
			why: "the number of the house", example: "12 Long Meadow Lane, Apt 4",
		}},
	},
	{
		name: "PERSON", pack: packPerson, off: true, find: findPerson,
		triggers: []trigger{{
			at: lettersAZ, before: byteSet{bytes: " \n"},
			why: "begins a word behind an introduction", example: "Dear Dr. Anna Keller",
		}},
	},
}

// yearsOld are the words behind an age.
var yearsOld = []string{
	" years old",
	"-year-old",
	"-years-old",
	" year old",
	" yrs. old",
	" yr. old",
	" yrs old",
	" yr old",
	"yrs. old",
	"yrs old",
	" y/o",
	"y/o",
	" yo ",
	"yo ",
	" jahre alt",
	" jahre",
	"-jährig",
	"jährig",
	" ans",
	" años",
	" anos",
	" anni",
	" jaar",
	" lat ",
	" лет",
	"歳",
	"岁",
	"歲",
	"세",
}

// listAgeWords returns the words that may be at j: none behind punctuation.
func listAgeWords(t string, j int) []string {
	if j == len(t) || t[j] != ' ' && t[j] != '-' && class[t[j]]&(isLetter|isWide) == 0 {
		return nil
	}
	return yearsOld
}

// findAge recognises a number of years before words such as "years old", or behind the word age.
func findAge(s *scan, i int) (int, int, float32) {
	t, n := s.v.s, &s.num
	if n.n == 0 || n.countDigits(0) > 3 || n.prev != 0 && n.prev != ' ' || i > 0 && (isWordByte(t[i-1]) || isOneOf(t[i-1], ".-+$#/,:")) {
		return 0, 0, 0
	}
	v := parseDecimal(t[i:n.end[0]])
	j := n.end[0]
	s.noteLookAhead(i, j+16)
	if v < 1 || v > 120 || n.sep[0] != 0 && n.sep[0] != ' ' || j+1 < len(t) && (t[j] == '.' || t[j] == ',') && isDigitByte(t[j+1]) {
		return 0, 0, 0
	}
	for _, w := range listAgeWords(t, j) {
		if hasFold(t, j, w) {
			return i, j + len(strings.TrimRight(w, " ")), 0.8
		}
	}
	if j < len(t) && isWordByte(t[j]) {
		if hasFold(t, j, "yrs") {
			return i, j + 3, 0.4
		}
		return 0, 0, 0
	}
	if hasFold(t, j, "%") {
		return 0, 0, 0
	}
	return i, j, 0.2
}

// scorePostal: the forms of many countries, so a telling word must precede it.
func scorePostal(v *value) float32 {
	if c := v.c; isUpper(c[0]) && countDigits(c) < 2 && v.cuts == 0 {
		return 0
	}
	return spokenScore
}
