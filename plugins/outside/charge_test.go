package outside

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// booked collects charges.
type booked struct {
	mu   sync.Mutex
	list []Charge
}

func (b *booked) add(_ context.Context, c Charge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, c)
}

func TestCallsOfEachVendorAreBookedToTheKeyOfTheRequest(t *testing.T) {
	const price = money.Amount(15_000_000)
	for _, f := range fakes {
		if f.vendor == Judge {
			continue // booked as an exchange of its model
		}
		t.Run(f.vendor, func(t *testing.T) {
			var b booked
			s := serve(t, f)
			st := s.link(t, func(o *Options) { o.Settings.PricePerCall, o.Book = price, b.add })
			x := stagetest.Text{Text: strings.Repeat("word ", 20_000)}.Exchange()
			x.Principal = &core.Principal{Tenant: "t", KeyID: "k2", KeyName: "ci", Lineage: "k1"}
			_, err := st.Check(t.Context(), x, core.Request, nil)
			require.NoError(t, err)
			calls := 0
			for _, c := range b.list {
				assert.Equal(t, remote.Caller{Tenant: "t", Key: "k2", KeyName: "ci", Lineage: "k1"}, c.Caller)
				assert.Equal(t, x.ID, c.Exchange)
				assert.Equal(t, [2]string{"the-guard", f.vendor}, [2]string{c.Link, c.Vendor})
				assert.Equal(t, price*money.Amount(c.Calls), c.Cost)
				calls += c.Calls
			}
			assert.Positive(t, calls)
			assert.Equal(t, len(s.bodies), calls, "as many as the vendor has answered")
		})
	}
}

func TestCallsThatFailOrHaveNoPriceAreNotBooked(t *testing.T) {
	var b booked
	s := serve(t, fakeOf("lakera"))
	_, err := ask(s.link(t, func(o *Options) { o.Book = b.add }), "without a price")
	require.NoError(t, err)
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTooManyRequests) }))
	defer broken.Close()
	st := (&served{Server: broken, fake: fakeOf("lakera")}).link(t, func(o *Options) { o.Settings.PricePerCall, o.Book = 1, b.add })
	_, err = ask(st, "refused")
	require.Error(t, err)
	assert.Empty(t, b.list)
}
