package project

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// The numbers of the ABI are copied into each SDK; here they are compared.
func TestTheSDKsHaveTheNumbersOfTheABI(t *testing.T) {
	plain := regexp.MustCompile(`[^a-z]`)
	names := func(in []string) (out []string) {
		for _, name := range in {
			out = append(out, plain.ReplaceAllString(strings.ToLower(name), ""))
		}
		return out
	}
	fields := names(abi.FieldNames())
	for file, list := range map[string]*regexp.Regexp{
		"c/headgate.h":               regexp.MustCompile(`(?s)enum \{\s*(HG_FIELD_MODEL = 1.*?)\};`),
		"rust/headgate.rs":           regexp.MustCompile(`(?s)pub enum Field \{(.*?)\}`),
		"zig/headgate.zig":           regexp.MustCompile(`(?s)pub const Field = enum\(u32\) \{\s*// zig fmt: off(.*?)// zig fmt: on`),
		"assemblyscript/headgate.ts": regexp.MustCompile(`(?s)const enum Field \{(.*?)\}`),
	} {
		text, err := sdk.Files.ReadFile(file)
		require.NoError(t, err)
		m := list.FindSubmatch(text)
		require.NotNil(t, m, file)
		var have []string
		for _, word := range strings.FieldsFunc(string(m[1]), func(r rune) bool { return r == ',' || r == '\n' }) {
			word = strings.TrimPrefix(strings.TrimSpace(word), "HG_FIELD_")
			word, _, _ = strings.Cut(word, " = 1")
			if word != "" {
				have = append(have, word)
			}
		}
		assert.Equal(t, fields, names(have), file)

		code := strings.ReplaceAll(strings.ToUpper(string(text)), "_", "")
		for name, n := range map[string]uint64{
			"overflow": abi.LabelOverflow, "max spans": abi.MaxSpans, "unavailable": uint64(abi.Unavailable), "no value": uint64(abi.NoValue),
		} {
			number := strings.ToUpper(strconv.FormatUint(n, 16))
			assert.True(t, strings.Contains(code, "0X"+number) || strings.Contains(code, strconv.FormatUint(n, 10)), "%s: %s", file, name)
		}
	}
}
