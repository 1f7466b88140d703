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

// OpenPlugins opens the plugins folder. A child process compiles modules, so that a slow compilation cannot stall the
// gateway. decided is called when a candidate is promoted or held; nil disables trials.
func OpenPlugins(cfg *config.Config, log func(text string), decided func()) (*plugins.Dir, error) {
	trust, err := plugins.ParseTrust(string(cfg.Plugins.Trust))
	if err != nil {
		return nil, err
	}
	rules, err := buildPluginRules(cfg)
	if err != nil {
		return nil, err
	}
	if decided == nil { // a read-only user must neither start a trial nor remember what it loaded
		rules.Candidate = plugins.Candidate{}
	}
	cache, err := FindPluginCache(cfg.Plugins.CacheDir)
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

// buildPluginRules returns the rules that may change without a restart.
func buildPluginRules(cfg *config.Config) (plugins.Rules, error) {
	keys, err := plugins.ParseKeys(cfg.Plugins.Keys)
	c := cfg.Plugins.Candidate
	return plugins.Rules{
		Pins: listPins(cfg), Vouched: listVouched(cfg), MinVersions: cfg.Plugins.MinVersions,
		Keys: keys, Withdraw: cfg.Plugins.Removed == config.RemovedFault,
		Candidate: plugins.Candidate{For: c.For, MinCalls: c.MinCalls, MaxDivergence: c.MaxDivergence, MaxFaults: c.MaxFaults},
	}, err
}

// FindPluginCache returns the folder of compiled modules, which belongs to this user.
func FindPluginCache(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	base, err := os.UserCacheDir()
	if err != nil { // no home directory, as in a minimal container
		return "", nil // without a cache, every start compiles the modules
	}
	return filepath.Join(base, "headgate", "wasm"), nil
}
