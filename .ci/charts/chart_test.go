package charts

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// top is the repository.
const top = "../.."

// gateway is the program, whose loader judges configurations.
var gateway string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "headgate-chart")
	if err != nil {
		panic(err)
	}
	gateway = filepath.Join(dir, "headgate")
	build := exec.Command("go", "build", "-tags", "nomsgpack,grpcnotrace", "-o", gateway, "./cmd/headgate")
	build.Dir, build.Env, build.Stderr = top, append(os.Environ(), "CGO_ENABLED=1"), os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // the system's own cleaning finds what is left
	os.Exit(code)
}

func load(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.LoadDir(filepath.Join(top, "configs/helm/headgate"))
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	return c
}

// render renders the chart with values over its own, which its schema must take.
func render(t *testing.T, values string) (map[string]string, error) {
	t.Helper()
	c := load(t)
	over := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(values), &over))
	all, err := chartutil.ToRenderValues(c, over, chartutil.ReleaseOptions{Name: "eu", Namespace: "llm", IsInstall: true, Revision: 1}, nil)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(c, all)
}

// object is a document of a manifest.
type object struct {
	kind, name string
	raw        []byte
}

// objects splits manifests into their documents.
func objects(t *testing.T, files map[string]string) (list []object) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for doc := range strings.SplitSeq(files[name], "\n---\n") {
			var head struct {
				APIVersion string `json:"apiVersion"`
				Kind       string `json:"kind"`
				Metadata   struct{ Name string }
			}
			require.NoError(t, yaml.Unmarshal([]byte(doc), &head), "%s:\n%s", name, doc)
			if head.Kind == "" {
				continue // it is empty
			}
			assert.NotEmpty(t, head.APIVersion)
			assert.Regexp(t, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, head.Metadata.Name)
			list = append(list, object{head.Kind, head.Metadata.Name, []byte(doc)})
		}
	}
	require.NotEmpty(t, list)
	return list
}

// readObject reads the only object of a kind whose name ends so; a field that Kubernetes does not know is an error.
func readObject[T any](t *testing.T, list []object, kind, suffix string) (out T) {
	t.Helper()
	n := 0
	for _, o := range list {
		if o.kind == kind && strings.HasSuffix(o.name, suffix) {
			require.NoError(t, yaml.UnmarshalStrict(o.raw, &out), string(o.raw))
			n++
		}
	}
	require.Equal(t, 1, n, "%s …%s", kind, suffix)
	return out
}

// secrets are the variables that the secret of a release holds, and that the configurations name.
var secrets = []string{
	"HEADGATE_FLEET_SECRET=0123456789abcdef0123456789abcdef", "OPENAI_API_KEY=sk-test-of-the-chart",
	"HEADGATE_DATABASE=postgres://u:p@db.example.com/headgate?sslmode=verify-full", "HEADGATE_REDIS=rediss://u:p@redis.example.com:6379/0",
	"HEADGATE_CONTROL_PLANE=https://control.example.com:8080", "HEADGATE_APP_KEY=gw_0123456789abcdef0123456789abcdef0123456789abcdef",
}

// validates holds a configuration to the gateway's own loader, with the variables that the image and the pod set.
func validates(t *testing.T, config string, more ...string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "gateway.yaml")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	c := exec.Command(gateway, "validate", "--config", file)
	c.Dir = dir
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "HEADGATE_SERVER_METRICS_LISTEN=:9090"}, more...)
	for _, s := range secrets { // one that is not named would be warned of
		if name, _, _ := strings.Cut(s, "="); strings.Contains(config, "${"+name) {
			c.Env = append(c.Env, s)
		}
	}
	out, err := c.CombinedOutput()
	assert.NoError(t, err, "%s\n%s", out, config)
	for line := range strings.Lines(string(out)) {
		if strings.Contains(config, "control_plane:") && strings.Contains(line, "no providers, so no model") {
			continue // a node has those of its control plane
		}
		assert.NotContains(t, line, "warning", config)
	}
}

// pod checks what holds for every pod that the gateway runs in.
func pod(t *testing.T, spec *core.PodSpec, c *core.Container, claims []core.PersistentVolumeClaim, selected, labels map[string]string) {
	t.Helper()
	for k, v := range selected {
		assert.Equal(t, v, labels[k], "the selector does not find its pods")
	}
	assert.False(t, *spec.AutomountServiceAccountToken)
	assert.GreaterOrEqual(t, *spec.TerminationGracePeriodSeconds, int64(65), "30 s to end exchanges, 30 s to write")
	s := c.SecurityContext
	assert.True(t, *s.ReadOnlyRootFilesystem)
	assert.False(t, *s.AllowPrivilegeEscalation)
	assert.Equal(t, []core.Capability{"ALL"}, s.Capabilities.Drop)
	own := spec.SecurityContext.RunAsNonRoot != nil && *spec.SecurityContext.RunAsNonRoot || s.RunAsNonRoot != nil && *s.RunAsNonRoot
	assert.True(t, own)
	assert.Equal(t, []string{"serve", "--config", "/etc/headgate/gateway.yaml"}, c.Args)
	var volumes, mounts, ports []string
	for _, v := range spec.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, v := range claims {
		volumes = append(volumes, v.Name)
	}
	for _, m := range c.VolumeMounts {
		assert.Contains(t, volumes, m.Name)
		mounts = append(mounts, m.MountPath)
	}
	assert.ElementsMatch(t, []string{"/etc/headgate", "/data", "/tmp"}, mounts, "what the image writes to")
	for _, p := range c.Ports {
		ports = append(ports, p.Name)
	}
	for _, probe := range []*core.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		if probe != nil {
			assert.Contains(t, ports, probe.HTTPGet.Port.String())
		}
	}
}

// probePaths returns the path of each probe that the container has, by the kind of the probe.
func probePaths(c *core.Container) map[string]string {
	paths := map[string]string{}
	for kind, probe := range map[string]*core.Probe{"startup": c.StartupProbe, "liveness": c.LivenessProbe, "readiness": c.ReadinessProbe} {
		if probe != nil {
			paths[kind] = probe.HTTPGet.Path
		}
	}
	return paths
}

func TestTheChartRendersForEveryRole(t *testing.T) {
	for role, values := range map[string]string{
		"all":           "{}",
		"control-plane": "{role: control-plane, replicas: 2, persistence: {enabled: false}, traces: {endpoint: 'https://collector.example.com', sample: 0.1}}",
		"gateway":       "{role: gateway, replicas: 3, traces: {endpoint: 'https://collector.example.com'}}",
	} {
		t.Run(role, func(t *testing.T) {
			files, err := render(t, values)
			require.NoError(t, err)
			list := objects(t, files)
			set := readObject[apps.StatefulSet](t, list, "StatefulSet", "eu-headgate")
			main := &set.Spec.Template.Spec.Containers[0]
			pod(t, &set.Spec.Template.Spec, main, set.Spec.VolumeClaimTemplates, set.Spec.Selector.MatchLabels, set.Spec.Template.Labels)
			assert.Equal(t, map[string]string{"startup": "/livez", "liveness": "/livez", "readiness": "/readyz"}, probePaths(main),
				"a full queue or an absent database must take the pod out of the service, not restart it")
			assert.Equal(t, "headgate:"+load(t).AppVersion(), main.Image)
			assert.Equal(t, "headgate", main.EnvFrom[0].SecretRef.Name)
			assert.NotEmpty(t, set.Spec.Template.Annotations["checksum/config"])

			service := readObject[core.Service](t, list, "Service", "eu-headgate")
			heads := readObject[core.Service](t, list, "Service", "-pods")
			assert.Equal(t, heads.Name, set.Spec.ServiceName)
			for _, s := range []core.Service{service, heads} {
				for k, v := range s.Spec.Selector {
					assert.Equal(t, v, set.Spec.Template.Labels[k])
				}
				found := slices.ContainsFunc(main.Ports, func(p core.ContainerPort) bool { return p.Name == s.Spec.Ports[0].TargetPort.String() })
				assert.True(t, found, "%s leads nowhere", s.Name)
			}
			account := readObject[core.ServiceAccount](t, list, "ServiceAccount", "")
			assert.Equal(t, account.Name, set.Spec.Template.Spec.ServiceAccountName)

			text := readObject[core.ConfigMap](t, list, "ConfigMap", "").Data["gateway.yaml"]
			var config map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(text), &config))
			assert.Equal(t, role, config["role"])
			assert.Equal(t, role != "all", config["telemetry"] != nil)
			validates(t, text, "HEADGATE_FLEET_NODE=eu-headgate-0")
			for _, v := range secrets {
				_, value, _ := strings.Cut(v, "=")
				assert.NotContains(t, text, value)
			}
		})
	}
}

func TestTheOptionsOfTheChartAreRendered(t *testing.T) {
	files, err := render(t, `{metrics: {serviceMonitor: {enabled: true, labels: {release: prometheus}}}, podDisruptionBudget: {enabled: true},
		image: {repository: registry.example.com/headgate, tag: v1}, imagePullSecrets: [{name: pull}], nodeSelector: {disk: ssd},
		tolerations: [{key: llm, operator: Exists}], podLabels: {team: ai}, podAnnotations: {note: text}, extraEnv: [{name: HEADGATE_LOG_LEVEL, value: warn}],
		serviceAccount: {annotations: {note: text}}, service: {annotations: {note: text}}, persistence: {storageClass: fast, size: 1Gi},
		topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}],
		config: {fleet: {secret: "${HEADGATE_FLEET_SECRET}"}, providers: {mock: {}}, routes: [{model_pattern: "mock-*", providers: [{provider: mock}]}], server: {max_body: 1MiB}}}`)
	require.NoError(t, err)
	list := objects(t, files)
	spec := readObject[apps.StatefulSet](t, list, "StatefulSet", "").Spec
	assert.Equal(t, "registry.example.com/headgate:v1", spec.Template.Spec.Containers[0].Image)
	assert.Equal(t, "pull", spec.Template.Spec.ImagePullSecrets[0].Name)
	assert.Equal(t, "ssd", spec.Template.Spec.NodeSelector["disk"])
	assert.Equal(t, "ai", spec.Template.Labels["team"])
	assert.Equal(t, "llm", spec.Template.Spec.Tolerations[0].Key)
	assert.Equal(t, "fast", *spec.VolumeClaimTemplates[0].Spec.StorageClassName)
	assert.EqualValues(t, 1, readObject[policy.PodDisruptionBudget](t, list, "PodDisruptionBudget", "").Spec.MinAvailable.IntVal)
	text := readObject[core.ConfigMap](t, list, "ConfigMap", "").Data["gateway.yaml"]
	assert.NotContains(t, text, "openai", "the configuration in the values replaces the chart's")
	assert.Contains(t, text, "max_body: 1MiB")
	validates(t, text)
	monitor := readObject[map[string]any](t, list, "ServiceMonitor", "")
	heads := readObject[core.Service](t, list, "Service", "-pods")
	for k, v := range monitor["spec"].(map[string]any)["selector"].(map[string]any)["matchLabels"].(map[string]any) {
		assert.Equal(t, v, heads.Labels[k])
	}
}

func TestValuesThatCannotWorkAreRefused(t *testing.T) {
	for values, want := range map[string]string{
		"{role: boss}":                       "role",
		"{replicas: two}":                    "replicas",
		"{replicas: 2}":                      "PostgreSQL",
		"{relicas: 2}":                       "relicas",
		"{traces: {sample: 2}}":              "sample",
		"{existingSecret: ''}":               "existingSecret",
		"{config: {role: all}}":              "config",
		"{config: {server: {listen: ':1'}}}": "server",
		"{role: gateway, config: {store: {url: 'sqlite:x'}}}": "control_plane",
	} {
		_, err := render(t, values)
		assert.ErrorContains(t, err, want, values)
	}
}

func TestTheSidecarOfKubernetesFits(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(top, "configs/kubernetes-sidecar.yaml"))
	require.NoError(t, err)
	list := objects(t, map[string]string{"sidecar.yaml": string(raw)})
	require.Len(t, list, 2)
	d := readObject[apps.Deployment](t, list, "Deployment", "")
	spec := &d.Spec.Template.Spec
	side := &spec.InitContainers[0]
	assert.Equal(t, core.ContainerRestartPolicyAlways, *side.RestartPolicy, "an init container that stays")
	pod(t, spec, side, nil, d.Spec.Selector.MatchLabels, d.Spec.Template.Labels)
	config := readObject[core.ConfigMap](t, list, "ConfigMap", "")
	assert.Equal(t, config.Name, spec.Volumes[0].ConfigMap.Name)
	env := []string{}
	for _, e := range side.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	validates(t, config.Data["gateway.yaml"], env...)
	assert.Equal(t, map[string]string{"startup": "/metrics", "liveness": "/metrics"}, probePaths(side),
		"probes do not reach the loopback of the pod, where /readyz is")
	assert.Equal(t, "headgate:"+load(t).AppVersion(), side.Image)
	app := spec.Containers[0]
	assert.Equal(t, "http://127.0.0.1:8080/v1", app.Env[0].Value)
	assert.Equal(t, side.EnvFrom[0].SecretRef.Name, app.Env[1].ValueFrom.SecretKeyRef.Name)
}
