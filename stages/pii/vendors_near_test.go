package pii

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/stages/pii/internal/forms"
)

// nearMisses are what stands where a part of a secret would be: the words of manuals, masks, variables, too few characters and characters
// that no key has.
var nearMisses = map[string]func(alphabet byte, n int, r *rand.Rand) string{
	"small x":    func(_ byte, n int, _ *rand.Rand) string { return strings.Repeat("x", n) },
	"capital X":  func(_ byte, n int, _ *rand.Rand) string { return strings.Repeat("X", n) },
	"stars":      func(_ byte, n int, _ *rand.Rand) string { return strings.Repeat("*", n) },
	"zeros":      func(_ byte, n int, _ *rand.Rand) string { return strings.Repeat("0", n) },
	"points":     func(byte, int, *rand.Rand) string { return "..." },
	"a tag":      func(byte, int, *rand.Rand) string { return "<your-key>" },
	"a variable": func(byte, int, *rand.Rand) string { return "${API_KEY}" },
	"a template": func(byte, int, *rand.Rand) string { return "{{ api_key }}" },
	"words":      func(byte, int, *rand.Rand) string { return "YOUR_API_KEY_HERE" },
	"an example": func(byte, int, *rand.Rand) string { return "EXAMPLE" },
	"too short":  func(a byte, n int, r *rand.Rand) string { return forms.DrawFrom(forms.Alphabets[a], min(n, 3), r) },
	"foreign":    func(_ byte, n int, r *rand.Rand) string { return forms.DrawFrom("\x01\x02\x03^;", n, r) },
}

// chosen are forms whose secret a person chooses: a password may be short, and have any character.
var chosen = regexp.MustCompile(`(?i)passw|pwd|pass |psk|login|://[^/@]*@`)

// telling are forms whose fixed part is a token or most of one by itself, with what stands in for the rest.
var telling = map[string]bool{"k8s-sa": true, "supabase-service": true, "aws-session": true, "rapidapi-2": true, "zapier-hook": true, "bitwarden": true}

// TestNearMissesOfSecretsOfVendorsAreLeftAlone puts stand-ins into each form of testdata/vendors.txt.
func TestNearMissesOfSecretsOfVendorsAreLeftAlone(t *testing.T) {
	e := engine(t, Options{})
	for name, near := range nearMisses {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(18, 3))
			for _, f := range vendorForms(t) {
				if telling[f.Name] || (name == "too short" || name == "foreign") && chosen.MatchString(f.Template) {
					continue
				}
				v := f.FillWith(r, near)
				for _, text := range []string{"use this: " + v + " and go", "export X=" + v + "\n", `{"v":"` + v + `"}`} {
					i := slices.IndexFunc(e.Detect(nil, text), func(m Match) bool { return isSecretType(m.Type) })
					assert.Negative(t, i, "%s: %s", f.Name, text)
				}
			}
		})
	}
}

// What the rules for stand-ins must not hide.
func TestSecretsThatResembleStandInsAreFound(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"password=your_dog99", "password: Your-Dog7", "https://hooks.slack.com/services/T00000AB9E/B0FG7HI2J/q8Zr2LmX0vTn4KpW9sBd",
		"sk-proj-q8Zr2LmX0vTn4KpW9sBdQ7fHyourT3BlbkFJq8Zr2LmX0vTn4KpW9sBd", "1234567890:AAAAAYzQ7rLm2Kp9Wv4tBn8sDc6hJg1eRu5",
	} {
		assert.NotEmpty(t, e.Detect(nil, text), text)
	}
}
