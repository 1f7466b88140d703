package contract_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The variants of the gateway that rows request. Each is one process per database.
const (
	licensed   = "licensed"   // has everything: a licence, the secret of the fleet, the actuator's key
	unlicensed = "unlicensed" // has neither licence nor secrets, as installed
	unchecked  = "unchecked"  // rbac.enabled is false
	federated  = "federated"  // takes tokens of an identity provider
	unsealed   = "unsealed"   // has no master password; on PostgreSQL it does not start
)

// Settings and secrets of the gateways of the tests.
const (
	ownerToken     = "headgate_pat_contractOwner0123456789abcdef0123456789abcdef"
	internalSecret = "contract-internal-secret-0123456789"
	actuatorKey    = "contract-actuator-key-0123456789"
	masterPassword = "contract-master-password-0123456789"
	fileKey        = "gw_contractKeyOfTheFile0123456789abcdef"
)

// gateway is a running gateway.
type gateway struct {
	base  string // its URL
	dir   string // its working directory
	env   []string
	blank bool
	out   output
	// tokens are the tokens of the platform's roles.
	tokens sync.Map
	cmd    *exec.Cmd
	ended  chan struct{}
}

// output collects what a process has written so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// real is a place with gateways on one kind of database.
type real struct {
	t        *testing.T
	program  string
	database func(variant string) string // URL of a separate database
	idp      *issuer
	licence  licence
	upstream *receiver // the provider behind the models real-*
	mu       sync.Mutex
	running  map[string]*gateway
}

func newReal(t *testing.T, program string, database func(string) string) *real {
	t.Helper()
	up := newReceiver(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(
			[]byte(
				`{"id":"1","object":"chat.completion","created":1,"model":"real","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`,
			),
		) // the gateway sees what is missing
	})
	t.Cleanup(up.Close)
	return &real{t: t, program: program, database: database, upstream: up, idp: newIssuer(t), licence: newLicence(t), running: map[string]*gateway{}}
}

func onSQLite(t *testing.T, program string) place {
	t.Helper()
	return newReal(t, program, func(string) string { return "sqlite:headgate.db" })
}

func (*real) patience() time.Duration { return patience }

func (r *real) issuer() *issuer { return r.idp }

// findSent returns the body that the provider received for a model.
func (r *real) findSent(model string) m {
	r.upstream.mu.Lock()
	defer r.upstream.mu.Unlock()
	for _, body := range r.upstream.got {
		if body["model"] == model {
			return body
		}
	}
	return nil
}

// gateway starts the gateway of a variant on first use. It runs until the test that created the place ends.
func (r *real) gateway(t judge, variant string) *gateway {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.running[variant]
	if g == nil {
		g = r.start(variant)
		r.running[variant] = g
		if g.base != "" && variant != unlicensed {
			r.grant(t, g)
		}
	}
	if g.base == "" && variant != unsealed {
		t.Errorf("the gateway %q did not start: %s", variant, g.out.String())
		t.FailNow()
	}
	return g
}

// start runs a gateway. A gateway that does not start has no URL.
func (r *real) start(variant string) *gateway {
	g := &gateway{dir: r.t.TempDir(), ended: make(chan struct{})}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HEADGATE_") && !strings.HasPrefix(v, "OPENAI_") {
			g.env = append(g.env, v)
		}
	}
	g.env = append(g.env, "HEADGATE_ADMIN_TOKEN="+ownerToken)
	if variant != unlicensed {
		g.env = append(g.env, "HEADGATE_ACTUATOR_API_KEY="+actuatorKey)
	}
	if variant != unsealed {
		g.env = append(g.env, "HEADGATE_ENCRYPTION_MASTER_PASSWORD="+masterPassword)
	}
	assert.NoError(r.t, os.Mkdir(filepath.Join(g.dir, "plugins"), 0o755))
	assert.NoError(
		r.t,
		os.WriteFile(
			filepath.Join(g.dir, "gateway.yaml"),
			[]byte(configuration(variant, r.database(variant), r.upstream.URL, r.idp.URL, r.licence.key)),
			0o600,
		),
	)
	g.cmd = exec.Command(r.program, "serve", "--config", "gateway.yaml")
	g.cmd.Dir, g.cmd.Env, g.cmd.Stdout, g.cmd.Stderr = g.dir, g.env, &g.out, &g.out
	require.NoError(r.t, g.cmd.Start())
	go func() {
		_ = g.cmd.Wait() // the state has the exit code
		close(g.ended)
	}()
	r.t.Cleanup(func() { r.stop(variant, g) })
	looks, late := time.NewTicker(10*time.Millisecond), time.After(patience)
	defer looks.Stop()
	for {
		if addr := g.listens(); addr != "" {
			g.base = "http://" + addr
			return g
		}
		select {
		case <-g.ended:
			return g
		case <-late:
			return g
		case <-looks.C:
		}
	}
}

// listens returns the address in the log.
func (g *gateway) listens() string {
	for line := range strings.Lines(g.out.String()) {
		var l struct{ Message, Listen string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Message == "serving" {
			return l.Listen
		}
	}
	return ""
}

// stop shuts a gateway down, and checks the conditions of every run.
func (r *real) stop(variant string, g *gateway) {
	_ = g.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-g.ended:
	case <-time.After(patience):
		_ = g.cmd.Process.Kill() // as above
		<-g.ended
		assert.Fail(r.t, "the gateway did not end after SIGTERM", variant)
	}
	out := g.out.String()
	if g.base != "" {
		assert.Zero(r.t, g.cmd.ProcessState.ExitCode(), "the end of the gateway %q", variant)
	}
	for _, bad := range []string{"DATA RACE", "goroutine 1 [", "panicked", "fatal error:"} {
		assert.NotContains(r.t, out, bad)
	}
	for _, secret := range []string{ownerToken, internalSecret, actuatorKey, masterPassword, fileKey} {
		assert.NotContains(r.t, out, secret, "a secret in the log")
	}
	if r.t.Failed() && os.Getenv("CONTRACT_LOG") != "" {
		r.t.Log(out)
	}
}

// command runs a command of the program beside a gateway, with its configuration and its store.
func (t *T) command(args ...string) string {
	t.Helper()
	g := t.place.gateway(t.judge, t.variant)
	if g.blank {
		return ""
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = g.dir, g.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, "%v: %s", args, errs.String())
	return string(out)
}
