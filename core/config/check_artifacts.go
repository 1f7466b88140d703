package config

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	// artifactReference is a plugin in a registry, named by digest: host, repository, digest.
	artifactReference = regexp.MustCompile(`^oci://([A-Za-z0-9.-]+(?::[0-9]+)?|\[[0-9a-fA-F:]+\](?::[0-9]+)?)/[a-z0-9]+(?:[._/-]+[a-z0-9]+)*@sha256:[0-9a-f]{64}$`)
	// moduleFile is the name of a module in the plugins folder.
	moduleFile = regexp.MustCompile(`^[^./\s\x00-\x1f][^/\x00-\x1f]*\.wasm$`)
	// moduleVersion starts with a number, so that versions have an order.
	moduleVersion = regexp.MustCompile(`^[0-9]+(\.[0-9A-Za-z.-]+)?$`)
)

// checkArtifacts checks the plugins that are pulled from registries, and the lowest versions.
func checkArtifacts(c *checker, p *Plugins) {
	hosts := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(p.Artifacts)) {
		path := "plugins.artifacts." + file
		if !moduleFile.MatchString(file) {
			c.addProblem(path, "is not the name of a module in the plugins folder", "write a file name such as guard.wasm")
			continue
		}
		ref := p.Artifacts[file]
		found := artifactReference.FindStringSubmatch(ref)
		switch {
		case found != nil:
			hosts[found[1]] = true
		case strings.HasPrefix(ref, "oci://") && !strings.Contains(ref, "@sha256:"):
			c.addProblem(path, "names no digest, so that its content may change", "write the reference that headgate plugin push printed: oci://…@sha256:…")
		default:
			c.addProblem(path, "is not a reference with a digest", "write oci://registry.example.com/plugins/name@sha256:…")
		}
	}
	checkCosignKeys(c, p)
	for _, host := range slices.Sorted(maps.Keys(p.Registries)) {
		r, path := p.Registries[host], "plugins.registries."+host
		if !hosts[host] {
			c.addWarning(path, "has no effect: no reference in plugins.artifacts names that host", "remove it, or write host:port as in the references")
		}
		if (r.User == "") != (r.Password == "") {
			c.addProblem(path, "has a user without a password, or a password without a user", "write both, or neither")
		}
	}
	for _, file := range slices.Sorted(maps.Keys(p.MinVersions)) {
		path := "plugins.min_versions." + file
		switch version := p.MinVersions[file]; {
		case !moduleFile.MatchString(file):
			c.addProblem(path, "is not the name of a module in the plugins folder", "write a file name such as guard.wasm")
		case !moduleVersion.MatchString(version):
			c.addProblem(path, fmt.Sprintf("%q is not a version", version), "write MAJOR.MINOR.PATCH, such as 1.2.0")
		}
	}
}

// checkCosignKeys checks the public keys by which artifacts must be signed.
func checkCosignKeys(c *checker, p *Plugins) {
	for i, text := range p.CosignKeys {
		path := appendIndex("plugins.cosign_keys", i)
		block, rest := pem.Decode([]byte(strings.TrimSpace(text)))
		if block == nil || block.Type != "PUBLIC KEY" || len(bytes.TrimSpace(rest)) > 0 { // as oci.ParseCosignKey has it
			c.addProblem(path, "is not one public key in PEM", "write the content of cosign.pub as a block (|)")
			continue
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		if key, ok := parsed.(*ecdsa.PublicKey); err != nil || !ok || key.Curve != elliptic.P256() {
			c.addProblem(path, "is not an ECDSA key on P-256", "write a key that cosign generate-key-pair has made; keyless signatures are not supported")
		}
	}
	if len(p.CosignKeys) > 0 && len(p.Artifacts) == 0 {
		c.addWarning("plugins.cosign_keys", "have no effect: plugins.artifacts names no artifact", "remove them, or name one")
	}
}
