package vault

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(t, err)
	return string(b)
}

func TestAKnownTokenIsMintedWithoutAllocating(t *testing.T) {
	r := newRig(t, Options{})
	r.mint(t, alice, "EMAIL", "a@example.com")
	ctx := context.Background()
	if raceDetector {
		t.Skip("under the race detector a pool drops things now and then")
	}
	n := testing.AllocsPerRun(200, func() {
		if _, err := r.Mint(ctx, alice, "EMAIL", "a@example.com"); err != nil {
			t.Error(err)
		}
	})
	require.Less(t, n, 1.0) // a collection in between empties the pool
}

func BenchmarkMintKnown(b *testing.B) {
	r := newRig(b, Options{})
	for name, s := range map[string]Scope{
		"key": {Tenant: "acme", Key: "k1"}, "key and user": alice,
		"at a time": {Tenant: "acme", Key: "k1", At: time.Now()},
	} {
		b.Run(name, func(b *testing.B) {
			r.mint(b, s, "CREDIT_CARD", "4111 1111 1111 1111")
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Mint(ctx, s, "CREDIT_CARD", "4111 1111 1111 1111"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMintNew(b *testing.B) {
	r := newRig(b, Options{})
	ctx := context.Background()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		if _, err := r.Mint(ctx, alice, "EMAIL", strconv.Itoa(n)+"@example.com"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	r := newRig(b, Options{})
	token := r.mint(b, alice, "CREDIT_CARD", "4111 1111 1111 1111")
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, err := r.Resolve(ctx, alice, token); err != nil || !ok {
			b.Fatal(err)
		}
	}
}

func BenchmarkResolveFromStore(b *testing.B) {
	r := newRig(b, Options{})
	token := r.mint(b, alice, "CREDIT_CARD", "4111 1111 1111 1111")
	r.sync(b)
	ctx := context.Background()
	t, err := r.openTenant(ctx, "acme", false)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		r.cache.purge(t)
		if _, ok, err := r.Resolve(ctx, alice, token); err != nil || !ok {
			b.Fatal(err)
		}
	}
}
