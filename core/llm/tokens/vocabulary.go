package tokens

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"fmt"
	"hash/maphash"
	"io"
)

// packed are the tokens of o200k_base in the order of their ranks, each as its length
// in one byte and its bytes, deflated. OpenAI publishes them with tiktoken
// (https://github.com/openai/tiktoken, MIT licence, see data/LICENSE); the test that
// compares them with github.com/tiktoken-go/tokenizer writes the file.
//
//go:generate go test -tags nomsgpack,grpcnotrace -run TestTheVocabularyIsThatOfTheLibrary -update .
//go:embed data/o200k_base.deflate
var packed string

const (
	slots  = 1 << 19 // of the table, of which the tokens fill two fifths
	rankAt = 18      // bits of a rank; a slot's others are of the token's hash
	none   = 1<<rankAt - 1
)

// vocabulary finds a token's rank. It keeps no pointers: the garbage collector does not look through it.
type vocabulary struct {
	text    string   // all tokens, one behind the other
	ends    []uint32 // where the token of a rank ends
	table   []uint32 // hash table of bits of the hash and rank + 1, searched from the hash's place on
	longest int      // token in bytes
	seed    maphash.Seed
}

// loadVocabulary reads the vocabulary: 4 MB and some 20 ms.
func loadVocabulary() (*vocabulary, error) {
	raw, err := unpackVocabulary()
	if err != nil {
		return nil, fmt.Errorf("the vocabulary: %w", err)
	}
	v := &vocabulary{table: make([]uint32, slots), seed: maphash.MakeSeed()}
	text := make([]byte, 0, len(raw))
	for at := 0; at < len(raw); {
		end := at + 1 + int(raw[at])
		if end > len(raw) || len(v.ends) == none-1 {
			return nil, fmt.Errorf("the vocabulary is damaged at byte %d", at)
		}
		token := raw[at+1 : end]
		h := maphash.Bytes(v.seed, token)
		slot := h % slots
		for v.table[slot] != 0 {
			slot = (slot + 1) % slots
		}
		v.table[slot] = uint32(h>>32)&^none | uint32(len(v.ends)+1)
		text = append(text, token...)
		v.ends = append(v.ends, uint32(len(text)))
		v.longest = max(v.longest, len(token))
		at = end
	}
	v.text = string(text)
	return v, nil
}

func unpackVocabulary() ([]byte, error) {
	var raw bytes.Buffer
	raw.Grow(2 * len(packed))
	_, err := io.Copy(&raw, flate.NewReader(bytes.NewReader([]byte(packed))))
	return raw.Bytes(), err
}

// findRank returns that of the token, or none.
func (v *vocabulary) findRank(token string) uint32 {
	if len(token) > v.longest {
		return none
	}
	h := maphash.String(v.seed, token)
	for slot := h % slots; v.table[slot] != 0; slot = (slot + 1) % slots {
		if e := v.table[slot]; (e^uint32(h>>32))&^none == 0 {
			if r := e&none - 1; v.findTokenText(r) == token {
				return r
			}
		}
	}
	return none
}

func (v *vocabulary) findTokenText(rank uint32) string {
	start := uint32(0)
	if rank > 0 {
		start = v.ends[rank-1]
	}
	return v.text[start:v.ends[rank]]
}
