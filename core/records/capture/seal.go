package capture

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
)

func newSealer(key []byte) (cipher.AEAD, error) {
	if len(key) != 32 {
		return nil, errors.New("open the capture: the key must have 32 bytes")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("open the capture: %w", err)
	}
	return cipher.NewGCM(block)
}

// encodeBinding returns the additional data that ties a record to its segment and its position there.
func encodeBinding(name string, number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte(name), number)
}
