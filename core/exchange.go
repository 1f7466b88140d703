package core

import (
	"context"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/llm"
)

// Exchange is one client call. One goroutine owns it; stages read it, and only the chain and the proxy write. It is
// reused: do not retain any part of it.
type Exchange struct {
	ID             string // ours, unique
	Trace          string // X-Trace-ID: the client's, or the ID
	Dialect        string // name of the client's shape
	RelatedDialect string // a shape whose links also apply; optional
	BareModel      string // the client's model without a provider's prefix; empty if unknown
	Received       time.Time
	Principal      *Principal
	Head           Head
	Request        Payload
	Target         TargetRef
	Response       Payload // in the client's shape
	Findings       []Finding
	Usage          llm.Usage // of all calls, known when the exchange has ended
	Cost           int64     // of all calls, in units of 1e-10 USD; known then too
	InputCost      int64     // the part of Cost that input has
	PriceID        string    // of the price of the last target's calls; empty if unknown
	Priced         bool      // the prices of all usage are known
	Attempts       []Attempt
	Skipped        []Attempt // targets that were treated as down for this exchange, and not called
	Outcome        Outcome
	Header         []Field         // added to the answer by stages
	Minted         placeholder.Set // placeholders made in this exchange
	Visits         []Visit         // the verdict of each link
	FirstByte      time.Time
	// Finish is the finish reason of the first choice of a streamed answer, in the client's shape; "" until it is
	// known.
	Finish string
	// Appended are messages that a Retry appended to the request's. They are not in Request; the next call sends them.
	Appended []llm.Message
	Relaxed  bool // a strict schema was sent as not strict; a header of the answer says so

	// Reuse is what the result of a tool depends on besides the caller's tenant, the tool and its arguments. It is nil if
	// the result must not answer another call: the tool is not known to be read-only, or the result is not cacheable.
	Reuse []string

	// Hosted are the request's tools that run at the provider. It is nil where hosted tools are not supported: a scan refuses them.
	Hosted *hosted.Found

	// Scanner is the exchange's own, for the dialect.
	Scanner splice.Scanner
	// Notes is the dialect's state of the request, kept for reuse.
	Notes any

	// Chain is the chain's own state for this exchange, kept for reuse.
	Chain ChainState

	patch  Patch
	chosen bool // see Chosen
	tenant hashedTenant
}

// ChainState is the chain's state of an exchange between its phases.
type ChainState interface {
	// Settle is Exchange.Settle.
	Settle(ctx context.Context, c Counters, limits []Limit, by Settlement)
	// Reset empties the state for the next exchange.
	Reset()
}

// Settle settles a Take, and calls by.Settled. At the end of an exchange, settlements of all links with the same server
// are joined: by.Settled is then called after the last Finisher.
func (x *Exchange) Settle(ctx context.Context, c Counters, limits []Limit, by Settlement) {
	if x.Chain == nil {
		by.Settle(ctx, limits, c.Settle(ctx, limits))
		return
	}
	x.Chain.Settle(ctx, c, limits, by)
}

// Head is what a scan finds without building the neutral model.
type Head struct {
	Model     string // as the client spells it
	Stream    bool
	MaxTokens int64 // the client's limit; 0: none given
	Messages  int
	Tools     []string       // names of the tools offered
	Images    bool           // a message holds a picture
	Format    llm.FormatKind // the required form of the answer
	Strict    bool           // the schema of Format is strict
	// HasCustomTools is true if a tool takes free text, or a message contains a call of one. A target without such tools
	// receives a translation, even in the same shape.
	HasCustomTools bool
	Effort         string
	User           string // the end user
	Task           llm.Task
	MaxUsage       llm.Usage // the most that a call can use, where Task.IsBounded; of TaskCompact, what it can write
	// File is the refusal of a file that no link can judge, if the configuration refuses such files. Optional.
	File             *Error
	AnswersPerPrompt int64 // requested answers per prompt; 0: one
	Prompts          int64 // prompts, each with its own call; 0: one
}

// maxAnswers exceeds what any provider returns, and keeps products within bounds.
const maxAnswers = 1 << 20

// Answers returns the number of requested answers for all prompts together, at most maxAnswers.
func (h *Head) Answers() int64 {
	return min(max(h.AnswersPerPrompt, 1), maxAnswers) * min(max(h.Prompts, 1), maxAnswers)
}

// TargetRef is where a call goes.
type TargetRef struct {
	Provider string
	Model    string // the provider's name for it
	Region   string
	Route    string // id of the route that leads there, or ""
	// Wire is the name of the shape that the provider is sent, once it is chosen.
	Wire string
}

// Attempt is one call to a provider.
type Attempt struct {
	Target   TargetRef
	Status   int // 0: no answer
	Began    time.Time
	Duration time.Duration
	// Usage is the usage of this call, if it is known separately: of a call without a result for the client that may
	// still cost money. It is part of the exchange's.
	Usage llm.Usage
	// Lost is true if the request was sent and no answer arrived: the provider may have served it.
	Lost bool
}

// OutcomeKind says how an exchange ended.
type OutcomeKind uint8

// Outcomes. The zero value means that the exchange has not ended.
const (
	_           OutcomeKind = iota
	Served                  // the provider's answer was given
	Answered                // a stage replied
	Blocked                 // a stage objected
	Faulted                 // a stage failed, and its link says block
	Refused                 // the gateway refused the request: bad input, no key, no route
	UpstreamErr             // the provider refused or failed
	ClientGone              // the client left
	Crashed                 // a bug or failure of the gateway
)

func (k OutcomeKind) String() string {
	names := [...]string{"", "served", "answered", "blocked", "faulted", "refused", "upstream_error", "client_gone", "crashed"}
	if int(k) < len(names) {
		return names[k]
	}
	return ""
}

// Outcome is how an exchange ended.
type Outcome struct {
	Kind     OutcomeKind
	By       string // the link that answered, blocked or failed
	Status   int    // HTTP status that the client was sent; 0: none
	Complete bool   // the whole answer was delivered
	Err      *Error
}

// Visit is one link's verdict.
type Visit struct {
	Link     string
	Phase    Phase
	Action   Action
	Shadow   bool
	Fault    Fault
	Duration time.Duration
	// Began is when the link was called, on the chain's own clock; 0: it judged parts of a stream, and Duration is the
	// sum of its times.
	Began time.Duration
}

// At returns when the link was called, or zero for a link that judged parts of a stream.
func (v *Visit) At() time.Time {
	if v.Began == 0 {
		return time.Time{}
	}
	return start.Add(v.Began)
}

// start is when the program started.
var start = time.Now()

// MeasureUptime returns the time since the program started. It reads one clock; time.Now reads two.
func MeasureUptime() time.Duration { return time.Since(start) }

// Reset empties the exchange for its next use and keeps its buffers.
func (x *Exchange) Reset() {
	x.Request.Reset()
	x.Response.Reset()
	if x.Chain != nil {
		x.Chain.Reset()
	}
	x.Minted.Reset()
	x.Scanner.Reset(nil)
	// Field by field: copying the whole struct would cost more than the rest.
	x.ID, x.Trace, x.Dialect, x.RelatedDialect, x.BareModel, x.Received, x.Principal = "", "", "", "", "", time.Time{}, nil
	x.Finish, x.Hosted, x.Reuse = "", nil, nil
	x.Head = Head{Tools: scratch.Reuse(x.Head.Tools)}
	x.Cost, x.InputCost, x.PriceID, x.Priced = 0, 0, "", false
	x.Target, x.Usage, x.Outcome, x.FirstByte = TargetRef{}, llm.Usage{}, Outcome{}, time.Time{}
	x.Relaxed, x.Appended, x.patch, x.chosen, x.tenant = false, nil, Patch{}, false, hashedTenant{}
	x.Findings, x.Attempts, x.Skipped = scratch.Reuse(x.Findings), scratch.Reuse(x.Attempts), nil
	x.Header, x.Visits = scratch.Reuse(x.Header), scratch.Reuse(x.Visits)
}

// Compact releases the memory that a large request no longer needs once the links of the request phase have let it
// through. It reports whether nothing refers to the body as it was received. While the provider answers, which takes
// seconds, an exchange then holds one copy of a long prompt instead of four.
func (x *Exchange) Compact() (replaced bool) {
	if len(x.Request.Raw) <= scratch.Small {
		return false
	}
	// These may lie in the body.
	x.Head.Model, x.BareModel, x.patch.Model = strings.Clone(x.Head.Model), strings.Clone(x.BareModel), strings.Clone(x.patch.Model)
	return x.Request.Compact()
}

// Model returns the model to route: the client's, or the one that a stage set instead.
func (x *Exchange) Model() string {
	if x.patch.Model != "" {
		return x.patch.Model
	}
	return x.Head.Model
}

// Names reports whether a pattern matches one of the model's names: the client's, the same without a provider's prefix,
// or the routed one. A prefix may be either of a provider's names.
func (x *Exchange) Names(pattern string) bool {
	return match.MatchesModel(pattern, x.Head.Model) || x.BareModel != "" && match.MatchesModel(pattern, x.BareModel) ||
		x.patch.Model != "" && match.MatchesModel(pattern, x.patch.Model)
}

// OverrideModel makes the gateway route model instead of the client's.
func (x *Exchange) OverrideModel(model string) { x.patch.Model = model }

// ApplyPatch changes the parameters of the call. Of several token limits the lowest counts.
func (x *Exchange) ApplyPatch(p Patch) {
	if p.Model != "" {
		x.patch.Model, x.chosen = p.Model, true
	}
	if p.MaxTokens > 0 && (x.patch.MaxTokens == 0 || p.MaxTokens < x.patch.MaxTokens) {
		x.patch.MaxTokens = p.MaxTokens
	}
}

// IsModelChosen reports whether a link has chosen the model, so that the client does not decide which provider serves it.
func (x *Exchange) IsModelChosen() bool { return x.chosen }

// TokenCap returns the lowest limit that a stage has set, or 0.
func (x *Exchange) TokenCap() int64 { return x.patch.MaxTokens }

// HashTenant returns the sum of the caller's tenant, computed once.
func (x *Exchange) HashTenant(h payload.Hasher) payload.Sum {
	tenant := ""
	if x.Principal != nil {
		tenant = x.Principal.Tenant
	}
	if !x.tenant.known || x.tenant.name != tenant {
		x.tenant.name, x.tenant.sum, x.tenant.known = tenant, h.Hash(payload.DomainTenant, zerocopy.ViewBytes(tenant)), true
	}
	return x.tenant.sum
}

// hashedTenant is the sum of a tenant's name.
type hashedTenant struct {
	name  string
	sum   payload.Sum
	known bool
}
