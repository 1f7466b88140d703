package mcp

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// DialectName is the name of the shape.
const DialectName = "mcp"

// Form is the kind of a message.
type Form uint8

// Forms of messages. The zero value is none of them.
const (
	_ Form = iota
	Request
	Notification
	Result  // a response that succeeded
	Failure // a response with an error
)

// IsResponse reports whether a message answers a request.
func (f Form) IsResponse() bool { return f == Result || f == Failure }

// Call is one message of a client and its answer. It is the dialect of its exchange and, like the exchange, used by one
// goroutine. The zero value is ready for Scan.
type Call struct {
	Form Form
	Era  Era
	// Version is the revision that the client states: in _meta, in the header, or in the params of initialize. "" means
	// that it states none, which implies 2025-03-26.
	Version string
	Method  string // "" for a response
	// Target is the name of a tool or prompt, or the address of a resource.
	Target string
	// ID is the id as the client spells it, including quotes, or nil.
	ID []byte
	// Answer is what ScanResponse has read.
	Answer Answer

	method    method
	requested string // the version that is not supported
	// refersToURI is true for a completion for a resource or template instead of a prompt.
	refersToURI bool
	refused     Era    // eras that the server does not speak; 0: unknown
	joined      []byte // data of an event that came in several lines
}

var _ core.Dialect = (*Call)(nil)

// Answer is the content of a response besides its texts.
type Answer struct {
	// AsksInput is true for a result that is a request for input.
	AsksInput bool
	// IsError is true for the result of a tool that failed.
	IsError bool
	// Failed is true for a response with an error instead of a result, and Code is its code.
	Failed bool
	Code   int64
	// Opaque is the media type of content that no link can judge and that is not a picture, sound or video, or "".
	Opaque string
	// Definitions are the elements of a list of tools, prompts, resources or templates.
	Definitions []Definition
	// Protocol is the revision that the result of initialize has chosen.
	Protocol string

	cacheScope splice.Span // the whole value
}

// Places in a request's body that the chain moves along.
const (
	markTarget = iota // the content of the string that Call.Target was read from
	markParams        // the whole value
	markMeta          // the whole value
	marks
)

// Reset empties the call for the next exchange. It keeps small buffers.
func (c *Call) Reset() {
	defs := c.Answer.Definitions[:0]
	if cap(defs) > 1024 {
		defs = nil
	}
	clear(defs[:cap(defs)])
	*c = Call{ID: c.ID[:0], Answer: Answer{Definitions: defs}, joined: c.joined}
}

// Name returns the name of the shape.
func (*Call) Name() string { return DialectName }

// KnowsMethod reports whether the protocol defines the method. Other methods are arbitrary client text.
func (c *Call) KnowsMethod() bool { return c.method.eras != 0 }

// Subject is the kind of a target.
type Subject uint8

// Kinds of targets. The zero value is none.
const (
	NoSubject Subject = iota
	ToolSubject
	PromptSubject
	ResourceSubject // a template too
)

// Subject returns the kind of the call's target, or of the elements that it lists.
func (c *Call) Subject() Subject {
	switch c.Method {
	case MethodListTools, MethodCallTool:
		return ToolSubject
	case MethodListPrompts, MethodGetPrompt:
		return PromptSubject
	case MethodListResources, MethodListTemplates, MethodReadResource, MethodSubscribe, MethodUnsubscribe:
		return ResourceSubject
	case MethodComplete:
		if c.refersToURI {
			return ResourceSubject
		}
		return PromptSubject
	}
	return NoSubject
}

// NamesTarget reports whether the header Mcp-Name repeats the target.
func (c *Call) NamesTarget() bool { return c.method.inHeader }
