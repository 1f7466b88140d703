package config

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// checkConsolePort refuses a console on the address of the administrative API, which a gateway alone serves.
func (c *checker) checkConsolePort() {
	a := c.cfg.Admin.Listen
	if a != "" && a == c.cfg.Console.Listen && !strings.HasSuffix(a, ":0") && c.cfg.Role != RoleConsole {
		c.addProblem("console.listen", "is the same address as admin.listen", "write another port for one of them")
	}
}

func (c *checker) checkConsole() {
	o := &c.cfg.Console
	if c.cfg.Role == RoleConsole {
		if o.Listen == ConsoleOff {
			c.addProblem("console.listen", "is off, and the role is console", "write an address, such as 127.0.0.1:8090")
		}
		if strings.HasPrefix(c.cfg.Store.URL, "sqlite::memory:") {
			c.addProblem("store.url", "is in memory, but the role console needs the database of a gateway", "write the store.url of the gateways")
		}
	}
	if o.Listen != "" && o.Listen != ConsoleOff {
		if _, _, err := net.SplitHostPort(o.Listen); err != nil {
			shown := c.quoteValue("console.listen", o.Listen)
			c.addProblem("console.listen", shown+" is not an address", "write host:port, such as 127.0.0.1:8090, or off")
		}
	}
	c.checkConsolePort()
	if (o.TLS.CertFile == "") != (o.TLS.KeyFile == "") {
		c.addProblem(
			"console.tls",
			"has a certificate without a key, or a key without a certificate",
			"write both cert_file and key_file, or neither",
		)
	}
	for _, text := range c.cfg.Server.TrustedProxies {
		_, err := netip.ParsePrefix(text)
		if _, wrong := netip.ParseAddr(text); err != nil && wrong != nil {
			c.addProblem(
				"server.trusted_proxies",
				c.quoteValue("server.trusted_proxies", text)+" is neither an address nor a network",
				"write the address of the proxy, or a network such as 10.0.0.0/8",
			)
		}
	}
	if o.URL != "" {
		u, err := url.Parse(o.URL)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil ||
			u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/":
			c.addProblem(
				"console.url",
				c.quoteValue("console.url", o.URL)+" is not an address of a console",
				"write scheme and host alone, such as https://headgate.example.com",
			)
		case u.Scheme == "http" && !isLoopback(u.Hostname()):
			c.addWarning("console.url", "is plain http: sessions travel unencrypted", "write https, and let a proxy or console.tls speak it")
		}
	}
	if o.Listen != "" && o.Listen != ConsoleOff && c.isOpenAddress(o.Listen) && o.URL == "" {
		c.addProblem(
			"console.url",
			"is not set, and console.listen is open to other machines",
			"write the address under which browsers reach the console, such as https://headgate.example.com",
		)
	}
}
