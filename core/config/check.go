package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// checker checks the decoded configuration as a whole.
type checker struct {
	*report
	cfg     *Config
	known   Known
	origins map[string]origin
	root    place
}

func (c *checker) checkAll() {
	c.checkServer()
	c.checkFleet()
	c.checkStores()
	c.checkProviders()
	c.checkRoutes()
	c.checkRouting()
	c.checkMCPServers()
	c.checkVirtualServers()
	c.checkAgents()
	c.checkTenants()
	c.checkPlugins()
	c.checkChain()
	c.checkPolicies()
	c.checkPricing()
	c.checkBudgets()
	c.checkCapture()
	c.checkTelemetry()
	c.checkAdmin()
	c.checkConsole()
}

// findPlace returns the place of a key, or of the nearest enclosing value that was written.
func (c *checker) findPlace(path string) place {
	for path != "" {
		if o, ok := c.origins[path]; ok {
			return o.at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return c.root
}

func (c *checker) addProblem(path, message, hint string) {
	c.reportProblem(c.findPlace(path), path, message, hint)
}

func (c *checker) addWarning(path, message, hint string) {
	c.warn(c.findPlace(path), path, message, hint)
}

func (c *checker) isWritten(path string) bool { _, ok := c.origins[path]; return ok }

// quoteValue quotes the value at a path, unless it contains a variable.
func (c *checker) quoteValue(path, text string) string {
	if o := c.origins[path]; o.from != "" {
		return "the value of ${" + o.from + "}"
	}
	return quoteText(text)
}

func (c *checker) checkServer() {
	s := c.cfg.Server
	if s.Listen == "" {
		c.addProblem("server.listen", "is empty", "write listen: 127.0.0.1:8080")
	} else {
		c.checkAddress("server.listen", s.Listen)
	}
	seen := map[string]string{s.Listen: "server.listen"}
	for _, more := range []struct{ path, address string }{
		{"server.metrics_listen", s.MetricsListen}, {"server.pprof_listen", s.PprofListen}, {"admin.listen", c.cfg.Admin.Listen},
	} {
		if more.address == "" {
			continue
		}
		c.checkAddress(more.path, more.address)
		first, taken := seen[more.address]
		if taken && !strings.HasSuffix(more.address, ":0") {
			instead := `"" to turn it off`
			if more.path == "admin.listen" {
				instead = `"" to serve the API on server.listen`
			}
			c.addProblem(more.path, "is the same address as "+first, "write another port, or "+instead)
		}
		seen[more.address] = more.path
	}
	if s.PprofListen != "" && !isLoopback(parseHost(s.PprofListen)) {
		c.addWarning("server.pprof_listen", "shows profiles to other machines", "write an address of 127.0.0.1")
	}
	if (s.TLS.CertFile == "") != (s.TLS.KeyFile == "") {
		c.addProblem("server.tls", "needs both cert_file and key_file", "write both, or neither")
	}
}

// checkAddress checks host:port. The host may be omitted.
func (c *checker) checkAddress(path, text string) {
	key := path[strings.LastIndex(path, ".")+1:]
	host, port, err := net.SplitHostPort(text)
	_, portErr := strconv.ParseUint(port, 10, 16)
	if err == nil && portErr == nil && (host == "" || hostPattern.MatchString(host)) {
		return
	}
	hint := "write " + key + ": 127.0.0.1:8080"
	if _, err := strconv.ParseUint(text, 10, 16); err == nil {
		hint = "write " + key + ": 127.0.0.1:" + text
	}
	c.addProblem(path, "is not an address", hint)
}

// hostPattern matches names and addresses, including IPv6 with a zone.
var hostPattern = regexp.MustCompile(`^[A-Za-z0-9._:%-]+$`)

func parseHost(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	return host
}

// isLoopback reports whether only this machine can reach a host.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}

func (c *checker) checkStores() {
	c.checkStoreURL()
	c.checkStateURL()
	if (c.cfg.Region.ID == "") && c.cfg.Region.Name != "" {
		c.addProblem("region", "has a name and no id", "write id: eu-central")
	}
	if age := c.cfg.Audit.UsageRetention; age > 0 && age < usageKeptLeast {
		c.addProblem("audit.usage_retention", "is less than 2 days", "write 48h or more, or 0s to keep all")
	}
}

// usageKeptLeast is the shortest retention of usage records: they are removed by whole days, and anomalies compare with the
// last one. Reports look back further, at sums.
const usageKeptLeast = 48 * time.Hour

// checkStoreURL checks the database address. It may hold a password, so it is never shown.
func (c *checker) checkStoreURL() {
	const path, write = "store.url", `write url: "sqlite:headgate.db" or url: "postgres://user:password@host:5432/database?sslmode=verify-full"`
	scheme, name, _ := strings.Cut(c.cfg.Store.URL, ":")
	switch scheme {
	case "sqlite":
		if name == "" {
			c.addProblem(path, "names no file", `write url: "sqlite:headgate.db"`)
		}
	case "postgres", "postgresql":
		u, err := url.Parse(c.cfg.Store.URL)
		switch {
		case err != nil:
			c.addProblem(path, "is not a URL", write)
		case u.Host == "" && u.Query().Get("host") == "":
			c.addProblem(path, "names no host", write)
		case strings.Trim(u.Path, "/") == "" && u.Query().Get("dbname") == "":
			c.addProblem(path, "names no database", write)
		case u.Host != "" && !isLoopback(u.Hostname()) && !strings.HasPrefix(u.Query().Get("sslmode"), "verify-"):
			c.addWarning(path, "does not verify the server's certificate", "add sslmode=verify-full")
		}
	default:
		c.addProblem(path, "has an unsupported URL scheme", write)
	}
}

// checkStateURL checks the address of the state store. It may hold a password, so it is never shown.
func (c *checker) checkStateURL() {
	const path, write = "state.url", `write url: "memory:" or url: "redis://host:6379/0"`
	u, err := url.Parse(c.cfg.State.URL)
	switch {
	case err != nil:
		c.addProblem(path, "is not a URL", write)
	case u.Scheme == "memory":
	case u.Scheme != "redis" && u.Scheme != "rediss":
		c.addProblem(path, "has an unsupported URL scheme", write)
	case u.Hostname() == "":
		c.addProblem(path, "names no host", write)
	case !isNumberInRange(u.Port(), 1, 65535):
		c.addProblem(path, "has an invalid port", write)
	case !isNumberInRange(strings.Trim(u.Path, "/"), 0, 1<<15):
		c.addProblem(path, "has a database that is not a number", write)
	case u.Scheme == "redis" && !isLoopback(u.Hostname()) && u.User != nil:
		c.addWarning(path, "sends the password unencrypted to another machine", "write rediss://")
	}
}

// isNumberInRange reports whether a text is empty or a number within bounds.
func isNumberInRange(text string, low, high int) bool {
	n, err := strconv.Atoi(text)
	return text == "" || err == nil && n >= low && n <= high
}

// checkBaseURL checks a provider's address, and warns if a key would be sent unencrypted.
func (c *checker) checkBaseURL(path, text string) {
	const write = "write base_url: https://host or https://host/path"
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "" || u.Scheme != "http" && u.Scheme != "https":
		c.addProblem(path, "is not an http or https URL", write)
	case u.User != nil:
		c.addProblem(path, "contains a user or password", "write the credential as api_key or in headers")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		c.addProblem(path, "contains a query or a fragment", write)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		c.addWarning(path, "is plain http to another machine: prompts and the api_key travel unencrypted", "write https://")
	}
	if err == nil && u.Port() != "" {
		if _, err := strconv.ParseUint(u.Port(), 10, 16); err != nil {
			c.addProblem(path, "has a port out of range", write)
		}
	}
}

// identifier matches names of providers, tenants and links.
var identifier = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// checkID checks a name that other keys and addresses refer to.
func (c *checker) checkID(path, text string) {
	if !identifier.MatchString(text) {
		c.addProblem(path, "is not a name", "use letters, digits, dot, dash and underscore, at most 128, beginning with a letter or digit")
	}
}

// checkUnique reports the second of two equal values.
func (c *checker) checkUnique(seen map[string]string, text, path, what, hint string) {
	if first, ok := seen[text]; ok {
		c.addProblem(path, fmt.Sprintf("%s %s is already used by %s", what, c.quoteValue(path, text), first), hint)
		return
	}
	seen[text] = path
}
