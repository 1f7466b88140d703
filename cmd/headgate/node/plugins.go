package node

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// openPlugins opens the folder of plugins. Modules are compiled by a child of
// this program, so that one that is slow to compile cannot stall the gateway.
// decided is called when a candidate was promoted or held; nil: none is tried.
func OpenPlugins(cfg *config.Config, log func(text string), decided func()) (*plugins.Dir, error) {
	trust, err := plugins.ParseTrust(string(cfg.Plugins.Trust))
	if err != nil {
		return nil, err
	}
	rules, err := pluginRules(cfg)
	if err != nil {
		return nil, err
	}
	if decided == nil { // who only looks must not begin a trial, nor keep what it has loaded
		rules.Candidate = plugins.Candidate{}
	}
	cache, err := PluginCache(cfg.Plugins.CacheDir)
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		exe = "" // compile in this process
	}
	return plugins.Open(plugins.Options{
		Dir: cfg.Plugins.Dir, Trust: trust, Rules: rules, CacheDir: cache, Decided: decided,
		Child: wasm.Child{Exe: exe, Args: []string{"plugin", "compile"}},
		Log: func(file string, _ abi.Level, text string, dropped int) {
			if dropped > 0 {
				text = fmt.Sprintf("%s (%d lines dropped)", text, dropped)
			}
			log(file + ": " + text)
		},
	})
}

// pluginRules are what may change without a restart.
func pluginRules(cfg *config.Config) (plugins.Rules, error) {
	keys, err := plugins.ParseKeys(cfg.Plugins.Keys)
	c := cfg.Plugins.Candidate
	return plugins.Rules{
		Keys: keys, Withdraw: cfg.Plugins.Removed == config.RemovedFault,
		Candidate: plugins.Candidate{For: c.For, MinCalls: c.MinCalls, MaxDivergence: c.MaxDivergence, MaxFaults: c.MaxFaults},
	}, err
}

// cacheDir is where compiled modules are kept: a folder of this user's own.
func PluginCache(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	base, err := os.UserCacheDir()
	if err != nil { // no home, as in a bare container
		return "", nil // without a cache modules are compiled at each start
	}
	return filepath.Join(base, "headgate", "wasm"), nil
}
