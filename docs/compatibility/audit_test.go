package compatibility

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/audit"
)

// earlierChain holds the exports of a chain of 28 records that commit 2cdf784b wrote, and its public key.
const earlierChain = "testdata/audit-1"

func readEarlierChain(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(earlierChain, file))
	require.NoError(t, err)
	return text
}

func TestAnAuditChainOfAnEarlierVersionVerifies(t *testing.T) {
	public, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(readEarlierChain(t, "public-key.txt"))))
	require.NoError(t, err)
	derived, err := audit.DerivePublicKey([]byte(auditKey))
	require.NoError(t, err)
	assert.Equal(t, ed25519.PublicKey(public), derived, "breaks the promise of audit records: a key has another public key")
	for _, file := range []string{"chain.json", "chain.csv"} {
		t.Run(file, func(t *testing.T) {
			text := readEarlierChain(t, file)
			for name, key := range map[string][]byte{"with the public key": nil, "with the audit key": []byte(auditKey)} {
				rep, err := audit.VerifyExport(bytes.NewReader(text), public, key)
				require.NoError(t, err, name)
				require.Len(t, rep.Chains, 1)
				assert.True(t, rep.Valid(), "breaks the promise of audit records, %s", name)
				c := rep.Chains[0]
				assert.Equal(t, []int64{28, 1, 28, 2, 1, 27}, []int64{c.Records, c.First, c.Last, c.Checkpoints, c.From, c.Through}, name)
				if key != nil {
					assert.EqualValues(t, 28, c.Authentic)
				}
			}
			for _, content := range []string{"exchange-c", "acme", "quoted", "2026-11-22T12:00:00.09"} {
				at := bytes.Index(text, []byte(content))
				require.Positive(t, at)
				changed := bytes.Clone(text)
				changed[at+len(content)-1] ^= 1
				rep, err := audit.VerifyExport(bytes.NewReader(changed), public, nil)
				assert.True(t, err != nil || !rep.Valid(), "a changed byte of %q is not noticed", content)
			}
		})
	}
}

func TestAuditEventsKeepTheirTypesAndFields(t *testing.T) {
	var exist []string
	for _, e := range audit.ListTypes() {
		exist = append(exist, e.Name)
		for _, f := range e.Fields {
			exist = append(exist, e.Name+"."+f.Name)
		}
	}
	requireKept(t, "Audit records and their chain", "audit-events.txt", exist)
}
