package pii

import "strings"

// isBehindCipher reports whether the value v behind the name of a shared key and the ':' at i is the rest of a list of ciphers, as OpenSSL
// and GnuTLS read them: "HIGH:!kECDHEPSK:!aNULL". The key of a WLAN has a name without a sign before it, or is no list of such words.
func isBehindCipher(s *scan, i int, v string) bool {
	t := s.v.s
	start, end := s.findNameBefore(i)
	if strings.HasSuffix(t[start:end], strings.ReplaceAll(v, "-", "_")) {
		return true // a way to exchange keys and its name: "ECDHE_PSK: ECDHE-PSK key exchange"
	}
	if t[i] != ':' || !strings.HasPrefix(t[i+1:], v) {
		return false
	}
	return (start > 0 && isOneOf(t[start-1], "!-+:") || strings.ContainsAny(v, ":!-+")) && namesCiphers(v)
}

// selectsCiphers reports whether v begins with a sign and is a list of ciphers: "-PSK:HIGH".
func selectsCiphers(v string) bool {
	return isOneOf(v[0], "-!+") && strings.Contains(v, ":") && namesCiphers(v)
}

// namesCiphers reports whether v is words in capitals with signs between them, at least half of which mean a cipher or a group of them. A
// word may have a small letter before it, which says what it is for: "kECDHE", "aNULL".
func namesCiphers(v string) bool {
	words, known := 0, 0
	for w := range strings.FieldsFuncSeq(v, func(r rune) bool { return r < 0x80 && isOneOf(byte(r), ":!-+@_=.") }) {
		words++
		if len(w) > 1 && isOneOf(w[0], "ake") && isUpper(w[1]) {
			w = w[1:]
		}
		if strings.Trim(w, lettersAZ+digits09) != "" {
			return false
		}
		if head := strings.TrimSuffix(w, "PSK"); head == "" || isInSet(cipherWords, strings.TrimRight(head, digits09)) {
			known++
		}
	}
	return words > 0 && known*2 >= words
}

// namesAlgorithm reports whether v is the name of a way to sign or encrypt, of three words or more, each of which is known or the size
// of a key: "AWS4-ECDSA-P256-SHA256".
func namesAlgorithm(v string) bool {
	words := 0
	for w := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '_' }) {
		words++
		name := strings.TrimRight(w, digits09)
		number := w[len(name):]
		if name != "" && !isInSet(cipherWords, name) && !isInSet(algorithmWords, name) || len(number) > 1 && !isInSet(keySizes, number) || name == "" && len(number) == 1 {
			return false
		}
	}
	return words > 2
}

// readsKeyOfCurve reports whether v is a member of an object of a program that is named after a curve: "device.ed25519".
func readsKeyOfCurve(v string) bool {
	k := strings.LastIndexByte(v, '.')
	return k > 0 && isIdentifierPath(v) && isDigitless(v[:k]) && isInSet(curveNames, v[k+1:])
}

// curveNames are names of curves, as members of objects have them.
var curveNames = buildSet("ed25519", "x25519", "curve25519", "ed448", "x448", "secp256k1", "p256", "p384", "p521", "bls12381")

// algorithmWords are in the names of algorithms beside cipherWords, and keySizes are the numbers of more than one digit that are.
var (
	algorithmWords = buildSet("aws", "hmac", "hkdf", "pbkdf", "p", "ps", "rs", "es", "hs", "oaep", "pss", "pkcs", "with", "and", "ed", "kw")
	keySizes       = buildSet("128", "192", "224", "256", "384", "512", "521", "1024", "2048", "3072", "4096", "25519", "448", "1305", "20")
)

// cipherWords are words of lists of ciphers, without digits at their ends.
var cipherWords = buildSet(strings.Fields(`all default high medium low exp export null strength seclevel fips suiteb complementofall
	aes aesgcm aesccm ccm gcm cbc camellia chacha poly aria des 3des cdbc rc idea seed md sha dhe edh eecdh ecdhe ecdh dh ecdsa rsa dss dsa
	adh aecdh srp krb gost normal secure pfs vers tls ctype comp mac kx sign group curve anon`)...)
