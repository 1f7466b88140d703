package license

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
)

// releaseKeys are the public keys that licences of this build are signed with, Base64, separated by commas. Who makes
// a release sets it: -ldflags "-X github.com/headgate-dev/headgate/core/records/license.releaseKeys=…". A build without any
// takes licences of the keys of its configuration alone.
var releaseKeys string

// ReleaseKeys are the public keys of this build.
func ReleaseKeys() []ed25519.PublicKey {
	var keys []ed25519.PublicKey
	for text := range strings.SplitSeq(releaseKeys, ",") {
		if raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err == nil && len(raw) == ed25519.PublicKeySize {
			keys = append(keys, raw)
		}
	}
	return keys
}
