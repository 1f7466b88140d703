package config

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Lengths of a minisign public key: algorithm, key id and the Ed25519 key.
const (
	keyKind  = "Ed"
	keyBytes = len(keyKind) + 8 + 32
)

// checkTrustedKeys checks the settings that decide which modules are loaded.
func (c *checker) checkTrustedKeys(p *Plugins) {
	if p.Trust == TrustSigned && len(p.Keys) == 0 {
		c.addProblem(
			"plugins.trust",
			"is signed, but plugins.keys lists no public key",
			"write keys: [RW…], with what headgate plugin keygen printed",
		)
	}
	if p.Trust != TrustSigned && len(p.Keys) > 0 && p.Trust != "" {
		c.addWarning("plugins.keys", "have no effect, because plugins.trust is "+string(p.Trust), "write trust: signed")
	}
	seen := map[string]string{}
	for i, key := range p.Keys {
		path := appendIndex("plugins.keys", i)
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(key))
		switch {
		case strings.Contains(key, "\n"):
			c.addProblem(path, "has more than one line", "write only the line of the public key that starts with RW")
		case err != nil || len(raw) != keyBytes || string(raw[:2]) != keyKind:
			c.addProblem(
				path,
				"is not a public key of minisign's format",
				fmt.Sprintf("write the %d characters that start with RW", base64.StdEncoding.EncodedLen(keyBytes)),
			)
		default:
			c.checkUnique(seen, fmt.Sprintf("%016X", binary.LittleEndian.Uint64(raw[len(keyKind):])), path, "the key", "remove one of them")
		}
	}
	checkUpstreams(c, p)
	checkArtifacts(c, p)
	if d := p.Candidate.MaxDivergence; d < 0 || d > 1 {
		c.addProblem("plugins.candidate.max_divergence", "is not a share from 0 to 1", "write max_divergence: 0.001 for one call in a thousand")
	}
}

// checkUpstreams checks the services that plugins may call, and that links grant only those.
func checkUpstreams(c *checker, p *Plugins) {
	for _, name := range slices.Sorted(maps.Keys(p.Upstreams)) {
		u, path := p.Upstreams[name], "plugins.upstreams."+name
		switch {
		case (u.URL == "") == (len(u.Models) == 0):
			c.addProblem(path, "must name either a URL or models", "write url: https://…, or models: [name]")
		case len(u.Models) > 0 && (u.Token != "" || u.AllowPrivate || u.CAFile != ""):
			c.addProblem(path, "calls models of this gateway, which need neither token nor address", "remove token, allow_private and ca_file")
		}
		if len(name) > 64 {
			c.addProblem(path, "has a name of more than 64 bytes", "choose a shorter one")
		}
		c.checkTexts(path+".models", u.Models, "a model's name")
	}
	for i := range c.cfg.Chain {
		path := appendIndex("chain", i) + ".grant.upstreams"
		for k, name := range c.cfg.Chain[i].Grant.Upstreams {
			u, ok := p.Upstreams[name]
			switch {
			case !ok:
				c.addProblem(appendIndex(path, k), fmt.Sprintf("%q is not in plugins.upstreams", name), "describe it there, or remove it")
			case len(u.Models) > 0 && c.cfg.Chain[i].Plugins != "":
				c.addProblem(
					appendIndex(path, k),
					fmt.Sprintf("%q calls models of this gateway, so a plugin with the role budget would count its own calls", name),
					"name the module that may call it in a separate link, with wasm: file.wasm",
				)
			}
		}
	}
}
