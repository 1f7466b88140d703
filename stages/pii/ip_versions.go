package pii

import (
	"slices"
	"strconv"
	"strings"
)

// numbersProgram reports whether t[i:end] is as likely the version of a program as an address.
func numbersProgram(t string, i, end int) bool {
	return isReducedVersion(t[i:end]) && findByteBefore(t, i) != '=' || followsProgram(t, i)
}

// followsSince reports whether the tag "@since" of a comment precedes i.
func followsSince(t string, i int) bool {
	const tag = "@since "
	return i >= len(tag) && t[i-len(tag):i] == tag
}

// followsProgram reports whether a word and a '-' precede i, and the word is not one that an address follows: "jdk-17.0.9.1".
func followsProgram(t string, i int) bool {
	if i < 3 || t[i-1] != '-' || !isLetterByte(t[i-2]) {
		return false
	}
	k := i - 1
	for k > 0 && i-k < 16 && isLetterByte(t[k-1]) {
		k--
	}
	return (k == 0 || !isOneOf(t[k-1], "-._")) && !slices.Contains(ipWords, strings.ToLower(t[k:i-1]))
}

// isReducedVersion reports whether v is as likely the version of a browser as an address: browsers say "118.0.0.0" and leave the rest out.
// Addresses that end so number a network, 10.0.0.0 and 127.0.0.0 above all, and have the length of a prefix or a telling word.
func isReducedVersion(v string) bool {
	major, ok := strings.CutSuffix(v, ".0.0.0")
	return ok && len(major) > 1 && major != "10" && major != "127" && (len(major) == 2 || major < "224")
}

// versionWords mean that four numbers with dots are not an address.
var versionWords = []string{
	"version",
	"versions",
	"ver",
	"release",
	"firmware",
	"build",
	"oid",
	"objectidentifier",
	"workflow",
	"step",
	"steps",
	"requires",
	"section",
	"sec",
	"chapter",
	"clause",
	"paragraph",
	"revision",
	"rev",
	"driver",
	"assemblyversion",
	"fileversion",
	"upgrade",
	"upgraded",
	"patch",
	"snmp",
	"sections",
	"specification",
	"specifications",
	"spec",
	"whatwg",
	"algorithm",
	"linux",
	"kernel",
	"annex",
	"appendix",
	"table",
	"figure",
	"item",
	"subclause",
	"rfc",
	"ecma",
	"v8",
	"chrome",
	"chromium",
	"electron",
	"java",
	"jdk",
	"openjdk",
	"dotnet",
	"firefox",
	"safari",
	"opera",
	"webview",
	"sdk",
}

// namesOtherNumber reports whether the four parts t[i:end] are a version, an object identifier or the number of a section by what is
// around them.
func namesOtherNumber(s *scan, i, end int) bool {
	t := s.v.s
	return behindSectionSign(t, i) || titlesMember(s, i, end) || isNamedVersion(t, i, end) || namesCurve(t[i:end]) ||
		describesSchema(t, i, end) || isInRange(t, i, end) || beginsPairOfVersions(s, i, end) || isPinned(s, i, end)
}

// isNamedVersion reports whether the four parts t[i:end] are a version, by the letter before or a word behind: "v 1.2.3.4", "1.2.3.4.rc1".
func isNamedVersion(t string, i, end int) bool {
	return isInPathOfPicture(t, i, end) || tagsImage(t, i) || numbersRequirement(t, i, end) || followsSince(t, i) || isValueOfVersion(t, i) ||
		i > 1 && t[i-1] == ' ' && t[i-2]|0x20 == 'v' && (i == 2 || !isWordByte(t[i-3]) && t[i-3] != '"') ||
		end+1 < len(t) && t[end] == '.' && isLetterByte(t[end+1]) && !isUpper(t[end+1]) && !hasFold(t, end+1, "in-addr")
}

// numbersRequirement reports whether t[i:end] is the number of a requirement, as specifications have them: "Requirement 12.6.7.15: the
// system shall". Each part has two digits at most, and no private network begins so.
func numbersRequirement(t string, i, end int) bool {
	const word = "Requirement "
	return i >= len(word) && t[i-len(word):i] == word && findPartMax(t[i:end]) <= versionPartMax && !isInPrivateNetwork(t[i:end])
}

// isValueOfVersion reports whether the four parts at i are the value of a name that ends in "version", or are behind the sign of a
// range of versions and no address of a private network: `pluginVersion = '29.0.0.171'`, `"^67.2.0.1"`.
func isValueOfVersion(t string, i int) bool {
	const name = "version"
	k := i
	for k > 0 && i-k < 6 && isOneOf(t[k-1], "\"' \t=:") {
		k--
	}
	if k < i-1 && k >= len(name) && hasFold(t, k-len(name), name) {
		return true
	}
	return i > 1 && isOneOf(t[i-1], "^~") && isOneOf(t[i-2], "\"'") && !isInPrivateNetwork(t[i:])
}

// tagsImage reports whether what is at i is the tag of an image whose name has a '/' and no point before a port could be:
// "demisto/stix2:1.0.0.204".
func tagsImage(t string, i int) bool {
	if i < 4 || t[i-1] != ':' || !isAlnum(t[i-2]) || isInPrivateNetwork(t[i:]) {
		return false
	}
	k, slash := i-1, -1
	for k > 0 && i-k < 60 && (isAlnum(t[k-1]) || isOneOf(t[k-1], "-_/")) {
		if k--; t[k] == '/' {
			slash = k
		}
	}
	return slash > k && t[slash-1] != '/' && t[slash+1] != '/' && isLetterByte(t[k]) && (k == 0 || isOneOf(t[k-1], "\"'` \t"))
}

// versionMax is how far behind a version the one that is paired with it is read.
const versionMax = 20

// beginsPairOfVersions reports whether t[i:end] ends in ".0.0.0" and is the first of a pair of versions; see pairsVersions.
func beginsPairOfVersions(s *scan, i, end int) bool {
	t := s.v.s
	if !strings.HasSuffix(t[i:end], ".0.0.0") || findByteAt(t, end) != ',' {
		return false
	}
	s.noteLookAhead(i, end+versionMax)
	return pairsVersions(t, i, end)
}

// pairsVersions reports whether behind t[i:end], such as "104.0.0.0", and a comma a version begins with the same number and has a
// part that no address has: "104.0.0.0,104.0.1293.47".
func pairsVersions(t string, i, end int) bool {
	first, _, _ := strings.Cut(t[i:end], ".")
	rest := t[end+1 : min(len(t), end+versionMax)]
	if !strings.HasPrefix(rest, first+".") {
		return false
	}
	size := 0
	for k := range len(rest) {
		if size++; rest[k] == '.' {
			size = 0
		} else if !isDigitByte(rest[k]) {
			return false
		} else if size > 3 {
			return true
		}
	}
	return false
}

// versionPartMax is the largest part of a version that passes for one without other signs.
const versionPartMax = 99

// findPartMax returns the largest of the parts of four numbers with points between them.
func findPartMax(v string) (most int) {
	for part := range strings.SplitSeq(v, ".") {
		if n, err := strconv.Atoi(part); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// isInPrivateNetwork reports whether v begins as the addresses of private networks and of the loopback do.
func isInPrivateNetwork(v string) bool {
	first, _, _ := strings.Cut(v, ".")
	return first == "10" || first == "127" || first == "172" || first == "192"
}

// isPinned reports whether the four parts t[i:end] are the version to which a requirement of Python pins a package (PEP 508) whose name is
// words with '-' between them: "types-setuptools==65.6.0.2". A program compares an address with a variable, and with spaces.
func isPinned(s *scan, i, end int) bool {
	t, low := s.v.s, s.v.stepBack(i, keyedBack)
	if i < low+4 || t[i-2:i] != "==" || isInPrivateNetwork(t[i:end]) || findPartMax(t[i:end]) > versionPartMax {
		return false
	}
	k := i - 2
	for k > low && (isAlnum(t[k-1]) || isOneOf(t[k-1], "-_")) {
		k--
	}
	name := strings.ToLower(t[k : i-2])
	if !strings.Contains(name, "-") || !isLetterByte(name[0]) || k > 0 && !isOneOf(t[k-1], "\"' \n\t,[") {
		return false
	}
	s.noteLookAhead(i, end+1)
	for piece := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' }) {
		if slices.Contains(ipWords, piece) {
			return false
		}
	}
	return end == len(t) || isOneOf(t[end], "\"'\n\r ,;\\")
}

// revisionMax is how far behind a version its revision is read.
const revisionMax = 10

// installsPackage reports whether t[i:end] and a revision are the version of a package that a command of its line installs:
// "apt-get install msodbcsql18=18.5.1.1-1".
func installsPackage(t string, i, end int) bool {
	if i < 2 || t[i-1] != '=' || !isAlnum(t[i-2]) || findByteAt(t, end) != '-' || !isDigitByte(findByteAt(t, end+1)) {
		return false
	}
	line := t[max(0, i-100):i]
	return strings.Contains(line[strings.LastIndexByte(line, '\n')+1:], "install ")
}

// isPackageVersion reports whether the four parts t[i:end] are more likely the version of a package than an address: the
// first is 0, an epoch precedes them, or a revision follows that starts with a digit and contains a letter, as in
// "1.8.0.121-0.b13" and "(1:2.2.0.2-3)". Host names and the end of a range occur in the same place.
func isPackageVersion(t string, i, end int) bool {
	first := strings.IndexByte(t[i:end], '.')
	if t[i] == '0' && t[i:end] != "0.0.0.0" || first < 3 && i > 2 && t[i-1] == ':' && isDigitByte(t[i-2]) && t[i-3] == '(' {
		return true
	}
	if installsPackage(t, i, end) {
		return true
	}
	j := end
	if j < len(t) && t[j] == '\\' { // troff
		j++
	}
	if j >= len(t) || t[j] != '-' {
		return false
	}
	revision := j + 1
	if !isDigitByte(findByteAt(t, revision)) {
		return false
	}
	for j++; j < len(t) && j-end < revisionMax && (isAlnum(t[j]) || t[j] == '.' || t[j] == '+'); j++ {
		if isLetterByte(t[j]) {
			return true
		}
	}
	part := t[strings.LastIndexByte(t[:end], '.')+1 : end]
	inRange := first > 2 || first == 2 && (j > revision+1 || len(part) == 1 && t[revision:j] > part)
	return i > 0 && t[i-1] == '(' && findByteAt(t, j) == ')' && !inRange
}

// isProductVersion reports whether what begins at i is the version of a product token
// (RFC 9110, 10.1.5), as in "Chrome/120.0.1.2".
func isProductVersion(t string, i int) bool {
	if i < 2 || t[i-1] != '/' || !isLetterByte(t[i-2]) {
		return false
	}
	j := i - 2
	for j > 0 && i-j < 24 && (isLetterByte(t[j-1]) || t[j-1] == '-') {
		j--
	}
	return t[j] >= 'A' && t[j] <= 'Z' && (j == 0 || t[j-1] != '/')
}
