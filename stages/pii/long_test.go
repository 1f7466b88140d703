package pii

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/stages/pii/piitest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// base64Lines makes n bytes of base64 in lines of 64.
func base64Lines(r *rand.Rand, n int) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var b strings.Builder
	for i := range n {
		b.WriteByte(digits[r.IntN(64)])
		if i%64 == 63 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestLongSecretsAreFoundWholeUnderAnyCutting(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	for _, pack := range []string{packDefault, packAll} {
		e := engine(t, Options{Packs: []string{pack}})
		for _, c := range []struct {
			name, text string
			first      string
		}{
			{"a private key", "-----BEGIN RSA PRIVATE KEY-----\n" + base64Lines(r, 3000) + "\n-----END RSA PRIVATE KEY-----", "PRIVATE_KEY"},
			{"a private key in a string", `-----BEGIN PRIVATE KEY-----\n` + strings.ReplaceAll(base64Lines(r, 1600), "\n", `\n`) + `\n-----END PRIVATE KEY-----`, "PRIVATE_KEY"},
			{"a private key longer than the bound", "-----BEGIN RSA PRIVATE KEY-----\n" + base64Lines(r, 20_000) + "\n-----END RSA PRIVATE KEY-----", "PRIVATE_KEY"},
			{"a token", "eyJhbGciOiJIUzI1NiJ9.eyJ" + strings.NewReplacer("\n", "", "+", "-", "/", "_").Replace(base64Lines(r, 2000)) + ".c2ln", "JWT"},
			{"a token longer than the bound", "eyJhbGciOiJIUzI1NiJ9.eyJ" + strings.NewReplacer("\n", "", "+", "-", "/", "_").Replace(base64Lines(r, 9000)) + ".c2ln", ""},
			{"a long key", "sk-proj-" + strings.NewReplacer("\n", "", "+", "-", "/", "_").Replace(base64Lines(r, 150)), "API_KEY"},
			{"a URL with a password", "postgres://app:" + strings.Repeat("aB3", 50) + "@db.example/x", "URL_CREDENTIALS"},
		} {
			text := "it is " + c.text + " and card 4539824553459855."
			want := e.Detect(nil, text)
			if c.first != "" {
				require.NotEmpty(t, want, c.name)
				assert.Equal(t, c.first, want[0].Type, c.name)
				assert.Less(t, want[0].Start, 25, c.name)
				assert.Greater(t, want[0].End-want[0].Start, 140, c.name)
			}
			assert.Equal(t, "CREDIT_CARD", want[len(want)-1].Type, c.name)
			for seed := range 3 {
				require.Equal(t, want, feed(t, e, piitest.SplitPieces(rand.New(rand.NewPCG(uint64(seed), 3)), text, 20+seed*200)), c.name)
			}
		}
	}
}
