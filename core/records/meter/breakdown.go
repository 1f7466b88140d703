package meter

import (
	"cmp"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// breakdown divides the costs of a report. It reads all parts from one snapshot, so each adds up to the total.
type breakdown struct {
	total                    store.UsageSums
	tenants, keys, providers map[string]*store.UsageSums
	models                   map[[2]string]*store.UsageSums
	days                     map[int64]*store.UsageSums
	owners                   map[string]string // by key id
	tenantNames              map[string]string
	keyNames                 map[string][2]string // name and prefix by key id
}

func newBreakdown(parts, keys []store.CostSums) *breakdown {
	b := &breakdown{
		tenants: map[string]*store.UsageSums{}, keys: map[string]*store.UsageSums{}, providers: map[string]*store.UsageSums{},
		models: map[[2]string]*store.UsageSums{}, days: map[int64]*store.UsageSums{},
		owners: map[string]string{}, tenantNames: map[string]string{}, keyNames: map[string][2]string{},
	}
	for i := range keys {
		if r := &keys[i]; r.Requests > 0 {
			addSums(b.keys, r.Tenant+"\x00"+r.Key, &r.UsageSums)
			b.owners[r.Tenant+"\x00"+r.Key] = r.Tenant
		}
	}
	for i := range parts {
		r := &parts[i]
		if r.Requests == 0 { // refused exchanges cost nothing
			continue
		}
		s := &r.UsageSums
		b.total.Add(s)
		addSums(b.tenants, r.Tenant, s)
		addSums(b.providers, r.Provider, s)
		addSums(b.models, [2]string{r.Provider, r.Model}, s)
		addSums(b.days, r.Day, s)
	}
	return b
}

func addSums[K comparable](m map[K]*store.UsageSums, k K, s *store.UsageSums) {
	sum := m[k]
	if sum == nil {
		sum = new(store.UsageSums)
		m[k] = sum
	}
	sum.Add(s)
}

func (b *breakdown) computeShare(s *store.UsageSums) Share {
	out := Share{
		InputCost: money.Amount(s.InputCost), OutputCost: money.Amount(s.OutputCost), Cost: money.Amount(s.Cost()),
		Requests: s.Requests, InputTokens: s.Input, OutputTokens: s.Output, Unpriced: s.Unpriced,
	}
	out.Pct = float64(computeShare(s.Cost(), 10_000, b.total.Cost())) / 100
	return out
}

// fill builds the cost sections, most expensive first.
func (b *breakdown) fill(s *ChargebackSections, from, to time.Time) {
	s.Total = b.computeShare(&b.total)
	s.Tenants = listDearest(b.tenants, func(id string, u *store.UsageSums) TenantShare {
		return TenantShare{Tenant: id, Name: b.tenantNames[id], Share: b.computeShare(u)}
	})
	s.Keys = listDearest(b.keys, func(id string, u *store.UsageSums) KeyShare {
		tenant := b.owners[id]
		key := id[len(tenant)+1:]
		return KeyShare{Tenant: tenant, Key: key, Name: b.keyNames[key][0], Prefix: b.keyNames[key][1], Share: b.computeShare(u)}
	})
	s.Models = listDearest(b.models, func(id [2]string, u *store.UsageSums) ModelShare {
		return ModelShare{Provider: id[0], Model: id[1], Share: b.computeShare(u)}
	})
	s.Providers = listDearest(b.providers, func(id string, u *store.UsageSums) PartShare {
		return PartShare{Provider: id, Share: b.computeShare(u)}
	})
	s.Days = []DayShare{}
	none := new(store.UsageSums)
	for at := findMidnight(from); at.Before(to); at = at.Add(day) {
		u := b.days[at.Unix()/int64(day/time.Second)]
		if u == nil {
			u = none
		}
		s.Days = append(s.Days, DayShare{Date: at.Format(time.DateOnly), Share: b.computeShare(u)})
	}
}

// listDearest returns the parts ordered by cost, highest first, and then by name.
func listDearest[K comparable, V any](parts map[K]*store.UsageSums, view func(K, *store.UsageSums) V) []V {
	type part struct {
		key K
		sum *store.UsageSums
	}
	all := make([]part, 0, len(parts))
	for k, s := range parts {
		all = append(all, part{k, s})
	}
	slices.SortFunc(all, func(a, b part) int {
		return cmp.Or(cmp.Compare(b.sum.Cost(), a.sum.Cost()), compareKeys(a.key, b.key))
	})
	out := make([]V, len(all))
	for i, p := range all {
		out[i] = view(p.key, p.sum)
	}
	return out
}

func compareKeys[K comparable](a, b K) int {
	switch a := any(a).(type) {
	case string:
		return cmp.Compare(a, any(b).(string))
	case [2]string:
		o := any(b).([2]string)
		return cmp.Or(cmp.Compare(a[0], o[0]), cmp.Compare(a[1], o[1]))
	}
	return 0
}
