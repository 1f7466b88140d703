package license

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
)

// releaseKeys are the public keys that verify licences in this build, in Base64, separated by commas. A release sets
// them with -ldflags "-X github.com/headgate-dev/headgate/core/records/license.releaseKeys=…". A build without them
// accepts only licences signed by keys in its configuration.
var releaseKeys string

// ListReleaseKeys returns the public keys of this build.
func ListReleaseKeys() []ed25519.PublicKey {
	var keys []ed25519.PublicKey
	for text := range strings.SplitSeq(releaseKeys, ",") {
		if raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err == nil && len(raw) == ed25519.PublicKeySize {
			keys = append(keys, raw)
		}
	}
	return keys
}
