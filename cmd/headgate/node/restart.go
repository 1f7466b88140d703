package node

import (
	"fmt"
	"reflect"

	"github.com/headgate-dev/headgate/core/config"
)

// refuseRestartOnly refuses changes that take effect only with a restart.
func refuseRestartOnly(old, now *config.Config) error {
	var names []string
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"server", needsServerRestart(&old.Server, &now.Server)},
		{"role", old.Role != now.Role},
		{"fleet", old.Fleet != now.Fleet},
		{"store", old.Store != now.Store},
		{"state", old.State != now.State},
		{"log", old.Log != now.Log},
		{"telemetry", !reflect.DeepEqual(old.Telemetry, now.Telemetry)},
		{"plugins.dir, watch, trust or cache_dir", needsPluginRestart(&old.Plugins, &now.Plugins)},
		{"vault", old.Vault != now.Vault},
		{"admin.listen", old.Admin.Listen != now.Admin.Listen},
		{"admin.auth", old.Admin.Auth != now.Admin.Auth},
		{"console", old.Console != now.Console},
		{"license", !reflect.DeepEqual(old.License, now.License)},
		{"capture", !reflect.DeepEqual(old.Capture, now.Capture)},
	} {
		if f.changed {
			names = append(names, f.name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("changes of %v need a restart; revert them, or restart the gateway", names)
	}
	return nil
}

// needsServerRestart compares the settings of the listeners. The maximum sizes may change, because every request
// reads them.
func needsServerRestart(old, now *config.Server) bool {
	a, b := *old, *now
	a.MaxBody, a.AnswerMemory, a.AnswerMemoryPerTenant = b.MaxBody, b.AnswerMemory, b.AnswerMemoryPerTenant
	return !reflect.DeepEqual(a, b)
}
