package clients

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runConfig is a gateway before the mock, which calls the tool that a prompt names.
const runConfig = `server: {listen: 127.0.0.1:0, metrics_listen: ""}
providers: {mock: {}}
routes: [{model_pattern: "mock-*", providers: [{provider: mock}]}]
tenants: [{id: default, keys: [{name: dev, key: ` + gatewayKey + `, scopes: []}]}]
hosted_tools: strip
chain: [{stage: pii}]
`

// clientRun is a client that people install, run as they run it. It has the model call a tool, and says what that has answered.
type clientRun struct {
	name    string
	shape   string // as the gateway logs it
	program []string
	env     []string
	files   map[string]string // in its folder, which is also its home
	says    string
	before  []string // a program that sets the client up, as its users run it
	stdin   string
	daemon  string // in the command line of a process that the client leaves behind
	only    string // the one platform that its package is installed for; empty if it runs on all
	config  string // of the gateway; empty: runConfig
	socket  int    // the status of the handshake of a WebSocket, which the client then tries once; 0: it tries none
}

// clientRuns are the clients. @BASE stands for the gateway's address, @HOME for the folder of the run, @CLIENTS for the
// folder where npm has installed the clients.
var clientRuns = []clientRun{
	{
		name: "Claude Code", shape: "anthropic.messages", says: `"result":"hello anna@example.org"`,
		program: []string{
			"@CLIENTS/node_modules/.bin/claude", "-p", `Bash {"command": "echo hello anna@example.org", "description": "Say hello"}`,
			"--allowedTools", "Bash", "--output-format", "stream-json", "--verbose", "--include-partial-messages",
		},
		env: []string{
			"ANTHROPIC_BASE_URL=@BASE", "ANTHROPIC_AUTH_TOKEN=" + gatewayKey,
			"ANTHROPIC_MODEL=mock-tools", "ANTHROPIC_DEFAULT_HAIKU_MODEL=mock-tools",
		},
	},
	{
		name: "Codex, built-in provider, over a WebSocket", shape: "openai.responses", says: "hello anna@example.org", socket: 101,
		program: []string{
			"@CLIENTS/node_modules/.bin/codex", "exec", "--skip-git-repo-check", `exec_command {"cmd": "echo hello anna@example.org"}`,
		},
		env:   []string{"CODEX_HOME=@HOME/.codex", "CODEX_API_KEY=" + gatewayKey},
		files: map[string]string{".codex/config.toml": "model = \"mock-tools\"\nopenai_base_url = \"@BASE/v1\"\n"},
	},
	{
		// On 426 it streams over HTTP for the rest of the session; on other refusals it would try again for seconds.
		name: "Codex, built-in provider, where the WebSocket mode is off", shape: "openai.responses", says: "hello anna@example.org", socket: 426,
		config: strings.Replace(runConfig, "{listen:", "{sockets_per_key: 0, listen:", 1),
		program: []string{
			"@CLIENTS/node_modules/.bin/codex", "exec", "--skip-git-repo-check", `exec_command {"cmd": "echo hello anna@example.org"}`,
		},
		env:   []string{"CODEX_HOME=@HOME/.codex", "CODEX_API_KEY=" + gatewayKey},
		files: map[string]string{".codex/config.toml": "model = \"mock-tools\"\nopenai_base_url = \"@BASE/v1\"\n"},
	},
	{
		name: "Codex, own provider, over HTTP", shape: "openai.responses", says: "hello anna@example.org",
		program: []string{
			"@CLIENTS/node_modules/.bin/codex", "exec", "--skip-git-repo-check", `exec_command {"cmd": "echo hello anna@example.org"}`,
		},
		env: []string{"CODEX_HOME=@HOME/.codex", "HEADGATE_KEY=" + gatewayKey},
		files: map[string]string{
			".codex/config.toml": "model = \"mock-tools\"\nmodel_provider = \"headgate\"\n[model_providers.headgate]\nname = \"Headgate\"\n" +
				"base_url = \"@BASE/v1\"\nenv_key = \"HEADGATE_KEY\"\nwire_api = \"responses\"\n",
		},
	},
	{
		name: "Continue", shape: "openai.chat", says: "hello anna@example.org",
		program: []string{
			"@CLIENTS/node_modules/.bin/cn", "--config", "config.yaml", "-p", "--allow", "Bash", `Bash {"command": "echo hello anna@example.org"}`,
		},
		files: map[string]string{
			"config.yaml": "name: Headgate\nversion: 0.0.1\nschema: v1\nmodels:\n  - {name: Headgate, provider: openai, model: mock-tools, " +
				"apiBase: \"@BASE/v1\", apiKey: " + gatewayKey + ", roles: [chat], capabilities: [tool_use]}\n",
		},
	},
	{
		// A prompt as an argument reaches the model in quotation marks.
		name: "OpenCode", shape: "openai.chat", says: "hello anna@example.org", only: "linux/amd64",
		program: []string{"@CLIENTS/node_modules/opencode-linux-x64/bin/opencode", "run", "-m", "headgate/mock-tools"},
		stdin:   `bash {"command": "echo hello anna@example.org", "description": "Say hello"}`,
		env:     append([]string{"HEADGATE_KEY=" + gatewayKey}, noInternet...),
		files: map[string]string{
			"opencode.json": `{"provider": {"headgate": {"npm": "@ai-sdk/openai-compatible", "name": "Headgate", ` +
				`"options": {"baseURL": "@BASE/v1", "apiKey": "{env:HEADGATE_KEY}"}, "models": {"mock-tools": {}}}}}`,
		},
	},
	{
		name: "Cline", shape: "openai.chat", says: `"result":"hello anna@example.org\n"`, daemon: "--cline-hub-daemon", only: "linux/amd64",
		before: []string{
			"@CLIENTS/node_modules/@cline/cli-linux-x64/bin/cline", "auth", "-p", "openai-compatible", "-k", gatewayKey, "-m", "mock-tools", "-b", "@BASE/v1",
		},
		program: []string{"@CLIENTS/node_modules/@cline/cli-linux-x64/bin/cline", `run_commands {"commands": ["echo hello anna@example.org"]}`},
		env:     noInternet,
	},
	{
		name: "OpenAI Agents SDK", shape: "openai.responses", says: "result: Sunny in Ulm, ask anna@example.org",
		program: []string{"node", "@CLIENTS/agents.mjs"},
		env:     []string{"OPENAI_BASE_URL=@BASE/v1", "OPENAI_API_KEY=" + gatewayKey, "OPENAI_AGENTS_DISABLE_TRACING=1"},
	},
	scriptRun("LangChain", "langchain.mjs"),
	scriptRun("LlamaIndex", "llamaindex.mjs"),
	vercelRun("responses", "openai.responses"),
	vercelRun("chat", "openai.chat"),
	vercelRun("messages", "anthropic.messages"),
	vercelRun("generate", "gemini.generate"),
}

// noInternet keeps a client from addresses other than the gateway's, so that a run does not depend on them.
var noInternet = []string{"HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1", "NO_PROXY=127.0.0.1"}

// scriptRun is a library in the chat shape, by a script of the folder of clients.
func scriptRun(name, script string) clientRun {
	return clientRun{
		name: name, shape: "openai.chat", says: "result: Sunny in Ulm, ask anna@example.org",
		program: []string{"node", "@CLIENTS/" + script, "@BASE", gatewayKey},
	}
}

// vercelRun is the Vercel AI SDK in one of its shapes.
func vercelRun(word, shape string) clientRun {
	return clientRun{
		name: "Vercel AI SDK, " + word, shape: shape, says: "result: Sunny in Ulm, ask anna@example.org",
		program: []string{"node", "@CLIENTS/vercel.mjs", "@BASE", gatewayKey, word},
	}
}

// runPatience is far longer than any client takes.
const runPatience = 3 * time.Minute

// TestClientsRunUnmodified runs each client as its users do: a whole streamed turn with a tool call. The address in the prompt
// leaves as a placeholder, and the tool and the client see the address.
func TestClientsRunUnmodified(t *testing.T) {
	dir := installClients(t)
	for _, c := range clientRuns {
		t.Run(c.name, func(t *testing.T) {
			if platform := runtime.GOOS + "/" + runtime.GOARCH; c.only != "" && c.only != platform {
				t.Skipf("%s is installed for %s alone, and this is %s", c.name, c.only, platform)
			}
			t.Parallel()
			runClient(t, c, "@CLIENTS", dir)
		})
	}
}

// runClient runs a client before a gateway of its own. places are names of folders in its command lines, and the folders.
func runClient(t *testing.T, c clientRun, places ...string) {
	t.Helper()
	log := new(output)
	base := "http://" + serveLogged(t, cmp.Or(c.config, runConfig), "", log)
	home := t.TempDir()
	fill := strings.NewReplacer(append(places, "@BASE", base, "@HOME", home)...)
	for name, text := range c.files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(fill.Replace(text)), 0o600))
	}
	ctx, cancel := context.WithTimeout(t.Context(), runPatience)
	defer cancel()
	run := func(line []string) ([]byte, error) {
		args := make([]string, 0, len(line))
		for _, a := range line {
			args = append(args, fill.Replace(a))
		}
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir, cmd.Env = home, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
		cmd.Stdin = strings.NewReader(c.stdin)
		for _, e := range c.env {
			cmd.Env = append(cmd.Env, fill.Replace(e))
		}
		return cmd.CombinedOutput()
	}
	if c.daemon != "" {
		t.Cleanup(func() { endDaemons(t, c.daemon, home) })
	}
	if c.before != nil {
		out, err := run(c.before)
		require.NoError(t, err, "%s", out)
	}
	out, err := run(c.program)
	require.NoError(t, err, "%s\n%s", out, log)
	assert.Contains(t, string(out), c.says)
	assert.NotContains(t, string(out), "{{PII_")
	// The gateway logs an exchange, and a socket, when it has ended, which may be after the client has.
	exchanges := func() (lines []string) {
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, `"message":"exchange"`) && strings.Contains(line, `"shape":"`+c.shape+`"`) {
				lines = append(lines, line)
			}
		}
		return lines
	}
	enough := func() bool { return len(exchanges()) >= 2 }
	require.Eventually(t, enough, time.Minute, 50*time.Millisecond, "the call of the tool, and the answer to its result: %s", log)
	for _, line := range exchanges() {
		assert.Contains(t, line, `"status":200`)
		assert.Contains(t, line, `"stream":true`)
	}
	handshakes := func(status string) int {
		return strings.Count(log.String(), `"method":"GET","path":"/v1/responses","status":`+status)
	}
	if c.socket == 0 {
		assert.Zero(t, handshakes(""), "%s", log)
		return
	}
	once := func() bool { return handshakes(strconv.Itoa(c.socket)) == 1 }
	assert.Eventually(t, once, time.Minute, 50*time.Millisecond, "%s", log)
	assert.Equal(t, 1, handshakes(""), "it is tried once: %s", log)
}

// endDaemons ends the processes whose command line has a word and the folder of the run, and waits until they have ended.
func endDaemons(t *testing.T, word, home string) {
	t.Helper()
	ended := func() bool {
		lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
		require.NoError(t, err)
		left := false
		for _, name := range lines {
			b, _ := os.ReadFile(name) // the process may have ended
			if !strings.Contains(string(b), word) || !strings.Contains(string(b), home) {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			require.NoError(t, err)
			_ = syscall.Kill(pid, syscall.SIGKILL) // as above
			left = true
		}
		return !left
	}
	assert.Eventually(t, ended, patience, 50*time.Millisecond)
}

// installClients has npm install the clients of the lock file, once for a lock file, and returns their folder.
func installClients(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("CI") == "true" {
			require.FailNow(t, "npm is not installed: the clients cannot be run")
		}
		t.Skip("SKIPPED: npm is not installed: the clients are not run")
	}
	from := filepath.Join("testdata", "agents")
	lock, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
	require.NoError(t, err)
	digest := sha256.Sum256(lock)
	parent := os.Getenv("SHARED_TEST_FOLDER")
	if parent == "" {
		parent, err = os.UserCacheDir()
		require.NoError(t, err)
	}
	dir := filepath.Join(parent, "headgate-clients-"+hex.EncodeToString(digest[:8]))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	files := []string{"package.json", "package-lock.json", "vercel.mjs", "langchain.mjs", "llamaindex.mjs", "agents.mjs", "realtime.mjs"}
	for _, name := range files {
		b, err := os.ReadFile(filepath.Join(from, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return dir
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	for _, line := range [][]string{
		{"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"},
		// The one script that is needed.
		{"node", filepath.Join("node_modules", "@anthropic-ai", "claude-code", "install.cjs")},
	} {
		cmd := exec.CommandContext(ctx, line[0], line[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.NoError(t, os.WriteFile(done, nil, 0o600))
	return dir
}
