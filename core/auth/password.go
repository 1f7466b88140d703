package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// The cost of a password hash: the first recommendation for Argon2id in OWASP's password storage cheat sheet, 19 MiB in two
// passes on one thread. More memory would matter in a gateway with 64 MiB.
const (
	argonMemory  = 19 << 10 // KiB
	argonPasses  = 2
	argonThreads = 1
	saltLen      = 16 // bytes
	sumLen       = 32 // bytes
)

// Limits for hashes from elsewhere: a stored hash must not exhaust the memory.
const (
	maxMemory = 256 << 10 // KiB
	maxPasses = 16
)

// Limits of a password: the lower one in characters, from OWASP ASVS 4.0 (2.1.1), the upper one in bytes.
const (
	minPassword = 12
	maxPassword = 1024
)

// argon serializes password hashing, so that sign-ins cannot take memory from the data plane.
var argon = make(chan struct{}, 1)

// ErrPassword is returned for a wrong password.
var ErrPassword = errors.New("the password is wrong")

// CheckNewPassword returns why a new password is not acceptable, or nil.
func CheckNewPassword(password string) error {
	switch {
	case !utf8.ValidString(password):
		return errors.New("the password is not UTF-8 text")
	case utf8.RuneCountInString(password) < minPassword:
		return fmt.Errorf("a password has at least %d characters", minPassword)
	case len(password) > maxPassword:
		return fmt.Errorf("a password has at most %d bytes", maxPassword)
	}
	return nil
}

// HashPassword returns the Argon2id hash of a password as a PHC string with a new salt.
func HashPassword(password string) string {
	salt := make([]byte, saltLen)
	_, _ = rand.Read(salt) // never fails: crypto/rand ends the program instead
	sum := deriveHash(password, salt, argonPasses, argonMemory, argonThreads, sumLen)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonPasses, argonThreads,
		b64.EncodeToString(salt), b64.EncodeToString(sum))
}

// noPassword is a hash that no password matches. Checking against it takes as long as against any other.
var noPassword = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonPasses, argonThreads,
	strings.Repeat("A", 22), strings.Repeat("A", 43))

// CheckPassword checks a password against a hash in PHC format and returns ErrPassword if it does not match. For a user
// without a hash, or an unknown user, pass "": the result is ErrPassword after the same time.
func CheckPassword(password, hash string) error {
	none := hash == ""
	if none {
		hash = noPassword
	}
	salt, sum, memory, passes, threads, err := parsePHC(hash)
	if err != nil {
		return err
	}
	if len(password) > maxPassword {
		password, none = password[:maxPassword], true
	}
	got := deriveHash(password, salt, passes, memory, threads, uint32(len(sum)))
	if subtle.ConstantTimeCompare(got, sum) != 1 || none {
		return ErrPassword
	}
	return nil
}

func deriveHash(password string, salt []byte, passes, memory uint32, threads uint8, size uint32) []byte {
	argon <- struct{}{}
	defer func() { <-argon }()
	return argon2.IDKey([]byte(password), salt, passes, memory, threads, size)
}

func parsePHC(hash string) (salt, sum []byte, memory, passes uint32, threads uint8, err error) {
	bad := errors.New("the stored hash of the password is damaged; set the password again")
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return nil, nil, 0, 0, 0, bad
	}
	n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads)
	if err != nil || n != 3 || fmt.Sprintf("m=%d,t=%d,p=%d", memory, passes, threads) != parts[3] ||
		memory < 8 || memory > maxMemory || passes < 1 || passes > maxPasses || threads < 1 || threads > 16 {
		return nil, nil, 0, 0, 0, bad
	}
	b64 := base64.RawStdEncoding.Strict()
	salt, err = b64.DecodeString(parts[4])
	if err != nil || len(salt) < 8 || len(salt) > 64 {
		return nil, nil, 0, 0, 0, bad
	}
	sum, err = b64.DecodeString(parts[5])
	if err != nil || len(sum) < 16 || len(sum) > 64 {
		return nil, nil, 0, 0, 0, bad
	}
	return salt, sum, memory, passes, threads, nil
}
