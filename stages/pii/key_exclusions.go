package pii

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

// namesOther reports whether the value v of the name of a key, which ends at to, is not a key: one that is cut off, a fingerprint, a
// public key of SSH, a list of other names and values, a quotient, or words. v has no escapes.
func namesOther(t string, to int, v string, quoted bool) bool {
	if strings.HasPrefix(v, "AAAA") && len(v) > 8 && strings.Contains("B3Nz C3Nz E2Vj", v[4:8]) {
		return true
	}
	if isCutOff(t, to, v, quoted) {
		return true
	}
	if k := strings.IndexByte(v, '='); k > 0 && isPlainWord(v[:k]) && (isUUID(v[k+1:]) || looksLikeName(v[k+1:])) {
		return true
	}
	if strings.Contains(v, "%20") || strings.Contains(v, "%0.") || strings.Contains(v, "%s") {
		return true
	}
	if k := strings.LastIndexByte(v, '/'); k > 0 && strings.Contains(v[k:], "_") && looksLikeName(v[k+1:]) {
		return true
	}
	if v == "dGhlIHNhbXBsZSBub25jZQ==" { // the nonce of RFC 6455
		return true
	}
	if strings.HasPrefix(v, "__") && strings.HasSuffix(v, "__") && strings.ToLower(v) == v {
		return true
	}
	return isPublicWalletKey(v) || hashesContent(v) || numbersRecord(v) || isFilePath(v) || isFileName(v) ||
		isEscapedName(v) || isPublicValue(v)
}

// isPublicWalletKey reports whether v is the public key of a wallet, from which addresses are derived (BIP 32): "xpub6D4BDPcP2GT577...".
func isPublicWalletKey(v string) bool {
	return len(v) > 99 && isOneOf(v[0], "xyztuv") && strings.HasPrefix(v[1:], "pub")
}

// isPublicValue reports whether v is public by its form: a key, a signature or signed data, the path of an object, code.
func isPublicValue(v string) bool {
	return holdsSignedData(v) || isPathOfObject(v) || isChainOfConstants(v) ||
		isPublicDER(v) || isSignatureDER(v) || verifiesNotes(v) || isPublicPoint(v) || isPublicNkey(v) || pairsWithColons(v)
}

// holdsSignedData reports whether v begins, in base64, as signed data do (RFC 5652, 5.1): certificates, stamps of time, signatures.
func holdsSignedData(v string) bool {
	return strings.HasPrefix(v, "MII") && strings.Contains(v[:min(len(v), 24)], "YJKoZIhvcNAQcC")
}

// isPathOfObject reports whether v begins with two folders of small letters with '_' or '-' between words, and no random piece follows: the
// key of an object in a store.
func isPathOfObject(v string) bool {
	first, rest, _ := strings.Cut(v, "/")
	second, last, ok := strings.Cut(rest, "/")
	if !ok || last == "" || slices.ContainsFunc(strings.Split(last, "/"), isRandomPiece) {
		return false
	}
	for _, folder := range [...]string{first, second} {
		if len(folder) < 5 || !strings.ContainsAny(folder, "_-") || strings.Trim(folder, "abcdefghijklmnopqrstuvwxyz_-") != "" ||
			!looksLikeName(folder) {
			return false
		}
	}
	return true
}

// isRandomPiece reports whether a piece of a path is random and has no word, as names of models and versions have.
func isRandomPiece(v string) bool { return isWildlyMixed(v) && !hasLongWord(v) }

// isChainOfConstants reports whether v assigns a member to another, as code that was made small does: "t.AUTH_END=t.AUTH_START=t.AUTH".
func isChainOfConstants(v string) bool {
	left, right, ok := strings.Cut(v, "=")
	return ok && right != "" && strings.IndexByte(left, '.') > 0 &&
		isIdentifierPath(left) && strings.IndexByte(right, '.') > 0 && isLetterByte(right[0]) &&
		strings.Trim(left[strings.LastIndexByte(left, '.')+1:], lettersAZ+digits09+"_") == ""
}

// hashesContent reports whether v ends in a hash whose function is named before it, behind other names:
// "app::artifact::sha256:9f86d081...".
func hashesContent(v string) bool {
	k := strings.LastIndexByte(v, ':')
	if k < 4 || len(v)-k-1 < 32 || !isHexNumber(v[k+1:]) || !strings.Contains(v[:k], "::") {
		return false
	}
	for _, name := range [...]string{"sha256", "sha512", "sha384", "sha1", "md5"} {
		if strings.HasSuffix(v[:k], name) {
			return true
		}
	}
	return false
}

// numbersRecord reports whether v numbers an advisory or an object of GitHub: "GHSA-v23v-6jw2-98fq", "LA_kwDOCsUTCM75TTQL".
func numbersRecord(v string) bool {
	if strings.HasPrefix(v, "GHSA-") && len(v) == 19 && v[9] == '-' && v[14] == '-' {
		return true
	}
	k := strings.Index(v, "_kwDO")
	return k > 0 && k < 6 && strings.Trim(v[:k], lettersAZ) == ""
}

// isFilePath reports whether v is a path to a file of a kind that has no keys in its name.
func isFilePath(v string) bool {
	slash, point := strings.LastIndexByte(v, '/'), strings.LastIndexByte(v, '.')
	if slash <= 0 || point <= slash+1 || !isInSet(fileKinds, v[point+1:]) {
		return false
	}
	for piece := range strings.SplitSeq(v[:point], "/") {
		if isWildlyMixed(piece) {
			return false
		}
	}
	return true
}

// fileKinds are ends of names of files, without the point.
var fileKinds = buildSet("png", "jpg", "jpeg", "gif", "svg", "webp", "pdf", "json", "yml", "yaml", "xml", "html", "htm", "css", "js", "txt",
	"zip", "gz", "mp3", "mp4", "wav", "webm", "mov", "csv", "tsv", "parquet", "dat", "log", "md", "tar", "tgz", "bin", "doc", "docx", "xls",
	"xlsx", "ppt", "pptx", "ico", "woff", "woff2", "ttf")

// namesObject reports whether v is names with dots between them and, at the end, the number or the hash of what they name:
// "key-vim.host.PortGroup.Port-33554436", "git.github.com.Taskfile.yml.39d28c1f...". Behind "key" alone, or behind words that end in it
// and do not say that it opens something, such a value is a key of a map.
func namesObject(name, v string) bool {
	if !namesEntry(name) {
		return false
	}
	k := strings.LastIndexAny(v, ".-")
	if k < 0 || len(v)-k < 9 || strings.Trim(v[k+1:], digits09+"abcdef") != "" || strings.Count(v[:k], ".") < 2 {
		return false
	}
	for piece := range strings.SplitSeq(v[:k], ".") {
		if len(piece) < 3 || !isDigitless(piece) || !isPronounceable(piece) && len(piece) > 4 ||
			!isIdentifierPath(strings.ReplaceAll(piece, "-", "_")) {
			return false
		}
	}
	return true
}

// namesEntry reports whether a name is that of a key of a map rather than of one that opens something: "Key", "expectedKey", not "apiKey".
func namesEntry(name string) bool {
	low := strings.ToLower(name)
	if !strings.HasSuffix(low, "key") {
		return false
	}
	switch strings.TrimRight(low[:len(low)-3], "_-.") {
	case "", "want", "wanted", "expected", "expect", "got", "cache", "map", "object", "row", "entry", "lookup":
		return true
	}
	return false
}

// isPublicPoint reports whether v is a point of the curve P-256 in base64, 65 bytes of which the first is 4: a public key, as those
// of Web Push are.
func isPublicPoint(v string) bool {
	switch len(v) {
	case 87:
	case 88:
		if v[87] != '=' {
			return false
		}
	default:
		return false
	}
	return v[0] == 'B' && v[1] >= 'A' && v[1] <= 'P' && v[86] != '='
}

// isPublicDER reports whether v begins, in base64, as a public key of X.509 or a certificate does (RFC 5280): a sequence in a sequence, in
// which private keys have a number. The sequence names an algorithm, but not one that encrypts a private key (RFC 8018).
func isPublicDER(v string) bool {
	if len(v) < 56 || v[0] != 'M' {
		return false
	}
	der, err := base64.StdEncoding.DecodeString(v[:32])
	if err != nil || der[0] != 0x30 {
		return false
	}
	inner := 2
	if der[1] >= 0x80 {
		inner += int(der[1] & 3)
	}
	return der[inner] == 0x30 && !bytes.Contains(der, []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5}) &&
		!bytes.Contains(der, []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 12})
}

// isPublicNkey reports whether v is a public key of NATS: 56 characters of base32, the first of which says whose it is. Seeds begin
// with 'S'.
func isPublicNkey(v string) bool {
	return len(v) == 56 && isOneOf(v[0], "UANCX") && strings.Trim(v, lettersAZ+"234567") == ""
}

// pairsWithColons reports whether v is names and values with ':' between the pairs, as in "value2:key3=value3".
func pairsWithColons(v string) bool {
	k := strings.IndexByte(v, ':')
	if k <= 0 {
		return false
	}
	e := strings.IndexByte(v[k:], '=')
	return e > 1 && len(v) > k+e+1 && v[k+e+1] != '=' && isNumberedWord(v[:k]) && isNumberedWord(v[k+1:k+e])
}

// isNumberedWord reports whether v is a word with two digits behind it at most.
func isNumberedWord(v string) bool {
	w := v[:len(v)-countTrailingDigits(v)]
	return len(v)-len(w) <= 2 && w != "" && isPlainWord(w) && isPronounceable(w)
}

// isCutOff reports whether the value v, which ends at to, is a part of a key: a short one, or of JSON in base64, with points
// before its closing quote, or two parts in quotes. Without quotes the points are those of a sentence.
func isCutOff(t string, to int, v string, quoted bool) bool {
	if k := strings.Index(v, ".."); k >= 0 {
		return quoted || !strings.HasPrefix(v[k:], "...") || k < 16
	}
	if !quoted && len(v) < 16 && strings.HasPrefix(t[to:], "...") {
		return true
	}
	if !quoted || len(v) >= 20 && !strings.HasPrefix(v, "ey") || !strings.HasPrefix(t[to:], "..") {
		return false
	}
	return isOneOf(findByteAt(t, to+len(t[to:])-len(strings.TrimLeft(t[to:], "."))), "\"'`")
}

// verifiesNotes reports whether v is the public key of signed notes: a name, eight digits of a hash in hexadecimal, and a key whose
// first byte is small, with '+' between them.
func verifiesNotes(v string) bool {
	k := strings.IndexByte(v, '+')
	if k <= 0 || len(v) <= k+10 || strings.HasPrefix(v, "PRIVATE") {
		return false
	}
	return isHexQuad(v, k+1) && isHexQuad(v, k+5) && v[k+9] == '+' && v[k+10] == 'A'
}

// isUUID reports whether v begins as a UUID does.
func isUUID(v string) bool {
	return len(v) >= 36 && isHexQuad(v, 0) && isHexQuad(v, 4) && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-'
}
