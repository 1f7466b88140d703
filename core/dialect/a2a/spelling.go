package a2a

import (
	"strings"

	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// ruled are the members that the gateway reads itself, by their names in small letters without underscores.
var ruled = func() map[string]string {
	all := map[string]string{}
	for _, name := range []string{
		"jsonrpc", "id", "method", "params", "message", "parts", "configuration", "tenant", "taskId", "contextId", "referenceTaskIds",
		"pushNotificationConfig", "taskPushNotificationConfig",
	} {
		all[foldName(name)] = name
	}
	return all
}()

func foldName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// checkSpelling refuses a member that an agent may take for one that the gateway reads itself: readers of JSON for protocol
// buffers know the names with underscores too, and others make no difference between capital and small letters. What they read
// there would have passed neither the check of ids nor that of push notifications.
func (r *request) checkSpelling(name string) {
	if want := ruled[foldName(name)]; want != "" && want != name {
		r.Fail(scan.NewInvalid(want, "write it as "+want+", which is how the specification spells it"))
	}
}
