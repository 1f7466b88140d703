package route

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
)

// maxModelName limits a model's name, in bytes. The longest in use, resource names of clouds, have about 200.
const maxModelName = 1 << 10

// CheckModelName refuses model names that a provider could resolve to another model than a rule does: blanks and
// control characters, which providers trim; ".." and "//", which change the path of a call; and letters that Unicode
// defines as compatible with others, such as full-width ones. Case is allowed: rules ignore it. An empty name is
// accepted, because the dialects report missing members themselves. param is the member that holds the name.
func CheckModelName(model, param string) *core.Error {
	flaw := findNameFlaw(model)
	if flaw == "" {
		return nil
	}
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: param,
		Public: "the name of the model " + flaw,
	}
}

func findNameFlaw(model string) string {
	if match.IsTool(model) { // rules for models do not hold for tools
		return "must not start with mcp/ or a2a/, the prefixes of tools and agents"
	}
	if len(model) > maxModelName {
		return "is longer than " + strconv.Itoa(maxModelName) + " bytes"
	}
	ascii := true
	for i := range len(model) {
		switch c := model[i]; {
		case c <= ' ' || c == 0x7f:
			return blankName
		case c >= utf8.RuneSelf:
			ascii = false
		case i > 0 && (c == '.' || c == '/') && model[i-1] == c:
			return "must not contain " + strconv.Quote(model[i-1:i+1])
		}
	}
	if ascii {
		return ""
	}
	return findUnicodeFlaw(model)
}

const blankName = "must not contain blanks or control characters"

func findUnicodeFlaw(model string) string {
	switch {
	case !utf8.ValidString(model):
		return "is not valid UTF-8"
	case strings.ContainsFunc(model, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }):
		return blankName
	case !norm.NFKC.IsNormalString(model):
		return "contains letters in an unusual form; write it in Unicode's form NFKC"
	}
	return ""
}
