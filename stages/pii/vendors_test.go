package pii

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const smallsAndDigits = "abcdefghijklmnopqrstuvwxyz0123456789"

// vendorAlphabets are those of testdata/vendors.txt.
var vendorAlphabets = map[byte]string{
	'A': lettersAZ + smallsAndDigits, 'L': smallsAndDigits, 'U': lettersAZ + digits09, 'H': "0123456789abcdef", 'D': lettersAZ + smallsAndDigits + "-_",
	'B': lettersAZ + smallsAndDigits + "+/", 'N': digits09, 'W': lettersAZ + smallsAndDigits + "._", 'X': "0123456789ABCDEF", 'M': "123456789",
	'E': "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 'J': smallsAndDigits + "!@#$%^&*(-_=+)",
}

// vendorForm is a line of testdata/vendors.txt.
type vendorForm struct{ name, template string }

func vendorForms(t testing.TB) (forms []vendorForm) {
	data, err := os.ReadFile("testdata/vendors.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		if name, template, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok {
			forms = append(forms, vendorForm{name, template})
		}
	}
	require.Greater(t, len(forms), 420)
	return forms
}

var vendorPart = regexp.MustCompile(`\{(uuid|[A-Z]\d+)\}`)

// fill makes a secret of a form.
func (f vendorForm) fill(r *rand.Rand) string {
	return vendorPart.ReplaceAllStringFunc(f.template, func(part string) string {
		if part == "{uuid}" {
			return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
		}
		n, _ := strconv.Atoi(part[2 : len(part)-1])
		b := make([]byte, n)
		for i := range b {
			alphabet := vendorAlphabets[part[1]]
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	})
}

// TestSecretsOfVendorsAreFound fills each form several times and puts it where nothing else tells of a secret. A few random values
// look like words or end in a mark of punctuation, so that one in twenty of a form may be missed.
func TestSecretsOfVendorsAreFound(t *testing.T) {
	e := engine(t, Options{})
	r := rand.New(rand.NewPCG(18, 1))
	forms, found := vendorForms(t), 0
	defer func() { t.Logf("found %d of %d forms", found, len(forms)) }()
	for _, f := range forms {
		const fills = 20
		missed := 0
		for range fills {
			v := f.fill(r)
			for _, text := range []string{"use this: " + v + " and go", "export X=" + v + "\n", `{"v":"` + v + `"}`, `{\"v\":\"` + v + `\"}`, "| x | " + v + " |", "`" + v + "`\n"} {
				if !slices.ContainsFunc(e.Detect(nil, text), func(m Match) bool { return isSecretType(m.Type) }) {
					missed++
				}
			}
		}
		if assert.LessOrEqual(t, missed, 6*fills/20, "%s: %s", f.name, f.template) {
			found++
		}
	}
}

func TestSecretsOfVendorsDoNotDependOnTheCutting(t *testing.T) {
	e := engine(t, Options{})
	r := rand.New(rand.NewPCG(18, 2))
	for _, f := range vendorForms(t) {
		assertAnyCutting(t, e, "use this: "+f.fill(r)+" and go", 2)
	}
}
