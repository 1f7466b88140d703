package auth

import "crypto/sha256"

// usualKey is the length in bytes of the keys that the gateway creates.
const usualKey = 128

// hashKey hashes a key like Hash without retaining it. It does not allocate for keys of the usual length, because every
// request has one.
func hashKey(key string) [sha256.Size]byte {
	var room [usualKey]byte
	b := append(room[:0], key...)
	sum := sha256.Sum256(b)
	clear(b)
	return sum
}
