package main_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const employees = "employee-id.wasm"

// trusting is a configuration with these plugin settings and the sample as a link.
func trusting(settings string) []byte {
	return []byte(
		strings.Replace(configText("", employeesLink), "plugins: {dir: plugins, trust: open}", "plugins: {dir: plugins, "+settings+"}", 1),
	)
}

const employeesLink = "  - {wasm: employee-id.wasm, name: employees, phases: [request], config: {action: block}}\n"

// createKeyPair creates a key pair without a password and returns the public key.
func (s *site) createKeyPair(name string) string {
	s.t.Helper()
	f := s.run("plugin", "keygen", "--plain", "--out", name)
	require.Zero(s.t, f.code, f.err)
	text, err := os.ReadFile(s.path(name + ".pub"))
	require.NoError(s.t, err)
	return strings.Split(string(text), "\n")[1]
}

// guarded reports whether the sample detector blocks.
func (g *gate) guarded() bool {
	a := g.client(testKey).chat(g.t, "mock-echo", "badge EMP-123456")
	return a.status == http.StatusBadRequest && a.code() == "content_filter"
}

// countAuditEvents counts the audit events of a type.
func (s *site) countAuditEvents(event string) int {
	s.t.Helper()
	f := s.run("audit", "verify", "--json", "--config", "gateway.yaml")
	require.Zero(s.t, f.code, f.out+f.err)
	var report struct {
		ByType map[string]int `json:"types"`
	}
	require.NoError(s.t, json.Unmarshal([]byte(f.out), &report), f.out)
	return report.ByType[event]
}

func TestSignedPluginsFromTheKeyToTheRunningGateway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key := s.createKeyPair("a")
	s.copy("plugins/"+employees, sample(t))
	s.write("gateway.yaml", trusting("trust: signed"))
	f := s.run("validate", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "gateway.yaml:11:25: plugins.trust: is signed, but plugins.keys lists no public key")

	s.write("gateway.yaml", trusting("trust: signed, keys: ["+key+"]"))
	f = s.run("plugin", "verify", "--config", "gateway.yaml", "plugins/"+employees)
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.out, "REFUSED: not signed: employee-id.wasm.sig not found; run: headgate plugin sign")
	f = s.run("plugin", "sign", "--key", "a.key", "plugins/"+employees)
	require.Zero(t, f.code, f.err)
	f = s.run("plugin", "verify", "--config", "gateway.yaml", "plugins/"+employees)
	assert.Zero(t, f.code, f.out+f.err)
	assert.Contains(t, f.out, "ok: employee-id 1.0.0, trust signed, sha256 "+digest(sample(t)))

	g := s.serve("--config", "gateway.yaml")
	require.True(t, g.guarded())
	tr := g.traffic(4, 10*time.Millisecond, "mock-models")
	next := build(sample(t), "next")
	s.write("plugins/"+employees, next)
	eventually(
		t,
		"the status reports the wrong signature",
		func() bool { return g.status().warned(employees, "was changed after it was signed") },
	)
	assert.Equal(t, digest(sample(t)), g.status().digest(employees), "the signed version keeps serving")
	require.True(t, g.guarded())
	eventually(t, "it is counted", func() bool { return g.metric("headgate_plugin_events_total", `event="PLUGIN_REFUSED"`) > 0 })

	// The key is rotated while the gateway serves: the new one counts beside the old, then alone.
	fresh := s.createKeyPair("b")
	s.write("gateway.yaml", trusting("trust: signed, keys: ["+key+", "+fresh+"]"))
	require.Zero(t, s.run("plugin", "sign", "--key", "b.key", "plugins/"+employees).code)
	g.awaitModule(employees, digest(next))
	s.write("gateway.yaml", trusting("trust: signed, keys: ["+fresh+"]"))
	require.Zero(t, s.run("plugin", "sign", "--key", "a.key", "plugins/"+employees).code)
	eventually(t, "the old key does not count any more", func() bool { return g.status().warned("not listed in plugins.keys") })
	require.True(t, g.guarded())
	tr.end()
	// The status reports a refusal while the reload that found it still runs; the audit event follows, and then it is counted.
	eventually(t, "both refusals are recorded", func() bool { return g.metric("headgate_plugin_events_total", `event="PLUGIN_REFUSED"`) >= 2 })
	g.stop()
	assert.Equal(t, 2, s.countAuditEvents("PLUGIN_LOADED"))
	assert.GreaterOrEqual(t, s.countAuditEvents("PLUGIN_REFUSED"), 2)
}

func TestPinnedPluginsFollowTheLock(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("gateway.yaml", trusting("trust: pinned"))
	s.copy("plugins/"+employees, sample(t))
	lock := func(args ...string) finished {
		return s.run(append([]string{"plugin", "lock", "--config", "gateway.yaml"}, args...)...)
	}
	f := lock("--check")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "plugins.lock: the file is missing")
	f = s.run("validate", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "but plugins.lock, which lists what may run, is missing; look at the module, then run: headgate plugin lock")
	f = lock()
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "added    employee-id.wasm  "+digest(sample(t)))
	assert.Zero(t, lock("--check").code)
	text, err := os.ReadFile(s.path("plugins/plugins.lock"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "# employee-id 1.0.0\n"+digest(sample(t))+"  employee-id.wasm\n")

	g := s.serve("--config", "gateway.yaml")
	require.True(t, g.guarded())
	next := build(sample(t), "next")
	s.write("plugins/"+employees, next)
	eventually(t, "the status tells", func() bool { return g.status().warned("the digest " + digest(next) + " is not the one") })
	f = lock("--check")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.out, "changed  employee-id.wasm  "+digest(next))
	require.Zero(t, lock("--keep", "plugins/"+employees).code)
	g.awaitModule(employees, digest(next))
	s.write("plugins/"+employees, sample(t))
	g.awaitModule(employees, digest(sample(t)))
	assert.Contains(t, lock("--check").out, "narrowed employee-id.wasm", "both may run, which a plain lock would end")

	s.write("plugins/plugins.lock", []byte("nonsense\n"))
	eventually(t, "a broken lock is reported", func() bool { return g.status().warned("plugins.lock, line 1") })
	f = lock()
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "plugins.lock, line 1", "nothing is written over a lock that cannot be read")
	require.True(t, g.guarded(), "trusted plugins keep serving")
	s.copy("plugins/broken.wasm", []byte("this is not a module"))
	s.remove("plugins/plugins.lock")
	f = lock()
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "broken.wasm: check the module")
	assert.NoFileExists(t, s.path("plugins/plugins.lock"))
}

func TestAModuleThatIsNamedAndMissingIsAFault(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for rule, code := range map[string]int{"block": http.StatusServiceUnavailable, "pass": http.StatusOK} {
		s.write("gateway.yaml", []byte(strings.Replace(configText("", employeesLink), "name: employees", "name: employees, on_fault: "+rule, 1)))
		g := s.serve("--config", "gateway.yaml")
		a := g.client(testKey).chat(t, "mock-echo", "badge EMP-123456")
		assert.Equal(t, code, a.status, a.body)
		st := g.status()
		assert.Equal(t, "degraded", st.Status)
		assert.True(t, st.warned(employees, "the file is missing"), "%v", st.Warnings)
		assert.Positive(t, g.metric("headgate_verdicts_total", `link="employees"`, `fault="load"`))
		s.write("plugins/"+employees, sample(t))
		eventually(t, "it is in force once it is there", g.guarded)
		assert.Equal(t, "ok", g.status().Status)
		g.stop()
		s.remove("plugins/" + employees)
	}
	s.write("plugins/"+employees, sample(t))
	s.write("gateway.yaml", trusting("trust: open, removed: fault"))
	g := s.serve("--config", "gateway.yaml")
	require.True(t, g.guarded())
	s.remove("plugins/" + employees)
	eventually(t, "the fault rule applies", func() bool {
		return g.client(testKey).chat(t, "mock-echo", "hello").status == http.StatusServiceUnavailable
	})
	g.stop()
	assert.Equal(t, 1, s.countAuditEvents("PLUGIN_WITHDRAWN"))
}

func TestKeysAreNeverOverwrittenAndTheSecretOneIsPrivate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.createKeyPair("a")
	info, err := os.Stat(s.path("a.key"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	before, err := os.ReadFile(s.path("a.key"))
	require.NoError(t, err)
	f := s.run("plugin", "keygen", "--plain", "--out", "a")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "a.key already exists, and keys are never overwritten")
	s.remove("a.key")
	f = s.run("plugin", "keygen", "--plain", "--out", "a")
	assert.Equal(t, 1, f.code, "neither of the two is")
	assert.NoFileExists(t, s.path("a.key"))
	s.write("a.key", before)

	s.copy("plugins/"+employees, sample(t))
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no key":         {[]string{"sign", "plugins/" + employees}, "secret key plugin-signing.key not found"},
		"a public key":   {[]string{"sign", "--key", "a.pub", "plugins/" + employees}, "a public key where the secret key is needed"},
		"no file":        {[]string{"sign", "--key", "a.key", "plugins/none.wasm"}, "none.wasm"},
		"a signature":    {[]string{"sign", "--key", "a.key", "a.sig"}, "is a signature; name the signed file instead"},
		"no rule":        {[]string{"verify", "plugins/" + employees}, "choose the rule"},
		"a bad key":      {[]string{"verify", "--pub", "nothing", "plugins/" + employees}, "not a public key"},
		"a secret key":   {[]string{"verify", "--pub", "a.key", "plugins/" + employees}, "a secret key or not a key"},
		"a bad rule":     {[]string{"verify", "--trust", "maybe", "plugins/" + employees}, `unknown trust "maybe"`},
		"no password":    {[]string{"keygen", "--out", "b"}, "there is no terminal to enter it; set HEADGATE_PLUGIN_PASSWORD"},
		"inspect none":   {[]string{"inspect", "plugins/none.wasm"}, "plugins/none.wasm: the file is missing"},
		"elsewhere":      {[]string{"lock", "--dir", "plugins", "a/b.wasm"}, "a/b.wasm is not in the plugins folder plugins"},
		"promote none":   {[]string{"promote", "--dir", "plugins", "none.wasm"}, "none.wasm: the file is missing"},
		"promote others": {[]string{"promote", "--dir", "plugins", "--digest", "00", employees}, "the file has another digest"},
		"a bad address":  {[]string{"list", "--url", "localhost"}, "--url must start with http"},
	} {
		f := s.run(append([]string{"plugin"}, c.args...)...)
		assert.Equal(t, 1, f.code, name)
		assert.Contains(t, f.err, c.says, name)
		assert.NotContains(t, f.err+f.out, strings.TrimSpace(strings.Split(string(before), "\n")[1]), "no part of the secret key")
	}
}

// scrypt takes a gigabyte of memory for each of the three, as in minisign itself.
func TestASecretKeyUnderAPasswordSignsForMinisignToo(t *testing.T) {
	t.Parallel()
	if testing.Short() || raceDetector {
		t.Skip("deriving the key takes a gigabyte of memory")
	}
	s := newSite(t)
	plain := s.env
	s.env = append(plain[:len(plain):len(plain)], "HEADGATE_PLUGIN_PASSWORD=correct horse")
	f := s.run("plugin", "keygen", "--out", "sealed")
	require.Zero(t, f.code, f.err)
	s.copy("plugins/"+employees, sample(t))
	f = s.run("plugin", "sign", "--key", "sealed.key", "plugins/"+employees)
	require.Zero(t, f.code, f.err)
	f = s.run("plugin", "verify", "--pub", "sealed.pub", "plugins/"+employees)
	assert.Zero(t, f.code, f.out)
	s.env = append(plain[:len(plain):len(plain)], "HEADGATE_PLUGIN_PASSWORD=wrong")
	f = s.run("plugin", "sign", "--key", "sealed.key", "plugins/"+employees)
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "sealed.key: the password does not decrypt this secret key, or the file is damaged")
	assert.NotContains(t, f.err, "wrong\n")

	tool, err := exec.LookPath("minisign")
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "minisign is missing, and CI must not skip this")
		t.Skip("SKIPPED: minisign is not installed (Debian package minisign); nothing was compared")
	}
	cmd := exec.Command(tool, "-S", "-s", s.path("sealed.key"), "-m", s.path("plugins/"+employees), "-x", s.path("plugins/"+employees+".sig"))
	cmd.Stdin = strings.NewReader("correct horse\n")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	f = s.run("plugin", "verify", "--pub", "sealed.pub", "plugins/"+employees)
	assert.Zero(t, f.code, f.out)
}
