package fleet

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

const secret = "0123456789abcdef0123456789abcdef"

func TestWhatIsSealedOpensForItsPurposeUnchangedAndWithTheSecretAlone(t *testing.T) {
	s, at := NewSealer(secret), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b, err := s.seal(purposeBundle, Head{Version: 7, Issued: at, Nonce: "n", Node: "a"}, []byte("plain text"))
	require.NoError(t, err)
	assert.NotContains(t, string(b), "plain text")
	h, plain, err := s.unseal(purposeBundle, b)
	require.NoError(t, err)
	assert.Equal(t, Head{Version: 7, Issued: at, Nonce: "n", Node: "a"}, h)
	assert.Equal(t, "plain text", string(plain))
	_, _, err = s.unseal(purposeRecords, b)
	require.ErrorIs(t, err, ErrSealed)
	_, _, err = NewSealer(secret+"x").unseal(purposeBundle, b)
	require.ErrorIs(t, err, ErrSealed)
	for i := range b { // the head is authenticated: its version cannot be changed
		c := append([]byte(nil), b...)
		c[i] ^= 1
		_, _, err := s.unseal(purposeBundle, c)
		require.ErrorIs(t, err, ErrSealed, "byte %d", i)
		_, _, err = s.unseal(purposeBundle, b[:i])
		require.ErrorIs(t, err, ErrSealed, "cut at %d", i)
	}
	again, err := s.seal(purposeBundle, Head{Version: 7, Issued: at, Nonce: "n", Node: "a"}, []byte("plain text"))
	require.NoError(t, err)
	assert.NotEqual(t, b, again)
	assert.NotContains(t, s.String()+s.GoString(), secret)
}

func FuzzOpen(f *testing.F) {
	b, _ := NewSealer(secret).seal(purposeBundle, Head{Version: 1}, []byte("x"))
	f.Add(b)
	f.Add([]byte(mark + strings.Repeat("x", saltSize) + "\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		_, plain, err := NewSealer(secret).unseal(purposeBundle, in)
		if err == nil {
			assert.Equal(t, "x", string(plain))
		}
	})
}

// plane is a control plane with one row.
type plane struct {
	row   store.Row
	took  []*Records
	seen  []int64
	fails error
}

func (p *plane) ReadVersion(context.Context) (int64, error) { return 5, p.fails }
func (p *plane) ReadFull(context.Context) (any, error)      { return map[string]int{"version": 5}, p.fails }

func (p *plane) DescribeSite(context.Context) (Site, error) {
	return Site{Config: []byte("chain: []"), Master: []byte("m")}, p.fails
}

func (p *plane) ReadRows(_ context.Context, since int64, begin func(bool) error, each func(*store.Row) error) (int64, error) {
	return 5, errors.Join(begin(since == 0), each(&p.row))
}

func (p *plane) ReadFile(_ context.Context, digest string) ([]byte, error) {
	if digest == "00" {
		return []byte("another"), nil
	}
	return nil, ErrNoFile
}

func (p *plane) StoreRecords(_ context.Context, node string, r *Records) (Stored, error) {
	p.took = append(p.took, r)
	return Stored{Usage: r.Usage.Upto}, p.fails
}
func (p *plane) RecordContact(_ string, version int64) { p.seen = append(p.seen, version) }

func serve(t *testing.T, p *plane, serverSecret, clientSecret string) *Client {
	t.Helper()
	srv := httptest.NewServer(NewHandler(Options{Source: p, Secret: serverSecret, Now: time.Now, Failed: func(error) {}}))
	t.Cleanup(srv.Close)
	c, err := NewClient(ClientOptions{URL: srv.URL + "/", Secret: clientSecret, Node: "edge"})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestANodeTakesABundleAndHandsRecordsOver(t *testing.T) {
	ctx := context.Background()
	p := &plane{row: store.Row{Kind: "key", ID: "k", Versions: []int64{4, 5}, Columns: map[string]any{"id": "k", "n": int64(1) << 60}}}
	c := serve(t, p, secret, secret)
	v, err := c.FetchVersion(ctx, 3)
	require.NoError(t, err)
	assert.Equal(t, int64(5), v)
	assert.Equal(t, []int64{3}, p.seen)
	b, err := c.FetchBundle(ctx, 3)
	require.NoError(t, err)
	assert.False(t, b.Full)
	assert.Equal(t, int64(5), b.Version)
	assert.Equal(t, "chain: []", string(b.Config))
	row, err := b.Records()
	require.NoError(t, err)
	assert.Equal(t, []int64{4, 5}, row.Versions)
	assert.Equal(t, "1152921504606846976", row.Columns["n"].(interface{ String() string }).String(), "numbers keep all their digits")
	_, err = b.Records()
	require.ErrorIs(t, err, io.EOF)

	r := &Records{
		Usage: Part[store.UsageRecord]{Upto: 2, Records: []store.UsageRecord{{ExchangeID: "a", Cost: 1 << 60, At: time.UnixMicro(5).UTC()}}},
	}
	stored, err := c.SendRecords(ctx, r)
	require.NoError(t, err)
	assert.Equal(t, Stored{Usage: 2}, stored)
	assert.Equal(t, []*Records{r}, p.took)

	_, err = c.FetchFile(ctx, File{Name: "a.wasm", Digest: "00"})
	require.ErrorContains(t, err, "another digest")
	_, err = c.FetchFile(ctx, File{Name: "a.wasm", Digest: "01"})
	require.ErrorContains(t, err, "404")
	p.fails = errors.New("the disk is full")
	_, err = c.SendRecords(ctx, r)
	require.ErrorContains(t, err, "503")
	assert.NotContains(t, err.Error(), "disk")
}

func TestAnotherSecretOpensNothing(t *testing.T) {
	ctx := context.Background()
	c := serve(t, &plane{}, secret, secret+"x")
	_, err := c.FetchVersion(ctx, 0)
	require.ErrorContains(t, err, "refuses the secret")
	_, err = c.FetchBundle(ctx, 0)
	require.ErrorContains(t, err, "refuses the secret")
	assert.NotContains(t, err.Error(), secret)
}

func TestWithoutASecretThereAreNoBundles(t *testing.T) {
	ctx := context.Background()
	c := serve(t, &plane{}, "", secret)
	_, err := c.FetchVersion(ctx, 0)
	require.NoError(t, err)
	_, err = c.FetchBundle(ctx, 0)
	require.ErrorContains(t, err, "404")
	_, err = c.SendRecords(ctx, &Records{})
	require.ErrorContains(t, err, "404")
}

// A recorded answer cannot be replayed.
func TestAnOldAnswerIsNotTaken(t *testing.T) {
	h := NewHandler(Options{Source: &plane{}, Secret: secret, Now: time.Now, Failed: func(error) {}})
	var kept []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kept == nil {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			kept = rec.Body.Bytes()
		}
		_, _ = w.Write(kept)
	}))
	defer srv.Close()
	c, err := NewClient(ClientOptions{URL: srv.URL, Secret: secret, Node: "edge"})
	require.NoError(t, err)
	defer c.Close()
	_, err = c.FetchBundle(context.Background(), 0)
	require.NoError(t, err)
	_, err = c.FetchBundle(context.Background(), 0)
	require.ErrorContains(t, err, "another request")
}

func TestWithoutTheSecretNobodyIsANode(t *testing.T) {
	p := &plane{}
	c := serve(t, p, "", "")
	_, err := c.FetchVersion(context.Background(), 1<<62)
	require.NoError(t, err)
	assert.Empty(t, p.seen)

	c = serve(t, p, secret, secret)
	c.node = strings.Repeat("n", 64)
	_, err = c.FetchVersion(context.Background(), 1)
	require.NoError(t, err)
	assert.Empty(t, p.seen, "no node has such a name")
}
