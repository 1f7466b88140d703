package pii

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// nameKind is what the name before a separator says about the value after it.
type nameKind uint8

const (
	nameless nameKind = iota
	namesKey
	namesPassword
	namesUser
	namesAuthorization
	namesSomeKey // a name that may mean a secret or an entry of a map
	nameKinds
)

// classifyName says what a name in a program, a configuration or a form stands for.
func classifyName(n string) nameKind {
	last := len(n) - 1
	for last > 0 && !isLetterByte(n[last]) && n[last] < 0x80 {
		last--
	}
	if last < 1 || isLetterByte(n[last-1]) && !endsLikeName(n, last) || isDigitByte(n[last-1]) {
		return nameless
	}
	var buf [keyedBack]byte
	b := buf[:0]
	for i := max(0, len(n)-cap(buf)); i < len(n); i++ {
		if c := n[i]; isLetterByte(c) {
			b = append(b, c|0x20)
		} else if isDigitByte(c) && i < len(n)-1 {
			b = append(b, c)
		}
	}
	w := strings.TrimLeft(zerocopy.String(b), "0123456789")
	if w == "" || strings.HasPrefix(w, "public") || w == "dockey" ||
		strings.HasPrefix(w, "tokenizer") {
		return nameless
	}
	for _, e := range nameEndings[w[len(w)-1]&31] {
		if strings.HasSuffix(w, e.end) && (!e.whole || len(w) == len(e.end)) {
			if e.kind == namesPassword && len(e.end) <= 5 && !standsApart(n[:last+1], len(e.end)) {
				continue
			}
			return e.kind
		}
	}
	return nameless
}

// standsApart reports whether the last letters of a name are a word of their own: FTINTRPWD is not a password.
func standsApart(n string, size int) bool {
	i := len(n) - size
	for _, c := range []byte(n[max(i, 0):]) {
		if !isLetterByte(c) && c < 0x80 {
			return false
		}
	}
	if i <= 0 || !isLetterByte(n[i-1]) || isUpper(n[i]) && !isUpper(n[i-1]) {
		return true
	}
	k := i
	for k > 0 && isLetterByte(n[k-1]) {
		k--
	}
	return i-k <= 4 || !isUpper(n[i])
}

// A nameEnding is the end of a name, or all of it, and what it says.
type nameEnding struct {
	end   string
	whole bool
	kind  nameKind
}

// endsLikeName reports whether the letters up to last, two of them or more, end as a name may
// that says something.
func endsLikeName(n string, last int) bool {
	before := nameEnds[n[last-1]&31][n[last]&31]
	if last >= 2 && isLetterByte(n[last-2]) {
		return before>>(n[last-2]&31)&1 != 0
	}
	return before != 0 && (last >= 2 || before&endsInTwo != 0)
}

// endsInTwo marks two letters that are a whole ending.
const endsInTwo = 1

// nameEndings are by their last letter, in the order in which they are asked;
// nameEnds has their last two letters, and the letters before those as bits.
var (
	nameEndings [32][]nameEnding
	nameEnds    [32][32]uint32
)

func init() {
	add := func(kind nameKind, whole bool, ends []string) {
		for _, e := range ends {
			last := len(e) - 1
			nameEndings[e[last]&31] = append(nameEndings[e[last]&31], nameEnding{e, whole, kind})
			if kind != nameless {
				before := ^uint32(0)
				if last >= 2 {
					before = 1 << (e[last-2] & 31)
				}
				nameEnds[e[last-1]&31][e[last]&31] |= before
			}
		}
	}
	add(nameless, false, []string{"nopasswd"})                             // of sudoers
	add(nameless, false, []string{"updatepassword"})                       // whether to
	add(namesPassword, false, []string{"wpapsk"})                          // of a WLAN, not a way to modulate
	add(nameless, false, []string{"qpsk", "bpsk", "apsk", "dpsk", "mpsk"}) // ways to modulate a carrier
	add(namesPassword, false, passwordNames)
	add(namesAuthorization, true, []string{"authorization", "proxyauthorization"})
	add(namesUser, true, userNames)
	add(nameless, false, publicNames)
	add(namesSomeKey, true, []string{"key", "keys", "tokens", "sig"})
	add(namesSomeKey, false, []string{"requesttoken"})
	add(namesKey, false, keyNames)
	add(namesKey, true, []string{"githubcom"}) // in auth.json of Composer
}
