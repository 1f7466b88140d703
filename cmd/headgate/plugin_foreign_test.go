package main_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foreignSamples are plugins of other hosts, with the output of inspect.
var foreignSamples = map[string][]string{
	"model-access": {"plugin +model-access 1.0.0, kind rego", "sees text +none", "sees fields +model, tenant, max_tokens", "phases +request"},
	"codenames":    {"plugin +codenames 1.0.0, kind extism", "sees text +all", "sees fields +none", "phases +request, response"},
}

func TestPluginsOfOtherHostsAreInspectedPinnedAndListed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, lines := range foreignSamples {
		for _, file := range []string{name + ".wasm", name + ".wasm.yaml"} {
			s.copy("plugins/"+file, fromRoot(t, "sdk/samples/"+name+"/"+file))
		}
		f := s.run("plugin", "inspect", "plugins/"+name+".wasm")
		require.Zero(t, f.code, f.out+f.err)
		for _, line := range lines {
			assert.Regexp(t, "(?m)^"+line+"$", f.out)
		}
	}
	s.configure("", `  - {wasm: codenames.wasm, config: {settings: {words: "apollo"}}}
`)
	f := s.run("plugin", "lock", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.out+f.err)
	assert.Contains(t, f.out, "plugins.lock lists 4 files")
	f = s.run("plugin", "list", "--config", "gateway.yaml", "--set", "plugins.trust=pinned")
	assert.Zero(t, f.code, "a module that wants settings has those of its link: "+f.out+f.err)
	assert.Contains(t, f.out, "codenames 1.0.0, extism")

	f = s.run("plugin", "verify", "--trust", "open", "plugins/codenames.wasm")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "the setting words is missing", "what the module says of it is shown")
	assert.Contains(t, f.out, "it may want settings")
	f = s.run("plugin", "verify", "--config", "gateway.yaml", "plugins/codenames.wasm")
	assert.Zero(t, f.code, f.out+f.err)
}

func TestThePluginsOfOtherHostsPassTheirCases(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name := range foreignSamples {
		for _, ending := range []string{".wasm", ".wasm.yaml", ".cases.yaml"} {
			s.copy(name+ending, fromRoot(t, "sdk/samples/"+name+"/"+name+ending))
		}
	}
	f := s.run("plugin", "test", "--require-coverage")
	assert.Zero(t, f.code, f.out+f.err)
}

func TestAMisspeltVerbIsAnError(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for want, args := range map[string][]string{
		`did you mean "headgate plugin verify"?`: {"plugin", "verfy", "x.wasm"},
		`did you mean "headgate serve"?`:         {"srve"},
		"usage: headgate plugin new NAME":        {"plugin", "new"},
		"usage: headgate plugin verify FILE":     {"plugin", "verify"},
		"--pub: there is no file nothere.pub":    {"plugin", "verify", "--pub", "nothere.pub", "x.wasm"},
		"no digest was written":                  {"plugin", "lock", "--dir", "."},
	} {
		if want == "no digest was written" {
			s.write("bad.wasm", []byte("no module"))
		}
		f := s.run(args...)
		assert.Equal(t, 1, f.code, "%v", args)
		assert.Contains(t, f.err, want)
	}
	assert.Zero(t, s.run("plugin").code, "alone it prints its help")
}
