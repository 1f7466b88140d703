package wasm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func TestTheNormativeTextNamesWhatThereIs(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "plugin-abi.md"))
	require.NoError(t, err)
	page := string(b)
	for f := abi.FieldModel; f.String() != ""; f++ {
		assert.Contains(t, page, fmt.Sprintf("| %d | `%s` |", f, f), "a field")
	}
	for _, list := range []map[string]hostFunc{headgateFuncs, stageFuncs} {
		for name := range list {
			assert.Contains(t, page, "`"+name, "an import")
		}
	}
	for name := range signatures {
		assert.Contains(t, page, "`"+name+"`", "an export")
	}
	for p := abi.PhaseRequest; p <= abi.PhaseFinish; p++ {
		assert.Contains(t, page, fmt.Sprintf("| `%s` | %d |", abi.PhaseName(p), p))
	}
	for _, c := range append([]string{abi.CodeContentFilter, abi.CodeInvalidValue, abi.CodePolicyDenied, abi.CodeRateLimit, abi.CodeQuota, abi.CodeOverloaded}, capabilities...) {
		assert.Contains(t, page, "`"+c+"`")
	}
	for name, v := range map[string]uint32{"NoValue": abi.NoValue, "NotGranted": abi.NotGranted, "Unavailable": abi.Unavailable} {
		assert.Contains(t, page, fmt.Sprintf("| `%s` | `0x%X` |", name, v))
	}
	for _, own := range foreign.OwnHeaders {
		assert.Contains(t, page, "`"+strings.TrimSuffix(own, "-"))
	}
}
