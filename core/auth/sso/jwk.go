package sso

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
)

// jwk contains the fields that are read from a key of RFC 7517.
type jwk struct {
	Kty    string   `json:"kty"`
	Kid    string   `json:"kid"`
	Use    string   `json:"use"`
	KeyOps []string `json:"key_ops"`
	Alg    string   `json:"alg"`
	Crv    string   `json:"crv"`
	N      string   `json:"n"`
	E      string   `json:"e"`
	X      string   `json:"x"`
	Y      string   `json:"y"`
}

// key is a public key with the algorithms that may use it. A key fits only its own kind, so that a token cannot misuse an
// RSA key.
type key struct {
	kid    string
	algs   []string
	public crypto.PublicKey
}

// maxKeys is the maximum number of keys in a set; issuers publish two to ten.
const maxKeys = 100

// The permitted sizes of RSA moduli in bits: shorter ones are broken, longer ones slow each check down.
const minRSA, maxRSA = 2048, 8192

// parseKeys parses a key set. As RFC 7517 requires, it skips keys of other kinds and uses, including HMAC secrets.
func parseKeys(text []byte) ([]key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, errors.New("the key set is not a JSON object with keys")
	}
	if len(set.Keys) > maxKeys {
		return nil, errors.New("the key set has more than 100 keys")
	}
	var out []key
	for _, raw := range set.Keys {
		var j jwk
		if json.Unmarshal(raw, &j) != nil || j.Use != "" && j.Use != "sig" || len(j.KeyOps) > 0 && !slices.Contains(j.KeyOps, "verify") {
			continue
		}
		if k, ok := j.parseKey(); ok {
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the key set has no key that signatures could be checked with")
	}
	return out, nil
}

func (j *jwk) parseKey() (k key, ok bool) {
	k.kid = j.Kid
	switch j.Kty {
	case "RSA":
		k.public, ok = j.parseRSA()
		k.algs = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}
	case "EC":
		k.public, k.algs, ok = j.parseEC()
	case "OKP":
		x, err := base64.RawURLEncoding.DecodeString(j.X)
		ok = err == nil && j.Crv == "Ed25519" && len(x) == ed25519.PublicKeySize
		k.public, k.algs = ed25519.PublicKey(x), []string{"EdDSA"}
	}
	if j.Alg != "" {
		ok = ok && slices.Contains(k.algs, j.Alg)
		k.algs = []string{j.Alg}
	}
	return k, ok
}

func (j *jwk) parseRSA() (crypto.PublicKey, bool) {
	n, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(j.N, "="))
	if err != nil {
		return nil, false
	}
	e, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(j.E, "="))
	if err != nil || len(e) == 0 || len(e) > 4 {
		return nil, false
	}
	exponent := 0
	for _, b := range e {
		exponent = exponent<<8 | int(b)
	}
	modulus := new(big.Int).SetBytes(n)
	if bits := modulus.BitLen(); bits < minRSA || bits > maxRSA || exponent < 3 || exponent%2 == 0 || exponent > 1<<31-1 {
		return nil, false
	}
	return &rsa.PublicKey{N: modulus, E: exponent}, true
}

func (j *jwk) parseEC() (crypto.PublicKey, []string, bool) {
	var curve elliptic.Curve
	var alg string
	switch j.Crv {
	case "P-256":
		curve, alg = elliptic.P256(), "ES256"
	case "P-384":
		curve, alg = elliptic.P384(), "ES384"
	case "P-521":
		curve, alg = elliptic.P521(), "ES512"
	default:
		return nil, nil, false
	}
	size := (curve.Params().BitSize + 7) / 8
	x, errX := base64.RawURLEncoding.DecodeString(j.X)
	y, errY := base64.RawURLEncoding.DecodeString(j.Y)
	if errX != nil || errY != nil || len(x) != size || len(y) != size {
		return nil, nil, false
	}
	// The point is verified to be on the curve.
	p, err := ecdsa.ParseUncompressedPublicKey(curve, slices.Concat([]byte{4}, x, y))
	return p, []string{alg}, err == nil
}
