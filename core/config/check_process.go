package config

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	digest   = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// checkProcess checks the settings of a process, and that no other link has them.
func (c *checker) checkProcess(path string, l Link) {
	if l.Process == "" {
		for _, key := range []string{"args", "env", "sha256", "start_timeout", "plaintext"} {
			if c.isWritten(path + "." + key) {
				c.addProblem(path+"."+key, "is for processes", "remove it")
			}
		}
		return
	}
	if !filepath.IsLocal(l.Process) || strings.HasSuffix(l.Process, ".wasm") || strings.HasPrefix(filepath.Base(l.Process), ".") {
		c.addProblem(path+".process", "is not the name of an executable file within "+c.cfg.Plugins.Dir, "write process: word-guard")
	}
	if l.SHA256 != "" && !digest.MatchString(l.SHA256) {
		c.addProblem(path+".sha256", "is not a SHA-256 digest", "write the 64 hex digits that sha256sum prints for the file")
	}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		if !variable.MatchString(name) {
			c.addProblem(path+".env", "contains an invalid variable name", "use letters, digits and underscores")
		}
		if strings.HasPrefix(name, "PLUGIN_") || name == "HEADGATE_PLUGIN" {
			c.addProblem(path+".env", "sets "+name+", which the gateway sets itself", "remove it")
		}
	}
	if l.Limits.Fuel != 0 {
		c.addWarning(path+".limits.fuel", "has no effect: it is for modules", "remove it, and set timeout")
	}
	if l.Limits.Memory != 0 {
		c.addWarning(path+".limits.memory", "has no effect: a process has no limit of its own", "remove it, and limit the gateway's container")
	}
}
