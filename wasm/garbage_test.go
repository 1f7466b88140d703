package wasm

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// FuzzWhateverAGuestReportsIsCheckedOrAFault gives a guest's memory and result arbitrary content.
func FuzzWhateverAGuestReportsIsCheckedOrAFault(f *testing.F) {
	var b [2 * abi.SpanSize]byte
	abi.PutSpan(b[:], span(0, 1, 0, 1))
	abi.PutSpan(b[abi.SpanSize:], span(1, 5, 1, 0.25))
	f.Add("!2345€6789", abi.Pack(spansAt, 32), b[:])
	f.Add("!", uint64(abi.BytesError), []byte{})
	f.Add("!x", uint64(1<<63|16), make([]byte, 64))
	f.Fuzz(func(t *testing.T, text string, result uint64, data []byte) {
		if len(text) > 1<<10 || len(data) > 32<<10 {
			t.Skip("larger than the guest's memory allows")
		}
		v, err := Load(context.Background(), LoadOptions{
			Source: guest{data: data, detect: onMark(i64c(result))}.bytes(), Name: "garbage.wasm", Limits: Limits{Timeout: 10 * time.Second},
		})
		require.NoError(t, err)
		defer v.Release(context.Background())
		got, err := v.Detect(context.Background(), nil, "!"+text, 0)
		if err != nil {
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Contains(t, []core.Fault{core.FaultABI, core.FaultError}, e.Kind)
			return
		}
		last := 0
		for _, m := range got {
			require.True(t, last <= m.Start && m.Start < m.End && m.End <= 1+len(text))
			require.True(t, 0 <= m.Label && m.Label < 2 && m.Score >= 0 && m.Score <= 1)
			last = m.Start
		}
	})
}
