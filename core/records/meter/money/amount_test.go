package money

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAmountsAreReadExactlyOrNotAtAll(t *testing.T) {
	for s, want := range map[string]Amount{
		"0": 0, "-0": 0, "1": USD, "0.0000000001": 1, "-2.50": -25_000_000_000, "0.003625": 36_250_000, "2.5e-3": 25_000_000, "1E2": 100 * USD,
		"0.10000000000": 1_000_000_000, "92000000": Most, "0.00000000000000": 0, "0e999": 0, "1000e-3": USD, "10e-11": 1,
	} {
		got, err := Parse(s)
		require.NoError(t, err, s)
		assert.Equal(t, want, got, s)
	}
	for s, want := range map[string]error{
		"": ErrSyntax, "-": ErrSyntax, ".5": ErrSyntax, "5.": ErrSyntax, "01": ErrSyntax, "+1": ErrSyntax, "1,5": ErrSyntax, "NaN": ErrSyntax,
		"Infinity": ErrSyntax, "1e": ErrSyntax, "0x10": ErrSyntax, "1e1.5": ErrSyntax, "1 ": ErrSyntax, "1e999999999999": ErrSyntax, "١": ErrSyntax,
		"0.00000000001": ErrFine, "1e-11": ErrFine, "0.12345678901": ErrFine,
		"92000000.0000000001": ErrRange, "1e30": ErrRange, "9223372036854775808": ErrRange, "-1e12": ErrRange,
	} {
		_, err := Parse(s)
		assert.ErrorIs(t, err, want, s)
	}
}

func TestAmountsAreWrittenWithAsManyDigitsAsTheyNeed(t *testing.T) {
	for a, want := range map[Amount]string{
		0: "0", 1: "0.0000000001", -1: "-0.0000000001", USD: "1", 25_000_000_000: "2.5", math.MaxInt64: "922337203.6854775807", math.MinInt64: "-922337203.6854775808",
	} {
		assert.Equal(t, want, a.String())
		b, err := json.Marshal(a)
		require.NoError(t, err)
		assert.Equal(t, want, string(b))
	}
	for _, c := range []struct {
		a      Amount
		places int
		want   string
	}{
		{12_345_600_000, 2, "1.23"},
		{12_350_000_000, 2, "1.24"},
		{-12_350_000_000, 2, "-1.24"},
		{-1, 2, "0.00"},
		{49_999_999, 2, "0.00"},
		{50_000_000, 2, "0.01"},
		{USD / 2, 0, "1"},
		{7, 10, "0.0000000007"},
	} {
		assert.Equal(t, c.want, c.a.FormatFixed(c.places))
	}
}

func TestABodyMayHoldANumberOrAString(t *testing.T) {
	var v struct{ A, B, C Amount }
	require.NoError(t, json.Unmarshal([]byte(`{"A":2.5,"B":"0.1","C":null}`), &v))
	assert.Equal(t, Amount(25_000_000_000), v.A)
	assert.Equal(t, USD/10, v.B)
	for _, s := range []string{`{"A":true}`, `{"A":"x"}`, `{"A":1e99}`, `{"A":{}}`, `{"A":""}`} {
		assert.Error(t, json.Unmarshal([]byte(s), &v), s)
	}
}

// Reading what was written gives the same, and what is read is the rational number that the text stands for.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "1.5", "-0.0000000001", "1e-10", "92000000", "1e10", "00", "0.1e1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(a.String())
		require.NoError(t, err)
		require.Equal(t, a, again)
		require.LessOrEqual(t, a, Most)
		want, ok := new(big.Rat).SetString(s)
		require.True(t, ok)
		require.Zero(t, want.Cmp(big.NewRat(int64(a), int64(USD))), s)
	})
}
