package plugins

import (
	"errors"
	"fmt"
	"strings"

	"aead.dev/minisign"
)

// Key is a public key in minisign's format. Signatures by it are accepted.
type Key struct{ key minisign.PublicKey }

// ParseKey parses a public key: the line that starts with RW, or the whole file that minisign or "headgate plugin
// keygen" wrote.
func ParseKey(text string) (Key, error) {
	var k Key
	text = strings.TrimSpace(text)
	if text == "" {
		return k, errors.New("the public key is empty")
	}
	if strings.Contains(text, "secret key") || len(text) > 200 {
		return k, errors.New("a secret key or not a key; give the public key, which starts with RW")
	}
	if err := k.key.UnmarshalText([]byte(text)); err != nil {
		return k, errors.New("not a public key in minisign's format: 56 characters that start with RW")
	}
	return k, nil
}

func isKey(text []byte) bool {
	_, err := ParseKey(string(text))
	return err == nil
}

// ID returns the id of the key, as minisign prints it.
func (k Key) ID() string { return formatKeyID(k.key.ID()) }

// String returns the key as one line.
func (k Key) String() string { return k.key.String() }

func formatKeyID(id uint64) string { return fmt.Sprintf("%016X", id) }

// ParseKeys parses the keys of a configuration. A duplicate is an error: if only one of the two lines were removed, the
// key would stay in force.
func ParseKeys(texts []string) ([]Key, error) {
	var out []Key
	for i, text := range texts {
		k, err := ParseKey(text)
		if err != nil {
			return nil, fmt.Errorf("plugins.keys[%d]: %w", i, err)
		}
		for _, other := range out {
			if other.key.ID() == k.key.ID() {
				return nil, fmt.Errorf("plugins.keys[%d]: the key %s is listed twice; remove one", i, k.ID())
			}
		}
		out = append(out, k)
	}
	return out, nil
}

// truncateText shortens a text from outside for a message.
func truncateText(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
