package meter_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// BenchmarkAdminCosts times what is asked about costs, on SQLite.
func BenchmarkAdminCosts(b *testing.B) {
	ctx := context.Background()
	url, size := storetest.CreateSQLite(b), storetest.ReadSizes(b)
	began := time.Now()
	storetest.Seed(b, url, size)
	b.Logf("%d records were written in %v", size.Costs, time.Since(began).Round(time.Second))
	db := storetest.Open(b, url)
	now := storetest.SeedEnd.Add(time.Second)
	c := costs(db, now)
	cut := now.Add(-41*24*time.Hour - 17*time.Minute - 3*time.Second)
	for _, q := range []struct {
		name string
		ask  func() error
	}{
		{"summary of all", func() error { _, err := c.Summarize(ctx, meter.CostFilter{}); return err }},
		{"summary of a span that cuts hours", func() error {
			_, err := c.Summarize(ctx, meter.CostFilter{From: cut, To: now.Add(-1234 * time.Second)})
			return err
		}},
		{"summary of a tenant and a model", func() error {
			_, err := c.Summarize(ctx, meter.CostFilter{Tenant: storetest.FormatTenantID(7), Model: "gpt-4o", From: cut})
			return err
		}},
		{"forecast", func() error { _, err := c.Forecast(ctx, "", 7); return err }},
		{"anomalies", func() error { _, err := c.FindAnomalies(ctx, "", 50); return err }},
		{"page of 50 records", func() error { return page(ctx, db, meter.CostFilter{}) }},
		{"page of 50 of a tenant", func() error { return page(ctx, db, meter.CostFilter{Tenant: storetest.FormatTenantID(7)}) }},
		{"page of 50 of a key", func() error { return page(ctx, db, meter.CostFilter{Key: storetest.BuildKey(7, size.Tenants).ID}) }},
		{"month", func() error { _, err := c.ReadMonthlyUsage(ctx, "", now); return err }},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				if err := q.ask(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size.Costs), "records")
		})
	}
}

func page(ctx context.Context, db *store.DB, f meter.CostFilter) error {
	for _, err := range db.Usage().ListCosts(ctx, f, nil, 50) {
		if err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkAdminChargebackPDF draws a report of fifty pages.
func BenchmarkAdminChargebackPDF(b *testing.B) {
	db := storetest.Open(b, storetest.CreateSQLite(b))
	book(b, db, makeRecords(2000)...)
	r := october(b, db, "")
	for i := range 2000 - len(r.Sections.Keys) {
		k := r.Sections.Keys[i%24]
		k.Key = fmt.Sprint(k.Key, "-", i)
		r.Sections.Keys = append(r.Sections.Keys, k)
	}
	size := 0
	for b.Loop() {
		pdf, err := r.FormatPDF()
		if err != nil {
			b.Fatal(err)
		}
		size = len(pdf)
	}
	b.ReportMetric(float64(size), "bytes")
}
