package process

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

func TestAPluginSetsNoHeaderOfTheGatewaysOwn(t *testing.T) {
	for name, fits := range map[string]bool{
		"X-Team": true, "X-Trace": true, "X-Trace-Id": false, "X-TRACE-ID": false, "X-Gateway-Route": false, "X-should-retry": false, "X-Accel-Redirect": false,
	} {
		r := reader{unit: pb.Unit_UNIT_BYTE, phase: core.Request, link: "l"}
		var v core.Verdict
		wrong := r.read(&pb.Verdict{Action: pb.Action_ACTION_PASS, Header: []*pb.Header{{Name: name, Value: "a"}}}, &v)
		if fits {
			require.Empty(t, wrong, name)
			assert.Len(t, v.Header, 1)
			continue
		}
		assert.Contains(t, wrong, "the gateway itself sets", name)
	}
}
