package remote

import (
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Asker speaks the wire form of one guard. It may be used from any goroutine.
type Asker interface {
	// Ask returns the verdict on the pieces of q, which it must not keep or change. What it reports should be a *Fault; any
	// other error is described without its text, since that may hold an address or a secret.
	Ask(ctx context.Context, q *Question) (Verdict, error)
	// Close lets go of idle connections.
	Close()
}

// Question is what a guard is asked about: texts, and whose they are.
type Question struct {
	Link                  string
	Phase                 core.Phase
	Stream                bool
	Exchange              string // its id
	Tenant, Key           string // ids; "": unknown
	Shape, Model          string // of the client's request
	Provider, TargetModel string // where the request goes, and the model's name there; "": not chosen yet
	Pieces                []Piece
}

// Piece is one window of a text.
type Piece struct {
	Role   core.Role
	Kind   core.SegmentKind
	Path   string // of the segment in the body; "": unknown
	Text   string
	Before bool // other text of the same run stands before it
}

// Action is what a guard demands.
type Action string

// The actions.
const (
	Pass   Action = "pass"
	Flag   Action = "flag"   // pass, with findings
	Redact Action = "redact" // take the findings out
	Block  Action = "block"
)

// Verdict is what a guard says about a question.
type Verdict struct {
	Action  Action
	Message string   // why it blocks, for the client; printable; "": the gateway's own words
	Spans   [][]Span // by piece; nil: none
	By      string   // whose verdict it is, where several are asked
}

// Span is one finding in one piece, in bytes.
type Span struct {
	Start, End int
	Label      string
	Score      float32 // 0 to 1
	With       string
	Plain      bool // With takes the text's place; otherwise a placeholder does
}

// question describes pieces of an exchange. It shares the exchange's memory.
func (s *Stage) question(x *core.Exchange, p core.Phase, stream bool, pieces []Piece) *Question {
	q := &Question{
		Link: s.o.Link, Phase: p, Stream: stream, Exchange: x.ID, Shape: x.Dialect, Model: x.Head.Model,
		Provider: x.Target.Provider, TargetModel: x.Target.Model, Pieces: pieces,
	}
	if x.Principal != nil {
		q.Tenant, q.Key = x.Principal.Tenant, x.Principal.KeyID
	}
	return q
}

// clone returns a copy that shares no memory with the exchange.
func (q *Question) clone() *Question {
	c := *q
	for _, s := range []*string{&c.Link, &c.Exchange, &c.Tenant, &c.Key, &c.Shape, &c.Model, &c.Provider, &c.TargetModel} {
		*s = strings.Clone(*s)
	}
	c.Pieces = make([]Piece, len(q.Pieces))
	for i, p := range q.Pieces {
		p.Path, p.Text = strings.Clone(p.Path), strings.Clone(p.Text)
		c.Pieces[i] = p
	}
	return &c
}

// size is the length of the texts in bytes.
func (q *Question) size() (n int64) {
	for i := range q.Pieces {
		n += int64(len(q.Pieces[i].Text))
	}
	return n
}
