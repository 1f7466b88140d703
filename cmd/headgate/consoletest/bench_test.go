package consoletest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// loaded matches the files that a page loads.
var loaded = regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`)

// maxBytes is how many bytes a page may load in total, with an empty cache.
const maxBytes = 150_000

// BenchmarkAdminConsole times frequently used pages, over a database with 100,000 keys and the requested number of cost
// records: from the request to the last byte of the page's HTML.
func BenchmarkAdminConsole(b *testing.B) {
	dir, size := b.TempDir(), storetest.ReadSizes(b)
	size.End = time.Now().UTC()
	storetest.Seed(b, "sqlite:"+filepath.Join(dir, "headgate.db"), size)
	g := startIn(b, dir, "bench")
	jar, err := cookiejar.New(nil)
	require.NoError(b, err)
	client := &http.Client{Jar: jar, Timeout: patience, Transport: &http.Transport{DisableCompression: true}}
	res, err := client.PostForm(g.console+"/setup", url.Values{
		"code": {g.setupCode()}, "name": {"Bench"}, "email": {"bench@example.com"}, "password": {"a password for benchmarks"}, "again": {"a password for benchmarks"},
	})
	require.NoError(b, err)
	require.NoError(b, res.Body.Close())
	get := func(path string) (page []byte, err error) { // the bytes as they are sent
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, g.console+path, nil)
		require.NoError(b, err)
		req.Header.Set("Accept-Encoding", "gzip")
		res, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		page, err = io.ReadAll(res.Body)
		require.Equal(b, http.StatusOK, res.StatusCode, path)
		require.NoError(b, res.Body.Close())
		return page, err
	}
	shared := 0
	for _, path := range assets(b, get) {
		file, err := get(path)
		require.NoError(b, err)
		shared += len(file)
	}
	tenant := storetest.FormatTenantID(7)
	for _, path := range []string{
		"/", "/?span=day", "/?span=week", "/?span=week&tenant=" + tenant, "/requests", "/requests?outcome=blocked", "/requests?tenant=" + tenant,
		"/workspaces", "/workspaces/" + tenant, "/workspaces/" + tenant + "/keys/" + storetest.BuildKey(7, size.Tenants).ID,
		"/routes", "/models", "/providers", "/credentials", "/chain", "/plugins", "/policies", "/guardrail-plugins", "/audit", "/approvals",
		"/costs", "/costs?split=key", "/costs?split=workspace&compare=on", "/costs?tenant=" + tenant, "/costs/records", "/budgets", "/pricing",
		"/users", "/webhooks", "/fleet", "/license", "/license/usage", "/pii", "/audit/chains", "/audit/exports", "/compliance", "/try",
	} {
		b.Run(path, func(b *testing.B) {
			n := 0
			storetest.MeasureMedian(b, func() error {
				page, err := get(path)
				n = len(page)
				return err
			})
			b.ReportMetric(float64(n+shared)/1024, "KiB")
			require.LessOrEqual(b, n+shared, maxBytes)
		})
	}
}

// assets are the files that each page loads.
func assets(b *testing.B, get func(string) ([]byte, error)) (paths []string) {
	b.Helper()
	page, err := get("/")
	require.NoError(b, err)
	for _, m := range loaded.FindAllStringSubmatch(string(page), -1) {
		paths = append(paths, m[1])
	}
	require.NotEmpty(b, paths)
	return paths
}
