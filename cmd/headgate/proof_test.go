package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnExportIsVerifiedWithThePublicKeyAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	for range 3 {
		require.NoError(t, g.client(testKey).checkEcho("mock-echo", "write to ann@example.com"))
	}
	g.stop()
	key := strings.TrimSpace(s.run("audit", "key", "--config", "gateway.yaml").out)
	assert.Len(t, key, 44)
	for _, form := range []string{"json", "csv"} {
		file := "events." + form
		f := s.run("audit", "export", "--config", "gateway.yaml", "--format", form, "-o", file)
		require.Zero(t, f.code, f.err)
		elsewhere := newSite(t) // without the database
		text, err := os.ReadFile(s.path(file))
		require.NoError(t, err)
		assert.NotContains(t, string(text), "ann@example.com")
		assert.Contains(t, string(text), "PII_REDACTED")
		elsewhere.copy(file, text)
		f = elsewhere.run("audit", "verify", "--file", file, "--public-key", key, "--complete")
		assert.Zero(t, f.code, f.err)
		assert.Regexp(t, `1 to \d+ are proven by signed checkpoints`, f.out)
		elsewhere.copy(file, []byte(strings.Replace(string(text), "mock-echo", "mock-else", 1)))
		f = elsewhere.run("audit", "verify", "--file", file, "--public-key", key)
		assert.Equal(t, 1, f.code)
		assert.Contains(t, f.out, "does NOT hold")
		f = s.run("audit", "verify", "--config", "gateway.yaml", "--file", file)
		assert.Zero(t, f.code, f.out, "with the key of the database")
	}
	f := s.run("audit", "export", "--config", "gateway.yaml", "--from", "yesterday")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "--from: write a date")
	f = s.run("audit", "verify", "--file", "events.csv", "--public-key", "nonsense")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "44 characters")
}

func TestADevelopmentLicenceIsMadeAndTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	require.Zero(t, s.run("migrate", "up", "--config", "gateway.yaml").code)
	f := s.run("license", "show", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Regexp(t, `posture +DEVELOPMENT\nstatus +NONE`, f.out)
	assert.Regexp(t, `tenants +\d of 3\ngoverned calls +0 of 100000`, f.out)

	f = s.run("license", "create-dev", "--licensee", "Acme", "--days", "40")
	require.Zero(t, f.code, f.err)
	key := regexp.MustCompile(`keys: \["(.{44})"\]`).FindStringSubmatch(f.out)
	require.Len(t, key, 2, f.out)
	info, err := os.Stat(s.path("licence-dev.key"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	f = s.run("license", "verify", "headgate.licence", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "license.keys")
	keys := "license.keys=[" + key[1] + "]"
	f = s.run("license", "verify", "headgate.licence", "--config", "gateway.yaml", "--set", keys)
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "of Acme, TRIAL")
	f = s.run("license", "set", "headgate.licence", "--config", "gateway.yaml", "--set", keys)
	require.Zero(t, f.code, f.err)
	assert.Regexp(t, `posture +PRODUCTION\nstatus +VALID\nlicensee +Acme`, f.out)
	f = s.run("audit", "export", "--config", "gateway.yaml", "--type", "LICENSE_TRANSITION")
	assert.Equal(t, 1, strings.Count(f.out, `"to":"VALID"`), f.out)

	require.Zero(t, s.run("license", "create-dev", "--days", "-20", "-o", "old.licence").code)
	f = s.run("license", "show", "--config", "gateway.yaml", "--set", keys, "--set", "license.file=old.licence")
	require.Zero(t, f.code, f.err)
	assert.Regexp(t, `status +DEGRADED`, f.out)
	assert.Regexp(t, `features +reports\n`, f.out)
	f = s.run("license", "set", "headgate.licence", "--config", "gateway.yaml", "--set", keys, "--set", "license.file=old.licence")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "change it there")
	f = s.run("license", "set", filepath.Base(s.path("gateway.yaml")), "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "licence: its first line is not")
}
