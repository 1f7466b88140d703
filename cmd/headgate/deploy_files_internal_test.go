package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/configs"
	"github.com/headgate-dev/headgate/core/config"
)

// fileOf reads a file of the repository.
func fileOf(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", path))
	require.NoError(t, err)
	return string(raw)
}

// instruction is a line of a Dockerfile.
type instruction struct{ word, rest string }

// dockerfile splits a Dockerfile into its stages, each beginning with its FROM.
func dockerfile(t *testing.T, text string) (stages [][]instruction) {
	t.Helper()
	known := []string{"FROM", "WORKDIR", "COPY", "RUN", "ARG", "ENV", "USER", "EXPOSE", "VOLUME", "STOPSIGNAL", "ENTRYPOINT", "CMD"}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if n := len(lines); n > 0 && strings.HasSuffix(lines[n-1], `\`) {
			lines[n-1] = strings.TrimSuffix(lines[n-1], `\`) + " " + strings.TrimSpace(line)
			continue
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		require.Contains(t, known, word)
		if word == "FROM" {
			stages = append(stages, nil)
		}
		require.NotEmpty(t, stages, "%s before FROM", word)
		stages[len(stages)-1] = append(stages[len(stages)-1], instruction{word, strings.TrimSpace(rest)})
	}
	return stages
}

// find returns the arguments of an instruction of a stage, one element per occurrence.
func find(stage []instruction, word string) (rest []string) {
	for _, i := range stage {
		if i.word == word {
			rest = append(rest, i.rest)
		}
	}
	return rest
}

func TestTheImageHoldsTheGatewayAndNothingElse(t *testing.T) {
	stages := dockerfile(t, fileOf(t, "configs/Dockerfile"))
	require.Len(t, stages, 2)
	build, final := stages[0], stages[1]

	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(fileOf(t, "go.mod"))
	require.NotNil(t, version)
	assert.Equal(t, []string{"golang:" + version[1] + "-bookworm AS build"}, find(build, "FROM"))
	run := strings.Join(find(build, "RUN"), "\n")
	tags := regexp.MustCompile(`(?m)^TAGS\s*:=\s*(\S+)`).FindStringSubmatch(fileOf(t, "Makefile"))
	pgo := regexp.MustCompile(`(?m)^PGO\s*:=\s*(\S+)`).FindStringSubmatch(fileOf(t, "Makefile"))
	given := regexp.MustCompile(`-tags (\S+)`).FindStringSubmatch(run)
	require.NotNil(t, given)
	for _, tag := range append(strings.Split(tags[1], ","), "netgo", "osusergo", "sqlite_omit_load_extension", "timetzdata") {
		assert.Contains(t, strings.Split(given[1], ","), tag)
	}
	for _, part := range []string{"CGO_ENABLED=1", "-pgo=" + pgo[1], "-linkmode external", "-extldflags '-static'", "-X main.version=", "! ldd /out/headgate", "./cmd/headgate"} {
		assert.Contains(t, run, part)
	}
	assert.FileExists(t, filepath.Join("..", "..", pgo[1]))
	for _, src := range find(build, "COPY") {
		for _, name := range strings.Fields(src)[:len(strings.Fields(src))-1] {
			_, err := os.Stat(filepath.Join("..", "..", name))
			assert.NoError(t, err, "COPY %s", src)
		}
	}

	assert.Equal(t, []string{"scratch"}, find(final, "FROM"))
	assert.Empty(t, find(final, "RUN"), "there is no shell")
	for _, c := range find(final, "COPY") {
		assert.True(t, strings.HasPrefix(c, "--from=build "), c)
	}
	assert.Contains(t, strings.Join(find(final, "COPY"), "\n"), "/etc/ssl/certs/ca-certificates.crt")
	user, _, _ := strings.Cut(find(final, "USER")[0], ":")
	id, err := strconv.Atoi(user)
	require.NoError(t, err, "user names are unknown: there is no /etc/passwd")
	assert.Positive(t, id)
	var entry, words []string
	require.NoError(t, json.Unmarshal([]byte(find(final, "ENTRYPOINT")[0]), &entry), "there is no shell")
	require.NoError(t, json.Unmarshal([]byte(find(final, "CMD")[0]), &words))
	assert.Equal(t, []string{"/headgate"}, entry)
	command(t, words)

	// The settings of the image must be configuration keys.
	var set []string
	for _, v := range strings.Fields(strings.Join(find(final, "ENV"), " ")) {
		if strings.HasPrefix(v, "HEADGATE_") {
			set = append(set, v)
		}
	}
	cfg, _, err := config.Load(
		config.Source{Default: configs.Gateway, Environ: append(set, "HEADGATE_GATEWAY_INTERNAL_SECRET=0123456789abcdef")},
	)
	require.NoError(t, err)
	assert.Equal(t, []string{"8080", "9090"}, strings.Fields(find(final, "EXPOSE")[0]))
	assert.Equal(t, ":8080", cfg.Server.Listen)
	assert.Equal(t, ":9090", cfg.Server.MetricsListen)
	assert.Contains(t, fileOf(t, "configs/Dockerfile.dockerignore"), "headgate.key")
}

// command checks that words are a command of the program, with existing flags.
func command(t *testing.T, words []string) {
	t.Helper()
	c, rest, err := newRootCommand().Find(words)
	require.NoError(t, err)
	assert.Equal(t, words[0], c.Name())
	require.NoError(t, c.ParseFlags(rest))
	assert.NoError(t, c.ValidateArgs(c.Flags().Args()))
}

func TestTheSystemdUnitStartsAndStopsTheGateway(t *testing.T) {
	unit, section := map[string][]string{}, ""
	for line := range strings.Lines(fileOf(t, "configs/headgate.service")) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
			assert.Contains(t, []string{"Unit", "Service", "Install"}, section)
		default:
			key, value, ok := strings.Cut(line, "=")
			require.True(t, ok, line)
			unit[section+"."+key] = append(unit[section+"."+key], value)
		}
	}
	for _, key := range []string{"Service.ExecStartPre", "Service.ExecStart"} {
		words := strings.Fields(unit[key][0])
		assert.Equal(t, "/usr/local/bin/headgate", words[0])
		command(t, words[1:])
	}
	assert.Contains(t, unit["Service.ExecReload"][0], "-HUP")
	cfg, _, err := config.Load(config.Source{Default: configs.Gateway})
	require.NoError(t, err)
	stop, err := strconv.Atoi(unit["Service.TimeoutStopSec"][0])
	require.NoError(t, err)
	assert.Greater(t, time.Duration(stop)*time.Second, cfg.Server.ShutdownTimeout+node.CloseTimeout)
	for key, value := range map[string]string{
		"DynamicUser": "yes", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "StateDirectory": "headgate", "WorkingDirectory": "/var/lib/headgate",
		"MemoryDenyWriteExecute": "no", "UMask": "0077", "Restart": "on-failure",
	} {
		assert.Equal(t, []string{value}, unit["Service."+key], key)
	}
	assert.True(t, slices.Contains(unit["Install.WantedBy"], "multi-user.target"))
}
