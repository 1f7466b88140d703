package charts

import (
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"
)

var _ = require.NoError
var _ = loader.LoadDir
var _ = chartutil.ToRenderValues
var _ = engine.Render
var _ = yaml.Unmarshal

func TestX(t *testing.T) {}
