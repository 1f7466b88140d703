// Package auth authenticates credentials. Gateway keys are stored only as SHA-256 hashes. It imports core.
package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
)

// KeyPrefix is the prefix of gateway keys.
const KeyPrefix = "gw_"

// prefixShown is the number of characters of a key that may be shown.
const prefixShown = 10

// NewKey returns a gateway key with 256 bits of randomness.
func NewKey() string { return KeyPrefix + newSecret() }

// newSecret returns 256 random bits as letters and digits.
func newSecret() string {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	b := make([]byte, 43) // 62^43 is just above 2^256
	for i := range b {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(letters))))
		if err != nil {
			panic(err) // without randomness no secret is safe
		}
		b[i] = letters[n.Int64()]
	}
	return string(b)
}

// Hash returns the hash of a key, which is what the store contains.
func Hash(key string) [sha256.Size]byte { return sha256.Sum256([]byte(key)) }

// CutVisiblePrefix returns the first characters of a key, which may be shown.
func CutVisiblePrefix(key string) string { return key[:min(len(key), prefixShown)] }

// ReadCredential returns the key in the headers of a request: a bearer token, or one of the headers of the vendors' clients. It
// is never read from the URL.
func ReadCredential(h http.Header) string {
	if v := h["Authorization"]; len(v) == 1 && v[0] != "" { // some clients send it empty in addition to their own header
		if scheme, token, ok := strings.Cut(v[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(token)
		}
		return ""
	}
	for _, name := range [...]string{"X-Api-Key", "X-Goog-Api-Key", "X-Gen-Api-Key"} {
		if v := h[name]; len(v) == 1 {
			return v[0]
		}
	}
	return ""
}

func newUnauthenticated(public string) *core.Error {
	return &core.Error{Kind: core.Unauthenticated, Code: core.CodeUnauthorized, Public: public}
}

// RequireScope fails unless the principal may use endpoints of the scope.
func RequireScope(p *core.Principal, scope string) *core.Error {
	if p.Allows(scope) {
		return nil
	}
	return &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: "the gateway key lacks the scope " + scope}
}

// RequireModel fails if the key may not ask for a model. It compares the name as the client wrote it, so that a pattern for
// gpt-4o does not admit openai/gpt-4o. Where routes and stages send the call afterwards is the decision of the operator.
func RequireModel(p *core.Principal, model, param string) *core.Error {
	if p == nil || len(p.Models) == 0 ||
		slices.ContainsFunc(p.Models, func(pattern string) bool { return match.MatchesModel(pattern, model) }) {
		return nil
	}
	return &core.Error{
		Kind: core.Forbidden, Code: core.CodeForbidden, Param: param,
		Public: "this gateway key must not use this model; GET /v1/models lists the models that it can use",
	}
}
