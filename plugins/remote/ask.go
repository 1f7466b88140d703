package remote

import (
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Asker implements the wire form of one guard. It is safe for concurrent use.
type Asker interface {
	// Ask returns the verdict on the pieces of q, which it must not retain or modify. It should report failures as
	// *Error; the text of any other error is not shown, because it may contain an address or a secret.
	Ask(ctx context.Context, q *Question) (Verdict, error)
	// Close closes idle connections.
	Close()
}

// Question is a question to a guard: texts, and where they come from.
type Question struct {
	Link     string
	Phase    core.Phase
	Stream   bool
	Exchange string // id
	Caller
	Shape, Model          string // of the client's request
	Provider, TargetModel string // where the request goes, and the model's name there; "" if not chosen yet
	Pieces                []Piece
}

// Caller is whose exchange a question is about.
type Caller struct {
	Tenant, Key string // ids; "" if unknown
	// KeyName and Lineage are what budgets also name the key by; see core.Principal.
	KeyName, Lineage string
}

// Piece is one window of a text.
type Piece struct {
	Role   core.Role
	Kind   core.SegmentKind
	Path   string // of the segment in the body; "" if unknown
	Text   string
	Before bool // the run has text before this piece
}

// Action is what a guard decides.
type Action string

// The actions.
const (
	Pass   Action = "pass"
	Flag   Action = "flag"   // pass, with findings
	Redact Action = "redact" // redact the findings
	Block  Action = "block"
)

// Verdict is a guard's answer to a question.
type Verdict struct {
	Action  Action
	Message string   // the reason for a block, shown to the client; printable; default: the gateway's own words
	Spans   [][]Span // by piece; nil for none
	By      string   // the guard that decided, if several were asked
}

// Span is one finding in one piece, in bytes.
type Span struct {
	Start, End int
	Label      string
	Score      float32 // 0 to 1
	With       string
	Plain      bool // With replaces the text; otherwise a placeholder does
}

// buildQuestion describes pieces of an exchange. It shares memory with the exchange.
func (s *Stage) buildQuestion(x *core.Exchange, p core.Phase, stream bool, pieces []Piece) *Question {
	q := &Question{
		Link: s.o.Link, Phase: p, Stream: stream, Exchange: x.ID, Shape: x.Dialect, Model: x.Head.Model,
		Provider: x.Target.Provider, TargetModel: x.Target.Model, Pieces: pieces,
	}
	if x.Principal != nil {
		q.Caller = Caller{x.Principal.Tenant, x.Principal.KeyID, x.Principal.KeyName, x.Principal.Lineage}
	}
	return q
}

// clone returns a copy that shares no memory with the exchange.
func (q *Question) clone() *Question {
	c := *q
	for _, s := range []*string{
		&c.Link, &c.Exchange, &c.Tenant, &c.Key, &c.KeyName, &c.Lineage, &c.Shape, &c.Model, &c.Provider, &c.TargetModel,
	} {
		*s = strings.Clone(*s)
	}
	c.Pieces = make([]Piece, len(q.Pieces))
	for i, p := range q.Pieces {
		p.Path, p.Text = strings.Clone(p.Path), strings.Clone(p.Text)
		c.Pieces[i] = p
	}
	return &c
}

// measureSize returns the length of the texts in bytes.
func (q *Question) measureSize() (n int64) {
	for i := range q.Pieces {
		n += int64(len(q.Pieces[i].Text))
	}
	return n
}
