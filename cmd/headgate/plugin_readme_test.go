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

// pluginsPage returns the README's commands for a first plugin, in order, and the text that it adds to the
// configuration.
func pluginsPage(t *testing.T) (commands []string, yaml []string) {
	t.Helper()
	_, page, ok := strings.Cut(string(fromRoot(t, "README.md")), "## A first plugin in five minutes\n")
	require.True(t, ok)
	page, _, _ = strings.Cut(page, "\n## ")
	for line := range strings.Lines(page) {
		if command, ok := strings.CutPrefix(line, "    "); ok && strings.HasPrefix(command, "headgate ") || strings.HasPrefix(command, "cp ") {
			command, _, _ = strings.Cut(command, " #")
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1) {
		yaml = append(yaml, m[1])
	}
	return commands, yaml
}

// follow executes a line of the README.
func (s *site) follow(command string) finished {
	s.t.Helper()
	words := strings.Fields(command)
	if words[0] == "headgate" {
		f := s.run(words[1:]...)
		require.Zero(s.t, f.code, "%s: %s", command, f.out+f.err)
		return f
	}
	files, err := filepath.Glob(s.path(words[1]))
	require.NoError(s.t, err)
	require.NotEmpty(s.t, files, command)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(s.t, err)
		s.copy(words[2]+filepath.Base(file), b)
	}
	return finished{}
}

func TestAFirstPluginComesIntoForceByTheWordsOfTheREADME(t *testing.T) {
	t.Parallel()
	needs(t, "clang", "wasm-ld")
	commands, yaml := pluginsPage(t)
	require.Len(t, commands, 7, "new, build, test, cp; keygen, sign, cp")
	require.Len(t, yaml, 2, "a link, and a rule of trust")
	// C replaces Rust, which not every machine has; sdk/project tests the other languages. A key without a password
	// saves a gigabyte of memory.
	commands[0] = strings.Replace(commands[0], "--lang rust", "--lang c", 1)
	commands[4] += " --plain"
	s := newSite(t)
	s.env = append(s.env, "HEADGATE_DEV_KEY="+testKey)
	s.copy("plugins/"+employees, sample(t)) // as make run does
	config := string(fromRoot(t, "configs/gateway.yaml"))
	change := func(from, to string) {
		require.Equal(t, 1, strings.Count(config, from), from)
		config = strings.Replace(config, from, to, 1)
		s.write("gateway.yaml", []byte(config))
	}
	change("  listen: 127.0.0.1:8080\n", "  listen: 127.0.0.1:0\n  metrics_listen: 127.0.0.1:0\n")
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)

	for _, command := range commands[:4] {
		s.follow(command)
	}
	eventually(t, "the plugin is in force, and its findings are counted", func() bool {
		require.Equal(t, 200, c.chat(t, "mock-echo", "1234567812345670").status)
		f := s.run("plugin", "list", "--url", "http://"+g.addr)
		return regexp.MustCompile(`card-check\.wasm +live .*\n +calls \d+, findings [1-9]`).MatchString(f.out)
	})
	change(`  - plugins: "*"`, yaml[0]+`  - plugins: "*"`)
	eventually(t, "it blocks", func() bool { return c.chat(t, "mock-echo", "1234567812345670").code() == "content_filter" })

	printed := s.follow(commands[4]).out
	for _, command := range commands[5:] {
		s.follow(command)
	}
	key := regexp.MustCompile(`keys: \[[^\]]*\]`)
	trust := regexp.MustCompile(`  trust: open.*\n`).FindString(config)
	change(trust, key.ReplaceAllString(yaml[1], key.FindString(printed)))
	g.stop()
	g = s.serve("--config", "gateway.yaml")
	c = g.client(testKey)
	assert.Contains(t, s.run("plugin", "list", "--url", "http://"+g.addr).out, "trust signed")
	assert.Equal(t, "content_filter", c.chat(t, "mock-echo", "1234567812345670").code())
	assert.Equal(t, 200, c.chat(t, "mock-echo", "1234567812345671").status, "the sample detector is signed, too")
	s.copy("plugins/stranger.wasm", sample(t))
	eventually(t, "a file without a signature is refused", func() bool {
		return strings.Contains(s.run("plugin", "list", "--url", "http://"+g.addr).out, "not signed")
	})
}
