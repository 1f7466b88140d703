package webhook_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

// The vector is in README.md too, for those who write a receiver.
func TestTheSignatureIsThatOfTheReadme(t *testing.T) {
	const (
		nonce = "00112233445566778899aabbccddeeff"
		body  = `{"version":1,"action":"pass"}`
	)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for d, want := range map[webhook.Direction]string{
		webhook.Call:  webhook.Sign(secret, webhook.Call, 1767225600, nonce, []byte(body)),
		webhook.Reply: webhook.Sign(secret, webhook.Reply, 1767225600, nonce, []byte(body)),
	} {
		assert.Contains(t, string(readme), want, "%s", d)
		assert.True(t, webhook.Matches(secret, d, 1767225600, nonce, []byte(body), want))
		assert.True(t, webhook.Matches(secret, d, 1767225600, nonce, []byte(body), strings.ToUpper(want)))
		assert.False(
			t,
			webhook.Matches("", d, 1767225600, nonce, []byte(body), webhook.Sign("", d, 1767225600, nonce, []byte(body))),
			"no secret matches nothing",
		)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "node is not installed")
		t.Skip("node is not installed")
	}
	script := `import {sign} from './node/webhook.js'; process.stdout.write(sign('` + secret + `','call',1767225600,'` + nonce + `','` + body + `'))`
	got, err := exec.Command(node, "--input-type=module", "-e", script).Output()
	require.NoError(t, err)
	assert.Equal(t, webhook.Sign(secret, webhook.Call, 1767225600, nonce, []byte(body)), string(got))
}

func TestNoncesAreKeptAsLongAsTheyCouldBeUsed(t *testing.T) {
	now := time.Unix(1767225600, 0)
	v := &webhook.Verifier{Secrets: []string{secret}, Window: time.Minute, Now: func() time.Time { return now }}
	body := []byte("{}")
	verify := func(at time.Time, n int) error {
		nonce := strings.Repeat("0", 29) + strconv.Itoa(100+n)
		h := http.Header{}
		h.Set(webhook.HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
		h.Set(webhook.HeaderNonce, nonce)
		h.Set(webhook.HeaderSignature, webhook.Sign(secret, webhook.Call, at.Unix(), nonce, body))
		_, err := v.Verify(h, bytes.Clone(body))
		return err
	}
	ahead := now.Add(time.Minute) // good for two minutes from now
	require.NoError(t, verify(ahead, 0))
	for i := range 24 {
		now = now.Add(5 * time.Second)
		require.ErrorIs(t, verify(ahead, 0), webhook.ErrReplayed, "after %s", 5*time.Second*time.Duration(i+1))
		require.NoError(t, verify(now, i+1))
	}
	now = now.Add(time.Second)
	require.ErrorIs(t, verify(ahead, 0), webhook.ErrTime)
}
