package config

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSizesAreReadWithTheirUnit(t *testing.T) {
	for text, want := range map[string]ByteSize{
		"0": 0, "512": 512, "1B": 1, "1kB": 1000, "1KB": 1000, "2KiB": 2048, "32MiB": 32 << 20, "32 MiB": 32 << 20,
		"5MB": 5_000_000, "1GiB": 1 << 30, "1GB": 1e9, "9223372036854775807": math.MaxInt64,
	} {
		got, err := ParseByteSize(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "MiB", "-1", "1.5MiB", "1 M", "1mib", "1TiB", "9223372036854775807KiB", "9223372036854775808", "+1", "0x1"} {
		_, err := ParseByteSize(text)
		require.Error(t, err, text)
	}
}

func TestASizePrintsAsItIsRead(t *testing.T) {
	for size, want := range map[ByteSize]string{0: "0B", 1: "1B", 1000: "1000B", KiB: "1KiB", 32 * MiB: "32MiB", GiB: "1GiB", 1536: "1536B"} {
		assert.Equal(t, want, size.String())
		back, err := ParseByteSize(size.String())
		require.NoError(t, err)
		assert.Equal(t, size, back)
	}
}

func TestASecretNeverPrints(t *testing.T) {
	p := Provider{APIKey: "hunter2", Headers: map[string]Secret{"a": "hunter2"}}
	raw, err := json.Marshal(p)
	require.NoError(t, err)
	for _, shown := range []string{fmt.Sprint(p), fmt.Sprintf("%v %+v %#v %s %q", p, p, p, p.APIKey, p.APIKey), string(raw)} {
		assert.NotContains(t, shown, "hunter2")
		assert.Contains(t, shown, masked)
	}
	assert.Equal(t, "hunter2", p.APIKey.Reveal())
	assert.Empty(t, Secret("").String())
}

func TestTheNearestWordIsSuggested(t *testing.T) {
	words := []string{"listen", "max_body", "tls", "on_fault"}
	for word, want := range map[string]string{
		"lisen": "listen", "maxBody": "max_body", "max-body": "max_body", "tsl": "tls", "onfault": "on_fault",
		"colour": "", "x": "", "": "",
	} {
		assert.Equal(t, want, suggestWord(word, words), word)
	}
	assert.Equal(t, 1, measureDistance("ab", "ba"))
	assert.Equal(t, 3, measureDistance("kitten", "sitting"))
}
