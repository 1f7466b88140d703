package webhook_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	adapter "github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

const (
	secret = "0123456789abcdef0123456789abcdef"
	older  = "an older secret, soon to be gone"
)

// sample builds the receiver in Go once.
var sample = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "headgate-webhook")
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "sample")
	if said, err := exec.Command("go", "build", "-o", out, "./sample").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	return out, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if out, err := sample(); err == nil {
		_ = os.RemoveAll(filepath.Dir(out)) // of this test alone
	}
	os.Exit(code)
}

// receivers are the samples, by language: the program and its first arguments.
func receivers(t *testing.T) map[string][]string {
	out, err := sample()
	require.NoError(t, err)
	all := map[string][]string{"Go": {out}}
	if node, err := exec.LookPath("node"); err == nil {
		all["Node"] = []string{node, filepath.Join("node", "receiver.js")}
	} else {
		require.NotEqual(t, "true", os.Getenv("CI"), "node is not installed")
		t.Log("node is not installed: its receiver is not tested")
	}
	if python, err := exec.LookPath("python3"); err == nil {
		all["Python"] = []string{python, filepath.Join("python", "receiver.py")}
	} else {
		require.NotEqual(t, "true", os.Getenv("CI"), "python3 is not installed")
		t.Log("python3 is not installed: its receiver is not tested")
	}
	return all
}

// start starts a receiver and gives its URL.
func start(t *testing.T, program []string) string {
	args := append(program[1:len(program):len(program)], "-listen", "127.0.0.1:0", "-redact", "PROJECT-APOLLO", "-block", "FORBIDDEN")
	if len(program) > 1 { // flags of scripts have two dashes
		for i, a := range args {
			if strings.HasPrefix(a, "-") {
				args[i] = "-" + a
			}
		}
	}
	cmd := exec.Command(program[0], args...)
	cmd.Env = append(os.Environ(), "GUARD_SECRET="+secret, "GUARD_SECRET_PREVIOUS="+older)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, ok, line)
	return "http://" + addr + "/"
}

func TestTheSamplesConformToTheContractOfStages(t *testing.T) {
	for name, program := range receivers(t) {
		url := start(t, program)
		for mode, open := range map[string]bool{"CLOSED": false, "OPEN": true} {
			t.Run(name+" "+mode, func(t *testing.T) {
				stagetest.Conform(t, stagetest.Suite{
					New: func(t testing.TB) core.Stage {
						s, err := adapter.New(
							adapter.Options{Link: "the-guard", URL: url, Secret: secret, AllowPrivate: true, FailOpen: open, Timeout: 20 * time.Second},
						)
						require.NoError(t, err)
						return s
					},
					Texts: []string{
						"PROJECT-APOLLO", "nothing", "😀é PROJECT-APOLLO 日本 PROJECT-APOLLOPROJECT-APOLLO", "this is FORBIDDEN",
						strings.Repeat("wörd 😀", 55) + "PROJECT-APOLLO" + strings.Repeat("x", 600),
					},
					Phases: []core.Phase{core.Request, core.Response},
				})
			})
		}
		t.Run(name+" decides", func(t *testing.T) {
			s, err := adapter.New(adapter.Options{Link: "the-guard", URL: url, Secret: secret, AllowPrivate: true})
			require.NoError(t, err)
			stagetest.Cases(t, s, []stagetest.Case{
				{Name: "nothing", Text: stagetest.Text{Text: "hello"}},
				{
					Name:   "a word beside characters of two units",
					Text:   stagetest.Text{Text: "😀é PROJECT-APOLLO!"},
					Action: core.Rewrite,
					Out:    "😀é <WORD>!",
					Labels: []string{"word"},
				},
				{
					Name:   "a forbidden one",
					Text:   stagetest.Text{Text: "FORBIDDEN"},
					Action: core.Block,
					Labels: []string{"forbidden"},
					Code:   core.CodeContentFilter,
				},
			})
		})
	}
}

// call is a call that is right, unless it is changed.
type call struct {
	method    string
	at        time.Time
	nonce     string
	body      string
	signed    string // the body that is signed
	secret    string
	direction webhook.Direction
	header    string // where the signature stands
	without   string // a header that is left out
}

func right(nonce string) call {
	const body = `{"version":1,"segments":[{"text":"hello"}]}`
	return call{http.MethodPost, time.Now(), nonce, body, body, secret, webhook.Call, webhook.HeaderSignature, ""}
}

func (c call) send(t *testing.T, url string) (*http.Response, []byte) {
	r, err := http.NewRequest(c.method, url, strings.NewReader(c.body))
	require.NoError(t, err)
	r.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(c.at.Unix(), 10))
	r.Header.Set(webhook.HeaderNonce, c.nonce)
	r.Header.Set(c.header, webhook.Sign(c.secret, c.direction, c.at.Unix(), c.nonce, []byte(c.signed)))
	r.Header.Del(c.without)
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, b
}

func TestAReceiverAnswersSignedNewCallsAlone(t *testing.T) {
	cases := []struct {
		name   string
		change func(c *call)
		status int
	}{
		{"a right one", func(*call) {}, 200},
		{"under the secret before", func(c *call) { c.secret = older }, 200},
		{"signed in the second header", func(c *call) { c.header = webhook.HeaderPrevious }, 200},
		{"a clock that is four minutes behind", func(c *call) { c.at = c.at.Add(-4 * time.Minute) }, 200},
		{"a clock that is six minutes behind", func(c *call) { c.at = c.at.Add(-6 * time.Minute) }, 401},
		{"a clock that is six minutes ahead", func(c *call) { c.at = c.at.Add(6 * time.Minute) }, 401},
		{"another body", func(c *call) { c.body += " " }, 401},
		{"another secret", func(c *call) { c.secret = "a stranger's secret" }, 401},
		{"signed as a reply", func(c *call) { c.direction = webhook.Reply }, 401},
		{"no signature", func(c *call) { c.without = webhook.HeaderSignature }, 401},
		{"no time", func(c *call) { c.without = webhook.HeaderTimestamp }, 401},
		{"no nonce", func(c *call) { c.without = webhook.HeaderNonce }, 401},
		{"a nonce that is none", func(c *call) { c.nonce = "zz" }, 401},
		{"another method", func(c *call) { c.method = http.MethodPut }, 405},
		{"a body that is too large", func(c *call) { c.body = strings.Repeat(" ", webhook.MaxBody+1) }, 0},
		{"a body of another version", func(c *call) { c.body = `{"version":2,"segments":[]}`; c.signed = c.body }, 400},
	}
	for name, program := range receivers(t) {
		url := start(t, program)
		for i, x := range cases {
			t.Run(name+": "+x.name, func(t *testing.T) {
				c := right(strings.Repeat("0", 30) + strconv.Itoa(10+i))
				x.change(&c)
				if x.status == 0 { // the receiver may well hang up on it
					r, err := http.Post(url, "application/json", strings.NewReader(c.body))
					if err == nil {
						assert.GreaterOrEqual(t, r.StatusCode, 400)
						_ = r.Body.Close()
					}
					return
				}
				res, body := c.send(t, url)
				require.Equal(t, x.status, res.StatusCode, "%s", body)
				signature := res.Header.Get(webhook.HeaderSignature)
				if x.status != 200 {
					assert.Empty(t, signature, "what is refused is not signed")
					assert.Empty(t, res.Header.Get(webhook.HeaderPrevious))
					return
				}
				assert.True(t, webhook.Matches(c.secret, webhook.Reply, c.at.Unix(), c.nonce, body, signature), "under the secret of the call")
				var v webhook.Verdict
				require.NoError(t, json.Unmarshal(body, &v))
				assert.Equal(t, webhook.Verdict{Version: 1, Action: webhook.Pass}, v)
				res, _ = c.send(t, url)
				assert.Equal(t, 401, res.StatusCode, "the same call a second time")
			})
		}
	}
}
