package project

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	adapter "github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
)

const guardSecret = "0123456789abcdef0123456789abcdef"

// startReceiver builds and starts a new receiver outside this repository, and returns its URL.
func startReceiver(t *testing.T, lang string) string {
	dir := t.TempDir()
	_, err := New(dir, "word-guard", lang, kindWebhook)
	require.NoError(t, err)
	dir = filepath.Join(dir, "word-guard")
	var cmd *exec.Cmd
	switch lang {
	case "go":
		out := filepath.Join(t.TempDir(), "receiver")
		build := exec.Command("go", "build", "-o", out, ".")
		build.Dir = dir
		build.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
		said, err := build.CombinedOutput()
		require.NoError(t, err, string(said))
		cmd = exec.Command(out, "-listen", "127.0.0.1:0", "-redact", "PROJECT-APOLLO", "-block", "FORBIDDEN")
	default:
		p, err := findProgram(kindWebhook, lang)
		require.NoError(t, err)
		words := strings.Fields(p.run)
		path, err := exec.LookPath(words[0])
		if err != nil {
			skipMissing(t, &MissingError{Tool: words[0], Hint: "install it"})
		}
		cmd = exec.Command(path, words[1], "--listen", "127.0.0.1:0", "--redact", "PROJECT-APOLLO", "--block", "FORBIDDEN")
	}
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GUARD_SECRET="+guardSecret)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, ok, line)
	return "http://" + address + "/check"
}

func TestANewReceiverIsBuiltAndStartedOutsideAndJudges(t *testing.T) {
	for _, lang := range ProgramLanguages(kindWebhook) {
		t.Run(lang, func(t *testing.T) {
			url := startReceiver(t, lang)
			s, err := adapter.New(adapter.Options{Link: "words", URL: url, Secret: guardSecret, AllowPrivate: true, Timeout: 20 * time.Second})
			require.NoError(t, err)
			stagetest.Cases(t, s, []stagetest.Case{
				{Name: "nothing", Text: stagetest.Text{Text: "hello"}},
				{
					Name: "a word", Text: stagetest.Text{Text: "😀é PROJECT-APOLLO"}, Action: core.Rewrite, Out: "😀é <WORD>", Labels: []string{"word"},
				},
			})
			v, err := s.Check(context.Background(), stagetest.Text{Text: "this is FORBIDDEN"}.Exchange(), core.Request, nil)
			require.NoError(t, err)
			assert.Equal(t, core.Block, v.Action)

			answer, err := http.Post(url, "application/json", strings.NewReader(`{"version":1,"segments":[]}`))
			require.NoError(t, err)
			said, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			assert.Equal(t, http.StatusUnauthorized, answer.StatusCode, "a call without a signature: %s", said)
		})
	}
}

func TestANewProgramHoldsCasesThatCanBeReadAndNoOpenPlaces(t *testing.T) {
	for _, p := range programs {
		dir := t.TempDir()
		files, err := New(dir, "word-guard", p.lang, p.kind)
		require.NoError(t, err)
		assert.Subset(t, files, []string{"README.md", "word-guard.cases.yaml", p.entry})
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(dir, "word-guard", file))
			require.NoError(t, err)
			if p.files[file] == "" || strings.HasPrefix(p.files[file], "templates/") {
				assert.NotRegexp(t, `@[A-Z]+@`, string(text), file)
			}
		}
		list, err := cases.Read(filepath.Join(dir, "word-guard", "word-guard.cases.yaml"), "")
		require.NoError(t, err)
		assert.NotEmpty(t, list.Cases)
		assert.Equal(t, p.kind, list.Cases[0].Link.Kind())
	}
}

func TestAProgramInALanguageWithoutATemplateIsRefused(t *testing.T) {
	_, err := New(t.TempDir(), "x", "rust", kindWebhook)
	require.EqualError(t, err, `no template exists for a webhook in "rust"; write go, python or node`)
	_, err = New(t.TempDir(), "x", "rust", kindProcess)
	require.EqualError(t, err, `no template exists for a process in "rust"; write go, python or node`)
	_, err = New(t.TempDir(), "../x", "go", kindWebhook)
	require.ErrorContains(t, err, "cannot be the name")
}
