package meter_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// now is a Sunday noon.
var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func costs(db *store.DB, at time.Time) *meter.Costs {
	return &meter.Costs{DB: db, Now: func() time.Time { return at }}
}

// spend is one exchange that has cost so many dollars.
func spend(tenant, model string, at time.Time, usd int64) meter.Record {
	cost := usd * int64(money.USD)
	return meter.Record{
		ExchangeID: "x", Tenant: tenant, KeyID: tenant + "-key", Provider: "openai", Model: model, PriceID: "p", At: at,
		Input: 100, Output: 50, Counted: true, Cost: cost, InputCost: cost / 4, Priced: true,
	}
}

func book(t testing.TB, db *store.DB, records ...meter.Record) {
	t.Helper()
	w := store.NewWriter(db, store.WriterOptions{Wait: time.Minute})
	for i := range records {
		require.NoError(t, w.AppendUsage(context.Background(), &records[i]))
	}
	require.NoError(t, w.Close(context.Background()))
}

func subtractDays(days int) time.Time { return now.Add(-time.Duration(days) * 24 * time.Hour) }

func TestAForecastIsTheMonthSoFarAndTheAverageForTheRest(t *testing.T) {
	db := storetest.Open(t, storetest.CreateSQLite(t))
	var all []meter.Record
	for d := 1; d <= 7; d++ {
		all = append(
			all,
			spend("acme", "grows", subtractDays(d), int64(8-d)),
			spend("acme", "falls", subtractDays(d), int64(d)),
			spend("acme", "rests", subtractDays(d), 2),
			spend("other", "rests", subtractDays(d), 1),
		)
	}
	all = append(
		all,
		spend("acme", "rests", now.Add(-time.Hour), 5),
		spend("acme", "rests", subtractDays(60), 1000),
		spend("acme", "gone", subtractDays(60), 1000),
	)
	book(t, db, all...)
	list, err := costs(db, now).Forecast(context.Background(), "acme", 7)
	require.NoError(t, err)
	require.Len(t, list, 3)
	// 4 a day for 8.5 days that are left of November, and 28 in the days before.
	assert.Equal(t, meter.Forecast{
		Tenant:       "acme",
		Model:        "falls",
		TrailingDays: 7,
		DailyAverage: 4 * money.USD,
		MonthEnd:     62 * money.USD,
		Trend:        meter.Decreasing,
		Computed:     now,
	}, list[0])
	assert.Equal(t, meter.Increasing, list[1].Trend)
	assert.Equal(t, meter.Stable, list[2].Trend)
	assert.Equal(
		t,
		[]money.Amount{2 * money.USD, (14 + 5 + 17) * money.USD},
		[]money.Amount{list[2].DailyAverage, list[2].MonthEnd},
		"today counts to the month and not to the average",
	)
	list, err = costs(db, now).Forecast(context.Background(), "", 3)
	require.NoError(t, err)
	require.Len(t, list, 4)
	assert.Equal(t, 3, list[0].TrailingDays)
	list, err = costs(db, now.AddDate(1, 0, 0)).Forecast(context.Background(), "", 7)
	require.NoError(t, err)
	assert.NotNil(t, list)
	assert.Empty(t, list)
}

func TestAForecastOfTheFirstDayIsMadeOfThatDay(t *testing.T) {
	db := storetest.Open(t, storetest.CreateSQLite(t))
	r := spend("acme", "m", now.Add(-time.Hour), 0)
	r.Cost, r.InputCost = 3*int64(money.USD), int64(money.USD)
	book(t, db, r)
	list, err := costs(db, now).Forecast(context.Background(), "", 7)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, 3*money.USD, list[0].DailyAverage)
	assert.Equal(t, (3+8*3)*money.USD, list[0].MonthEnd, "today, and 8 whole days that are left of November")
	assert.Equal(t, meter.Stable, list[0].Trend)
}

func TestAnAverageThatDoesNotComeOutEvenIsRoundedOnce(t *testing.T) {
	db := storetest.Open(t, storetest.CreateSQLite(t))
	r := spend("acme", "m", subtractDays(1), 0)
	r.Cost, r.InputCost = 10, 10
	book(t, db, r)
	list, err := costs(db, now).Forecast(context.Background(), "", 4)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.EqualValues(t, 3, list[0].DailyAverage, "2.5 units, half up")
	assert.EqualValues(t, 10+21, list[0].MonthEnd, "10 / 4 * 8.5 = 21.25, of the exact average")
	assert.Equal(t, meter.Increasing, list[0].Trend)
}

func TestAnAnomalyIsARateFarAboveItsBaseline(t *testing.T) {
	ctx := context.Background()
	db := storetest.Open(t, storetest.CreateSQLite(t))
	var all []meter.Record
	for d := 2; d <= 31; d++ {
		all = append(all, spend("acme", "jumps", subtractDays(d).Add(time.Hour), 10), spend("acme", "steady", subtractDays(d).Add(time.Hour), 10))
	}
	for d := 2; d <= 11; d++ {
		all = append(all, spend("acme", "young", subtractDays(d).Add(time.Hour), 10))
	}
	all = append(
		all,
		spend("acme", "jumps", now.Add(-time.Hour), 16),
		spend("acme", "steady", now.Add(-time.Hour), 15),
		spend("acme", "young", now.Add(-23*time.Hour), 30),
		spend(
			"acme",
			"new",
			now.Add(-time.Hour),
			500,
		),
		spend("acme", "new", subtractDays(3), 1),
		spend("other", "unheard", now.Add(-time.Hour), 500),
		spend("acme", "jumps", subtractDays(40), 5000),
	)
	book(t, db, all...)
	list, err := costs(db, now).FindAnomalies(ctx, "", meter.AnomalyThresholdPct)
	require.NoError(t, err)
	require.Len(t, list, 2, "15 is not more than 50 %% above 10, and of what is new nothing is usual: %v", list)
	assert.Equal(t, meter.Anomaly{
		Tenant: "acme", Model: "jumps", Current: 16 * money.USD, Baseline: 10 * money.USD, DeviationPct: 60, ThresholdPct: 50, Detected: now,
	}, list[0])
	assert.Equal(t, "young", list[1].Model)
	list, err = costs(db, now).FindAnomalies(ctx, "acme", 10)
	require.NoError(t, err)
	assert.Len(t, list, 3)
	list, err = costs(db, now).FindAnomalies(ctx, "other", 10)
	require.NoError(t, err)
	assert.NotNil(t, list)
	assert.Empty(t, list)
}

// makeRecords are random exchanges of some tenants, keys and models in October.
func makeRecords(n int) []meter.Record {
	r := rand.New(rand.NewPCG(7, 7))
	all := make([]meter.Record, n)
	for i := range all {
		m := &all[i]
		*m = meter.Record{
			ExchangeID: fmt.Sprintf("%032x", i),
			Tenant:     fmt.Sprint("tenant-", r.IntN(4)),
			Provider:   []string{"openai", "anthropic"}[r.IntN(2)],
			Model:      []string{"gpt-4o-mini", "gpt-4o", "claude-sonnet-4-5", "claude-haiku-4-5"}[r.IntN(4)],
			PriceID:    "list",
			Counted:    true,
			Input:      r.Int64N(20000),
			Output:     r.Int64N(2000),
			At:         time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.Int64N(int64(31 * 24 * time.Hour)))),
			Priced:     r.IntN(100) > 0,
		}
		m.KeyID = fmt.Sprint(m.Tenant, "-key-", r.IntN(6))
		if m.Priced {
			m.InputCost = m.Input * 1500
			m.Cost = m.InputCost + m.Output*6000
		}
	}
	return all
}

func october(t testing.TB, db *store.DB, tenant string) *meter.ChargebackReport {
	t.Helper()
	from, to := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	r, err := costs(db, now).BuildReport(context.Background(), tenant, from, to, meter.AnomalyThresholdPct)
	require.NoError(t, err)
	r.ID, r.By = "rep_1", "ada@example.com"
	return r
}

func total(all []meter.Record, fits func(*meter.Record) bool) (sum money.Amount, n int64) {
	for i := range all {
		if fits(&all[i]) {
			sum += money.Amount(all[i].Cost)
			n++
		}
	}
	return sum, n
}

func TestEachSectionOfAReportAddsUpToTheTotal(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		all := makeRecords(2000)
		book(t, db, all...)
		_, err := db.Tenants().Upsert(ctx, store.Tenant{ID: "tenant-1", Name: "=Größe & Söhne", Status: "active", Source: store.SourceAPI})
		require.NoError(t, err)
		for _, tenant := range []string{"", "tenant-1"} {
			fits := func(m *meter.Record) bool { return tenant == "" || m.Tenant == tenant }
			want, n := total(all, fits)
			r := october(t, db, tenant)
			s := r.Sections
			assert.Equal(t, want, s.Total.Cost)
			assert.Equal(t, n, s.Total.Requests)
			assert.Equal(t, tenant == "", r.Tenant == nil)
			require.Len(t, s.Days, 31)
			sums := map[string]money.Amount{}
			for _, v := range s.Tenants {
				sums["tenants"] += v.Cost
				assert.Equal(t, v.Cost, v.InputCost+v.OutputCost)
				of, _ := total(all, func(m *meter.Record) bool { return m.Tenant == v.Tenant })
				assert.Equal(t, of, v.Cost)
			}
			for _, v := range s.Keys {
				sums["keys"] += v.Cost
				assert.Contains(t, v.Key, v.Tenant)
			}
			for _, v := range s.Models {
				sums["models"] += v.Cost
			}
			for _, v := range s.Providers {
				sums["providers"] += v.Cost
			}
			for _, v := range s.Days {
				sums["days"] += v.Cost
			}
			require.Len(t, sums, 5)
			for name, sum := range sums {
				assert.Equal(t, want, sum, name)
			}

			var flat, focus bytes.Buffer
			require.NoError(t, r.WriteCSV(&flat))
			rows, err := csv.NewReader(&flat).ReadAll()
			require.NoError(t, err)
			bySection := map[string]money.Amount{}
			for _, row := range rows[1:] {
				a, err := money.Parse(row[13])
				require.NoError(t, err)
				bySection[row[0]] += a
				assert.NotContains(t, []byte("=+-@"), append([]byte(row[3]), 'x')[0], "no cell is a formula")
			}
			require.Len(t, bySection, 6)
			for name, sum := range bySection {
				assert.Equal(t, want, sum, name)
			}

			require.NoError(t, costs(db, now).WriteFocus(ctx, &focus, tenant, r.From, r.To))
			rows, err = csv.NewReader(&focus).ReadAll()
			require.NoError(t, err)
			var billed money.Amount
			for _, row := range rows[1:] {
				a, err := money.Parse(row[0])
				require.NoError(t, err)
				billed += a
				assert.Equal(t, []string{"USD", "2026-11-01T00:00:00Z", "2026-10-01T00:00:00Z", "Usage"}, row[3:7])
			}
			assert.Equal(t, want, billed)
		}
	})
}

// What a report says is not rounded on its way through JSON, and the PDF is made of what is stored.
func TestAReportSurvivesJSONAndDrawsTheSame(t *testing.T) {
	db := storetest.Open(t, storetest.CreateSQLite(t))
	book(t, db, makeRecords(500)...)
	r := october(t, db, "")
	b, err := json.Marshal(r)
	require.NoError(t, err)
	var again meter.ChargebackReport
	require.NoError(t, json.Unmarshal(b, &again))
	assert.Equal(t, r, &again)
	one, err := r.FormatPDF()
	require.NoError(t, err)
	two, err := again.FormatPDF()
	require.NoError(t, err)
	assert.True(t, bytes.Equal(one, two))
}

func TestAReportOfNothingIsAReport(t *testing.T) {
	db := storetest.Open(t, storetest.CreateSQLite(t))
	r := october(t, db, "nobody")
	b, err := r.FormatPDF()
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(b, []byte("%PDF")))
	assert.Zero(t, r.Sections.Total.Cost)
	assert.NotNil(t, r.Sections.Keys)
}

func TestTheMonthlyUsageCountsRefusedCallsToo(t *testing.T) {
	db := storetest.Open(t, storetest.CreateSQLite(t))
	book(
		t,
		db,
		spend("acme", "m", subtractDays(1), 3),
		meter.Record{ExchangeID: "y", Tenant: "acme", Outcome: "blocked", Status: 403, At: subtractDays(2)},
		spend("other", "m", subtractDays(1), 1),
		spend("acme", "m", subtractDays(30), 1),
	)
	m, err := costs(db, now).ReadMonthlyUsage(context.Background(), "", now)
	require.NoError(t, err)
	assert.Equal(t, "2026-11", m.Month)
	assert.Equal(t, []any{int64(3), int64(2), 4 * money.USD}, []any{m.Calls, m.Requests, m.Cost})
	require.Len(t, m.Tenants, 2)
	assert.Equal(t, []any{"acme", int64(2), int64(1)}, []any{m.Tenants[0].Tenant, m.Tenants[0].Calls, m.Tenants[0].Requests})
	m, err = costs(db, now).ReadMonthlyUsage(context.Background(), "other", now)
	require.NoError(t, err)
	assert.EqualValues(t, 1, m.Calls)
}
