package plugintool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/core/server"
)

// Limits for requesting the status of a gateway.
const (
	statusTime = 10 * time.Second
	maxStatus  = 16 << 20
)

// listRunning lists the plugins of a running gateway.
func listRunning(c *cobra.Command, url string, asJSON bool) error {
	status, err := fetchStatus(c, url)
	if err != nil {
		return err
	}
	if asJSON {
		return cli.PrintJSON(c.OutOrStdout(), status.Plugins)
	}
	var b strings.Builder
	if len(status.Plugins) == 0 {
		b.WriteString("no plugin is in force\n")
	}
	for i := range status.Plugins {
		writePlugin(&b, &status.Plugins[i])
	}
	_, err = io.WriteString(c.OutOrStdout(), b.String())
	return err
}

func fetchStatus(c *cobra.Command, url string) (*server.Status, error) {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return nil, errors.New("--url must start with http:// or https://")
	}
	r, err := http.NewRequestWithContext(c.Context(), http.MethodGet, strings.TrimRight(url, "/")+"/status", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	if key := cmp.Or(os.Getenv("HEADGATE_DEV_KEY"), os.Getenv("HEADGATE_ADMIN_TOKEN")); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	client := &http.Client{Timeout: statusTime}
	res, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask the gateway: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // the body was only read
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask the gateway: /status answers %s", res.Status)
	}
	s := new(server.Status)
	if err := json.NewDecoder(io.LimitReader(res.Body, maxStatus)).Decode(s); err != nil {
		return nil, fmt.Errorf("the answer of /status is not that of a gateway: %w", err)
	}
	if s.Version == "" { // unauthenticated clients get only the status
		return nil, errors.New("the gateway shows its plugins only with a key: set HEADGATE_DEV_KEY to a gateway key, or HEADGATE_ADMIN_TOKEN to a personal access token")
	}
	return s, nil
}

func writePlugin(b *strings.Builder, p *server.Plugin) {
	if s := p.Process; s != nil {
		fmt.Fprintf(b, "%-28s %-8s %s, a process, sha256 %s\n", p.File, s.State, strings.TrimSpace(p.Name+" "+s.Version), p.Digest)
		fmt.Fprintf(b, "  calls %d, faults %s, busy %d ms, restarts %d\n", s.Calls, formatCounts(s.Faults), s.BusyMs, s.Restarts)
		return
	}
	what := ""
	if p.Name != "" {
		what = strings.TrimSpace(p.Name+" "+p.Version) + ", "
	}
	fmt.Fprintf(b, "%-28s %-8s %strust %s, sha256 %s\n", p.File, p.State, what, p.Trust, nameOrNone(p.Digest, "none"))
	if p.Name != "" {
		fmt.Fprintf(
			b,
			"  calls %d, findings %d, faults %s, mean %.1f µs, memory %.1f MiB in %s%s\n",
			p.Calls,
			p.Findings,
			formatCounts(p.Faults),
			p.MeanMicros,
			float64(p.MemoryBytes)/(1<<20),
			formatInstances(p.Instances),
			addPrefix(", ", describeService(p)),
		)
	}
	for _, l := range p.Links {
		fmt.Fprintf(b, "  link %s: memory %.1f MiB in %s%s\n", l.Link, float64(l.MemoryBytes)/(1<<20), formatInstances(l.Instances),
			addPrefix(", shared with ", strings.Join(l.SharedWith, ", ")))
	}
	if p.Reason != "" {
		fmt.Fprintf(b, "  %s\n", p.Reason)
	}
	k := p.Candidate
	if k == nil {
		return
	}
	fmt.Fprintf(
		b,
		"  candidate %s, %s, since %s, sha256 %s\n",
		nameOrNone(k.Version, "without a version"),
		k.State,
		k.Since.Format(time.RFC3339),
		k.Digest,
	)
	fmt.Fprintf(b, "    %d of %d verdicts agree, differing %s, faults %s, skipped %d, mean %.1f µs beside %.1f µs\n",
		k.Agreed, k.Calls, formatCounts(k.Diverged), formatCounts(k.Faults), k.Skipped, k.MeanMicros, k.LiveMeanMicros)
}

func formatInstances(n int) string {
	if n == 1 {
		return "1 instance"
	}
	return fmt.Sprintf("%d instances", n)
}

func describeService(p *server.Plugin) string {
	if p.OutOfService {
		return "out of service"
	}
	return ""
}

// formatCounts formats counts by name.
func formatCounts[N int64 | uint64](counts map[string]N) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
		}
	}
	return nameOrNone(strings.Join(parts, " "), "0")
}
