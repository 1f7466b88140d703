package pii

var deviceTypes = []detector{
	{
		name: "MAC_ADDRESS", pack: packCore, find: findMAC,
		triggers: []trigger{
			{at: ":", before: aHexDigit, behind: aHexDigit, why: "between the first two pairs", example: "02:00:5e:10:00:01"},
			{
				at: "-.", before: aHexDigit, behind: aHexDigit, look: followsHexPair,
				why: "between the first two pairs or fours", example: "02-00-5E-10-00-01",
			},
		},
	},
	{
		name: "UUID", pack: packDevice, off: true, find: findUUID,
		triggers: []trigger{{
			at: "-", before: aHexDigit, behind: aHexDigit, look: followsHexPair,
			why: "behind the first group", example: "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		}},
	},
	{
		name:    "IMEI",
		pack:    packDevice,
		off:     true,
		formats: []string{"99~999999~999999~9", "99~9999~99~999999~9", "99999999~999999~9", "99999999~999999~99"},
		check:   scoreIMEI,
		words:   []string{"imei", "handset", "device", "gerät", "appareil", "dispositivo"},
	},
	{
		name:    "IMSI",
		pack:    packDevice,
		off:     true,
		spoken:  true,
		formats: []string{"999~99~9999999999", "999~999~999999999"},
		check:   scoreIMSI,
		words:   []string{"imsi", "subscriber"},
	},
	{
		name:    "VIN",
		pack:    packDevice,
		off:     true,
		formats: []string{"XXXXXXXXXXXXXXXXX"},
		check:   scoreVIN,
		words: []string{
			"vin",
			"vehicle",
			"chassis",
			"fahrgestellnummer",
			"fin",
			"fahrgestell",
			"fahrzeugidentnummer",
			"châssis",
			"véhicule",
			"bastidor",
			"chasis",
			"vehículo",
			"telaio",
			"veículo",
			"chassi",
			"chassisnummer",
			"nadwozia",
			"шасси",
		},
	},
	{
		name: "LAT_LONG", pack: packDevice, off: true, find: findLatLong,
		triggers: []trigger{{
			at: digits09, before: newNoWordNor("."), behind: byteSet{bytes: "."}, number: numberForm{first: [2]int{1, 3}, early: true},
			why: "the degrees of the latitude", example: "52.520008, 13.404954",
		}},
		words: []string{"lat", "latitude", "coordinates", "coords", "gps", "location", "position", "latlng", "latlong", "geo"},
	},
	{
		name: typeURL, pack: packDevice, off: true, find: findURL, reach: urlMax,
		triggers: []trigger{
			{
				at:      ":",
				before:  byteSet{classes: isLetter},
				behind:  byteSet{bytes: "/"},
				why:     "behind the scheme",
				example: "https://docs.example.com/a",
			},
			{
				at: ".", before: newAlnumOr(""), behind: newAlnumOr(""), find: findBareHost,
				why: "the first dot of a host", example: "see docs.example.com/a",
			},
		},
	},
	{
		name: "USERNAME", pack: packDevice, off: true, find: findUsername,
		triggers: []trigger{
			{at: ":=>", names: []nameKind{namesUser}, why: "behind the name of a user name", example: "login=kim_lee"},
			{
				at: "\"", behind: byteSet{bytes: ","}, names: []nameKind{namesUser},
				why: "ends such a name as the first argument of a call", example: `setProperty("username", "kim_lee")`,
			},
		},
	},
}

// scoreIMEI: the Luhn digit of 3GPP TS 23.003; a telling word must precede it.
func scoreIMEI(v *value) float32 {
	if len(v.c) == 16 { // with the software version instead of the check digit
		return 0.25
	}
	return scoreOrZero(passesLuhnChars(v.c) && !isAllSame(v.c), v.scoreGrouped(0.6, 0.35))
}

// scoreIMSI: a mobile country code of ITU-T E.212, 2xx to 7xx.
func scoreIMSI(v *value) float32 {
	return scoreOrZero(v.c[0] >= '2' && v.c[0] <= '7', spokenScore)
}

// scoreVIN: ISO 3779 without I, O and Q; the check digit is North America's (49 CFR
// 565), elsewhere a telling word must precede it.
func scoreVIN(v *value) float32 {
	sum, letters := 0, 0
	for i, c := range v.c {
		k := int(c - '0')
		if !isDigitByte(c) {
			letters++
			if isOneOf(c, "IOQ") {
				return 0
			}
			k = int("12345678.12345.7.923456789"[c-'A'] - '0')
		}
		sum += k * [...]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}[i]
	}
	if letters == 0 || letters > 13 {
		return 0
	}
	return chooseScore("0123456789X"[sum%11] == v.c[8], 0.75, 0.3)
}

// followsHexPair reports whether the two bytes before i are a pair of hexadecimal digits.
func followsHexPair(t string, i int) bool { return i >= 2 && class[t[i-2]]&isHex != 0 }

// findMAC recognises a hardware address of IEEE 802: exactly six pairs with ':' or '-', or three groups of four with dots;
// not the broadcast address.
func findMAC(s *scan, i int) (int, int, float32) {
	t := s.v.s
	sep := t[i]
	if sep == '_' {
		return 0, 0, 0
	}
	size, groups := 2, 6
	if sep == '.' {
		size, groups = 4, 3
	}
	a := i - size
	if a < 0 || a > 0 && (isWordByte(t[a-1]) || t[a-1] == sep) {
		return 0, 0, 0
	}
	j := a
	for g := range groups {
		for range size {
			if j >= len(t) || class[t[j]]&isHex == 0 {
				s.noteLookAhead(a, j+1)
				return 0, 0, 0
			}
			j++
		}
		if g < groups-1 {
			if j >= len(t) || t[j] != sep {
				s.noteLookAhead(a, j+1)
				return 0, 0, 0
			}
			j++
		}
	}
	s.noteLookAhead(a, j+2)
	if j < len(t) && isWordByte(t[j]) || j+1 < len(t) && t[j] == sep && isAlnum(t[j+1]) {
		return 0, 0, 0
	}
	digits, f, zero := 0, true, true
	for k := a; k < j; k++ {
		if isDigitByte(t[k]) {
			digits++
		}
		f = f && (t[k] == sep || t[k]|0x20 == 'f')
		zero = zero && (t[k] == sep || t[k] == '0')
	}
	if f || zero || sep == '.' && digits == 12 {
		return 0, 0, 0
	}
	return a, j, 0.9
}

// findUUID recognises a UUID of RFC 9562 at its first '-'.
func findUUID(s *scan, i int) (int, int, float32) {
	t := s.v.s
	a := i - 8
	if t[i] != '-' || a < 0 || a > 0 && (isWordByte(t[a-1]) || t[a-1] == '-') {
		return 0, 0, 0
	}
	for k := range 36 {
		j := a + k
		if j >= len(t) {
			s.noteLookAhead(a, j+1)
			return 0, 0, 0
		}
		if k == 8 || k == 13 || k == 18 || k == 23 {
			if t[j] != '-' {
				return 0, 0, 0
			}
		} else if class[t[j]]&isHex == 0 {
			return 0, 0, 0
		}
	}
	s.noteLookAhead(a, a+38)
	if j := a + 36; j < len(t) && (isWordByte(t[j]) || t[j] == '-' && j+1 < len(t) && isAlnum(t[j+1])) {
		return 0, 0, 0
	}
	return a, a + 36, 0.9
}

// findLatLong recognises two numbers in degrees with at least four decimal places, the first within 90, the second within
// 180.
func findLatLong(s *scan, i int) (int, int, float32) {
	t := s.v.s
	a := i
	if a > 0 && (t[a-1] == '-' || t[a-1] == '+') {
		a--
	}
	if a > 0 && (isWordByte(t[a-1]) || t[a-1] == '.' || t[a-1] == ',' && a > 1 && isDigitByte(t[a-2])) {
		return 0, 0, 0
	}
	lat, j, ok := findDegrees(t, a, 90)
	s.noteLookAhead(a, j+4)
	if !ok || j >= len(t) {
		return 0, 0, 0
	}
	k := j
	if t[k] == ',' || t[k] == ';' || t[k] == '/' {
		k++
	}
	if k < len(t) && t[k] == ' ' {
		k++
	}
	if k == j {
		return 0, 0, 0
	}
	long, e, ok := findDegrees(t, k, 180)
	s.noteLookAhead(a, e+2)
	if !ok || e < len(t) && (isWordByte(t[e]) || t[e] == '.' && e+1 < len(t) && isDigitByte(t[e+1])) {
		return 0, 0, 0
	}
	if lat >= 4 && long >= 4 {
		return a, e, 0.6
	}
	return a, e, 0.3
}

// findDegrees reads a number with a fraction. It returns its decimal places and its end.
func findDegrees(t string, i, limit int) (places, end int, ok bool) {
	j := i
	if j < len(t) && (t[j] == '-' || t[j] == '+') {
		j++
	}
	n, d := 0, 0
	for j < len(t) && d < 4 && isDigitByte(t[j]) {
		n = n*10 + int(t[j]-'0')
		d++
		j++
	}
	if d == 0 || d > 3 || n > limit || j >= len(t) || t[j] != '.' {
		return 0, j, false
	}
	j++
	for j < len(t) && places < 16 && isDigitByte(t[j]) {
		places++
		j++
	}
	return places, j, places >= 2 && places < 16
}
