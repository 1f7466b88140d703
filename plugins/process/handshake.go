package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// maxHandshake is the length of the longest first line in bytes. It has room for a certificate.
const maxHandshake = 16 << 10

// coreProtocol is the version of go-plugin's own handshake.
const coreProtocol = "1"

// minCertificate is the minimum length of a certificate in base64: go-plugin's clients ignore shorter ones.
const minCertificate = 51

// checkGreeting checks the first line of a plugin: 1|1|unix|<path>|grpc|<certificate>. Its errors use fixed words,
// because the line could contain anything.
func (c *child) checkGreeting(line string) *Error {
	p, parts := c.p, strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 5 {
		return p.newFault(
			OutcomeHandshake,
			"the plugin's first line is not a handshake; a plugin prints 1|%d|unix|<socket>|grpc|<certificate> before anything else",
			pb.Version,
		)
	}
	version, err := strconv.Atoi(parts[1])
	switch {
	case parts[0] != coreProtocol:
		return p.newFault(OutcomeVersion, "the plugin's handshake is not of version %s; build it with a matching SDK", coreProtocol)
	case err != nil:
		return p.newFault(OutcomeHandshake, "the plugin's handshake names no version of the protocol")
	case version != pb.Version:
		return p.newFault(
			OutcomeVersion,
			"the plugin speaks version %d of the plugin protocol, and this gateway version %d; build it with a matching SDK",
			version,
			pb.Version,
		)
	case parts[4] != "grpc":
		return p.newFault(OutcomeHandshake, "the plugin does not offer grpc")
	case parts[2] != "unix" || !filepath.IsAbs(parts[3]):
		return p.newFault(OutcomeHandshake, "the plugin listens on something that is not a unix socket; write its absolute path")
	}
	secured := len(parts) > 5 && len(parts[5]) >= minCertificate
	switch {
	case !secured && !p.spec.Plaintext:
		return p.newFault(
			OutcomeHandshake,
			"the plugin presents no certificate, so any program could impersonate it; a plugin that does not support TLS needs plaintext: true on its link",
		)
	case secured && p.spec.Plaintext:
		return p.newFault(OutcomeHandshake, "the plugin presents a certificate, but the link says plaintext: true; remove that")
	case !secured && !isPrivateSocket(parts[3]):
		return p.newFault(OutcomeHandshake, "the plugin's socket is open to other users; a plugin without TLS must create it with mode 0600")
	}
	return nil
}

// isPrivateSocket reports whether the path is a socket of this user that no other user may connect to.
func isPrivateSocket(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket && info.Mode().Perm()&0o077 == 0 && isOwned(info)
}
