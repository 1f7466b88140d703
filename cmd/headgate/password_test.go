package main_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const passwordVar = "HEADGATE_ENCRYPTION_MASTER_PASSWORD="

var placeholder = regexp.MustCompile(`\{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}`)

func TestTheMasterPasswordMustStayTheSame(t *testing.T) {
	t.Parallel()
	s, up := newSite(t), newUpstream(t)
	s.configure(up.URL, "  - stage: pii\n")
	plain := s.env
	const password = "correct horse battery staple"
	with := func(p string) { s.env = append(plain[:len(plain):len(plain)], passwordVar+p) }

	with(password)
	g := s.serve("--config", "gateway.yaml")
	require.NoError(t, g.client(testKey).checkEcho("gpt-4o", "card "+card))
	token := placeholder.FindString(up.last())
	require.NotEmpty(t, token, up.last())
	assert.NotContains(t, up.last(), card)
	g.stop()
	assert.NotContains(t, g.out.String()+g.errs.String(), password)
	assert.NoFileExists(t, s.path("headgate.key"), "with a password there is no key file")
	s.verifyAudit("--config", "gateway.yaml")

	for _, verb := range [][]string{{"serve"}, {"audit", "verify"}} {
		args := append(verb, "--config", "gateway.yaml")
		with("another one")
		f := s.run(args...)
		assert.Equal(t, 1, f.code)
		assert.Contains(t, f.err, "the master key is not the one that this database was created with")
		assert.NotContains(t, f.err, "another one")
		s.env = plain
		f = s.run(args...)
		assert.Equal(t, 1, f.code)
		assert.Contains(t, f.err, "set HEADGATE_ENCRYPTION_MASTER_PASSWORD")
	}
	assert.NoFileExists(t, s.path("headgate.key"), "a failed start makes no key file")

	with(password)
	g = s.serve("--config", "gateway.yaml")
	require.NoError(t, g.client(testKey).checkEcho("gpt-4o", "card "+card))
	assert.Equal(t, token, placeholder.FindString(up.last()), "the same value has the same placeholder after a restart")
	a := g.client(testKey).chat(t, "gpt-4o", token)
	assert.Equal(t, card, a.content(), "a placeholder of the previous run is restored")
}

func TestTheKeyFileMustStay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	assert.Contains(t, g.errs.String(), "headgate.key was created")
	g.stop()
	info, err := os.Stat(s.path("headgate.key"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	plain := s.env
	s.env = append(plain[:len(plain):len(plain)], passwordVar+"late")
	f := s.run("serve", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "unset HEADGATE_ENCRYPTION_MASTER_PASSWORD")
	s.env = plain
	require.NoError(t, os.Rename(s.path("headgate.key"), s.path("away")))
	f = s.run("serve", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "restore its backup")
	require.NoError(t, os.Rename(s.path("away"), s.path("headgate.key")))
	s.serve("--config", "gateway.yaml")
}
