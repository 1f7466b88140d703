package telemetry

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headgate-dev/headgate/core"
)

// genAI are the client metrics of OpenTelemetry's conventions for generative AI, under their Prometheus names. They
// measure calls to providers, so exchanges that ended earlier are not in them.
type genAI struct {
	calls  *children[genAILabels, genAIMetrics]
	models knownModels
}

type genAILabels struct{ operation, provider, model, failure string }

type genAIMetrics struct{ seconds, input, output prometheus.Observer }

func newGenAI(r prometheus.Registerer) *genAI {
	labels := []string{"gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model", "gen_ai_response_model"}
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "gen_ai_client_operation_duration_seconds",
		Help:    "Time from a request's receipt to the end of its answer, of exchanges that a provider was called for.",
		Buckets: []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92},
	}, append(labels, "error_type"))
	tokens := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gen_ai_client_token_usage", Help: "Tokens of an exchange by the providers' counts.",
		Buckets: []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864},
	}, append(labels, "gen_ai_token_type"))
	r.MustRegister(seconds, tokens)
	return &genAI{calls: newChildren(func(k genAILabels) genAIMetrics {
		response := k.model
		if k.failure != "" {
			response = ""
		}
		return genAIMetrics{
			seconds: seconds.WithLabelValues(k.operation, k.provider, k.model, response, k.failure),
			input:   tokens.WithLabelValues(k.operation, k.provider, k.model, response, "input"),
			output:  tokens.WithLabelValues(k.operation, k.provider, k.model, response, "output"),
		}
	})}
}

func (g *genAI) recordExchange(x *core.Exchange, latency time.Duration) {
	if len(x.Attempts) == 0 {
		return
	}
	k := genAILabels{operation: nameOperation(x), provider: nameProvider(x.Target.Provider)}
	served := x.Outcome.Kind == core.Served
	k.model = g.models.internName(x.Target.Model, served)
	if !served {
		k.failure = x.Outcome.Kind.String()
	}
	m := g.calls.findChild(k)
	m.seconds.Observe(latency.Seconds())
	if u := &x.Usage; u.Reported {
		m.input.Observe(float64(u.Input))
		m.output.Observe(float64(u.Output))
	}
}

// maxModels limits the models with their own label.
const maxModels = 64

// otherModel is the label of all other models.
const otherModel = "_OTHER"

// knownModels are the models that a provider has answered for: clients can ask for any name, and only these become labels.
type knownModels struct {
	names atomic.Pointer[map[string]string] // name to name, for the retained copy
	mu    sync.Mutex
}

// internName returns a retained copy of the model's name: the argument may point into the request's bytes.
func (k *knownModels) internName(model string, served bool) string {
	if m := k.names.Load(); m != nil {
		if own, ok := (*m)[model]; ok {
			return own
		}
		if len(*m) >= maxModels {
			return otherModel
		}
	}
	if !served || model == "" || truncateModel(model) != model {
		return otherModel
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	grown := map[string]string{}
	if old := k.names.Load(); old != nil {
		if own, ok := (*old)[model]; ok {
			return own
		}
		if len(*old) >= maxModels {
			return otherModel
		}
		maps.Copy(grown, *old)
	}
	own := strings.Clone(model)
	grown[own] = own
	k.names.Store(&grown)
	return own
}
