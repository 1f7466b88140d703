package auth

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/argon2"
)

func TestAPasswordFitsItsOwnHashAlone(t *testing.T) {
	hash := HashPassword("correct horse battery")
	assert.True(t, strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$"), hash)
	require.NoError(t, CheckPassword("correct horse battery", hash))
	require.ErrorIs(t, CheckPassword("correct horse batterx", hash), ErrPassword)
	require.ErrorIs(t, CheckPassword("", hash), ErrPassword)
	assert.NotEqual(t, hash, HashPassword("correct horse battery"), "each hash has a salt of its own")
}

func TestNobodySignsInWithoutAHash(t *testing.T) {
	for _, password := range []string{"", "correct horse battery", strings.Repeat("x", 5000)} {
		require.ErrorIs(t, CheckPassword(password, ""), ErrPassword)
	}
}

func TestAHashOfAnotherCostIsUnderstood(t *testing.T) {
	salt := []byte("0123456789abcdef")
	b64 := base64.RawStdEncoding.EncodeToString
	hash := fmt.Sprintf("$argon2id$v=19$m=64,t=3,p=2$%s$%s", b64(salt), b64(argon2.IDKey([]byte("pass"), salt, 3, 64, 2, 24)))
	require.NoError(t, CheckPassword("pass", hash))
	require.ErrorIs(t, CheckPassword("Pass", hash), ErrPassword)
}

func TestADamagedHashIsAnErrorOfItsOwn(t *testing.T) {
	good := HashPassword("correct horse battery")
	for name, hash := range map[string]string{
		"no text":             "x",
		"another algorithm":   strings.Replace(good, "argon2id", "argon2i", 1),
		"another version":     strings.Replace(good, "v=19", "v=16", 1),
		"endless memory":      strings.Replace(good, "m=19456", "m=4194304", 1),
		"endless passes":      strings.Replace(good, "t=2", "t=4000000", 1),
		"no threads":          strings.Replace(good, "p=1", "p=0", 1),
		"trailing text":       strings.Replace(good, "p=1", "p=1,x", 1),
		"a short salt":        "$argon2id$v=19$m=19456,t=2,p=1$AAAA$" + strings.Repeat("A", 43),
		"a sum cut off":       good[:len(good)-40],
		"a missing part":      good[:strings.LastIndex(good, "$")],
		"letters that aren't": strings.Replace(good, "$m=", "$m=ä", 1),
	} {
		err := CheckPassword("correct horse battery", hash)
		require.ErrorContains(t, err, "damaged", name)
		require.NotErrorIs(t, err, ErrPassword, name)
	}
}

func TestANewPasswordIsLongEnoughAndText(t *testing.T) {
	require.NoError(t, CheckNewPassword("zwölf Zeichen"))
	require.ErrorContains(t, CheckNewPassword("elf Zeichen"), "at least 12")
	require.ErrorContains(t, CheckNewPassword(strings.Repeat("x", 1025)), "at most 1024")
	require.ErrorContains(t, CheckNewPassword("correct horse \xff"), "UTF-8")
}

func FuzzAHashOfAnybodysIsReadOrRefused(f *testing.F) {
	f.Add("$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, hash string) {
		salt, sum, memory, passes, threads, err := parsePHC(hash)
		if err != nil {
			return
		}
		assert.LessOrEqual(t, memory, uint32(maxMemory))
		assert.LessOrEqual(t, passes, uint32(maxPasses))
		b64 := base64.RawStdEncoding.EncodeToString
		assert.Equal(
			t,
			hash,
			fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", memory, passes, threads, b64(salt), b64(sum)),
			"what is read is what stands there",
		)
	})
}
