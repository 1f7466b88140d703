package project

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// trial builds a new project whose source and manifest are those of a folder below
// testdata.
func trial(t *testing.T, lang, kind, folder, manifest string) plugin {
	t.Helper()
	skipUnraced(t, lang)
	l, err := findLanguage(lang)
	require.NoError(t, err)
	source, err := os.ReadFile(filepath.Join("testdata", folder, l.entry))
	require.NoError(t, err)
	return buildOnce(t, folder+"-"+lang, func() (string, error) {
		dir := t.TempDir()
		if _, err := New(dir, "x", lang, kind); err != nil {
			return "", err
		}
		dir = filepath.Join(dir, "x")
		if err := os.WriteFile(filepath.Join(dir, l.entry), source, 0o600); err != nil {
			return "", err
		}
		return dir, os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(manifest), 0o600)
	})
}

// A detector with its own streaming hook finds in streams what it finds in whole texts, in each language, wherever the
// stream is cut.
func TestADetectorFollowsStreamsInEveryLanguage(t *testing.T) {
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) {
			p := trial(t, lang, "detector", "stream", "name: x\nkind: detector\nlabels: [password]\nmax_match: 6\n")
			conform(t, p, "", []string{"a secret", "secretsecret ssecret sesecret", "secre", "none"})
		})
	}
}

// A stage with hg_stream alone changes answers as they come, in each language, and does
// the same however they are cut.
func TestAStageFollowsAnswersInEveryLanguage(t *testing.T) {
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) {
			p := trial(t, lang, "stage", "filter", "name: x\nkind: stage\nphases: [response]\nreads: {text: [assistant]}\n")
			st := p.stage(t, "")
			in := stagetest.Text{Phase: core.Response, Role: core.RoleAssistant}
			assert.Equal(t, "a ****** séc ****** sec", stagetest.Streamed(t, st, in, []string{"a s", "ec", "ret s", "éc secret", " se", "c"}).Text)
			require.NoError(t, st.Close(context.Background()))
			stagetest.Conform(t, stagetest.Suite{
				New:    func(t testing.TB) core.Stage { return p.stage(t, "") },
				Texts:  []string{"a secret", "secretsecret ssecret sesecret", "secre", "none"},
				Phases: []core.Phase{core.Response},
			})
		})
	}
}
