package foreign

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHeadersThatMayHoldACredentialAreSecret(t *testing.T) {
	for name, secret := range map[string]bool{
		"Authorization": true, "cookie": true, "X-Vendor-Key": true, "X-Auth-Token": true,
		"Apikey": true, "X-ApiKey": true, "X-Goog-Iap-Jwt-Assertion": true, "Cf-Access-Jwt-Assertion": true, "X-Amzn-Oidc-Data": true,
		"X-Amzn-Oidc-Identity": true, "X-Original-Auth": true, "X-Db-Password": true, "X-Session-Id": true, "X-Credential": true,
		"X-Plan": false, "User-Agent": false, "X-Keyboard": false, "Accept": false,
	} {
		assert.Equal(t, secret, IsSecretHeader(name), name)
	}
}
