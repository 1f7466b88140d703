package pii

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIssuersAreInOrderAndFoundByTheirFirstDigit(t *testing.T) {
	for k, r := range issuers {
		require.Equal(t, r.lo/100000, r.hi/100000, "row %d", k)
		if k > 0 {
			require.Less(t, issuers[k-1].lo, r.lo)
		}
	}
	r := rand.New(rand.NewPCG(2, 1))
	for range 20_000 {
		d := make([]byte, 12+r.IntN(8))
		v := uint32(0)
		for i := range d {
			d[i] = byte(r.IntN(10))
			if i < 6 {
				v = v*10 + uint32(d[i])
			}
		}
		usual, allowed := false, false
		for _, row := range issuers {
			if v >= row.lo && v <= row.hi {
				usual = usual || row.usual>>len(d)&1 != 0
				allowed = allowed || (row.usual|row.rare)>>len(d)&1 != 0
			}
		}
		gotUsual, gotAllowed := checkIssuer(d)
		require.Equal(t, []bool{usual, allowed}, []bool{gotUsual, gotAllowed}, "%v", d)
	}
}

func TestTheRestOfDivisionBy97IsThatOfTheWholeNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for range 5000 {
		n := new(big.Int)
		b := make([]byte, 15+r.IntN(20))
		for i := range b {
			b[i] = "0123456789AbzZ -"[r.IntN(16)]
		}
		for _, c := range append(append([]byte{}, b[4:]...), b[:4]...) {
			switch {
			case isDigitByte(c):
				n.Add(n.Mul(n, big.NewInt(10)), big.NewInt(int64(c-'0')))
			case isLetterByte(c):
				n.Add(n.Mul(n, big.NewInt(100)), big.NewInt(int64(c|0x20-'a')+10))
			}
		}
		want := n.Mod(n, big.NewInt(97)).Int64() == 1
		require.Equal(t, want, passesMod97(string(b)), "%s", b)
	}
	require.True(t, passesMod97("GB82 WEST 1234 5698 7654 32"))
}
