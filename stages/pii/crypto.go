package pii

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"strings"

	"golang.org/x/crypto/sha3"
)

// cryptoWords are required before 40 hexadecimal digits in one case, which can be an Ethereum address or a hash.
var cryptoWords = []string{
	"eth", "ether", "ethereum", "wallet", "address", "addresses", "addr", "crypto", "contract", "erc20",
	"account", "owner", "recipient", "sender",
	"payable", "transfer", "blockchain", "usdt", "usdc", "token", "to",
}

// findCrypto recognises addresses of Bitcoin and Ethereum around the digits at
// i: Base58Check, Bech32 and Bech32m (BIP 173, 350), and EIP-55, whose capitals
// are a check unless all letters are of one case.
func findCrypto(s *scan, i int) (int, int, float32) {
	t := s.v.s
	a := i
	for a > 0 && i-a < 6 && isAlnum(t[a-1]) {
		a--
	}
	if a > 0 && isWordByte(t[a-1]) {
		return 0, 0, 0
	}
	b := i
	for b < len(t) && b-a <= 91 && isAlnum(t[b]) {
		b++
	}
	s.noteLookAhead(a, b+1)
	if b < len(t) && isWordByte(t[b]) {
		return 0, 0, 0
	}
	w := t[a:b]
	if isInOneCase(w) {
		return a, b, spokenScore
	}
	switch {
	case len(w) == 42 && w[0] == '0' && w[1]|0x20 == 'x' && passesEIP55(w[2:]) && computeEntropy(w[2:]) > 2.8,
		len(w) >= 26 && len(w) <= 35 && (w[0] == '1' || w[0] == '3') && passesBase58(w),
		len(w) >= 14 && len(w) <= 90 && (hasFold(w, 0, "bc1") || strings.HasPrefix(w, "tb1")) && passesBech32(w):
		return a, b, 1
	}
	return 0, 0, 0
}

// isInOneCase reports whether w is an Ethereum address in one case, which has no checksum.
func isInOneCase(w string) bool {
	if len(w) != 42 || w[0] != '0' || w[1]|0x20 != 'x' || computeEntropy(w[2:]) <= 2.8 {
		return false
	}
	return (w[2:] == strings.ToLower(w[2:]) || w[2:] == strings.ToUpper(w[2:])) && passesEIP55(w[2:])
}

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// passesBase58 checks the four checksum bytes of a 25-byte address.
func passesBase58(w string) bool {
	n := new(big.Int)
	for i := range len(w) {
		d := strings.IndexByte(base58Digits, w[i])
		if d < 0 {
			return false
		}
		n.Mul(n, big.NewInt(58)).Add(n, big.NewInt(int64(d)))
	}
	var b [25]byte
	if n.BitLen() > 200 {
		return false
	}
	n.FillBytes(b[:])
	one := sha256.Sum256(b[:21])
	two := sha256.Sum256(one[:])
	return string(two[:4]) == string(b[21:])
}

const bech32Digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// passesBech32 checks an address of a segregated witness.
func passesBech32(w string) bool {
	low := strings.ToLower(w)
	if low != w && strings.ToUpper(w) != w {
		return false
	}
	sum := uint32(1)
	step := func(v byte) {
		top := sum >> 25
		sum = sum&0x1ffffff<<5 ^ uint32(v)
		for i, g := range [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	step(low[0] >> 5)
	step(low[1] >> 5)
	step(0)
	step(low[0] & 31)
	step(low[1] & 31)
	for i := 3; i < len(low); i++ {
		d := strings.IndexByte(bech32Digits, low[i])
		if d < 0 {
			return false
		}
		step(byte(d))
	}
	return low[3] == 'q' && sum == 1 || low[3] != 'q' && sum == 0x2bc830a3
}

// passesEIP55 checks the case of the letters of an Ethereum address.
func passesEIP55(w string) bool {
	for i := range len(w) {
		if class[w[i]]&isHex == 0 {
			return false
		}
	}
	low := strings.ToLower(w)
	if w == low || w == strings.ToUpper(w) {
		return true
	}
	h := sha3.NewLegacyKeccak256()
	_, _ = h.Write([]byte(low)) // a hash never fails
	sum := hex.EncodeToString(h.Sum(nil))
	for i := range len(w) {
		if isLetterByte(w[i]) && (sum[i] >= '8') != isUpper(w[i]) {
			return false
		}
	}
	return true
}
