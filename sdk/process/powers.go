package process

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// findCall returns the call of a context, or one that belongs to no gateway.
func findCall(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return new(call)
}

// FieldOf returns a field of the exchange by its name in docs/plugin-abi.md, as a text: numbers are decimal, lists and objects JSON. It is
// empty if the gateway does not know it in this phase. ctx is the context that the stage received. The manifest must request the field and
// the operator must grant it. The gateway computes fields when they are asked for, which costs about as much as a call; those that
// core.Exchange has too are there already.
func FieldOf(ctx context.Context, name string) (string, error) {
	s := StateOf(ctx)
	if s.c == nil {
		return "", errNoCall
	}
	s.c.mu.Lock()
	value, known := s.c.fields[name]
	s.c.mu.Unlock()
	if known {
		return value, nil
	}
	r, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Field{Field: name}})
	if err != nil {
		return "", err
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.c.fields == nil {
		s.c.fields = map[string]string{}
	}
	s.c.fields[name] = string(r.Value)
	return string(r.Value), nil
}

// BodyOf returns the whole body of the request or the answer in the client's shape, as the links before have changed it, and at the end of
// an exchange the answer that KeepAnswer asked for: JSON, or the events of a stream. It is nil if there is none, or without the capability
// body, which needs all texts.
func BodyOf(ctx context.Context) []byte { return findCall(ctx).body }

// KeepAnswer has the gateway keep the answer for BodyOf in Finish, if it is complete and has at most so many bytes. It is for requests, and
// needs the capability body.
func KeepAnswer(ctx context.Context, most int) { findCall(ctx).keep = uint32(max(most, 0)) }

// Threshold emits the event that a limit of the plugin has reached a share of itself, in per cent. It needs the capability notify.
func Threshold(ctx context.Context, name string, percent int) error {
	_, err := StateOf(ctx).ask(ctx, &pb.StateCall{Body: &pb.StateCall_Threshold{
		Threshold: &pb.Threshold{Name: name, Percent: uint32(max(percent, 0))},
	}})
	return err
}

// Restore returns the value of a placeholder that belongs to the caller. ok is false for any other. It is for answers, and needs the
// capability restore.
func Restore(ctx context.Context, token string) (value string, ok bool, err error) {
	r, err := StateOf(ctx).ask(ctx, &pb.StateCall{Body: &pb.StateCall_Restore{Restore: token}})
	if err != nil {
		return "", false, err
	}
	return string(r.Value), r.Ok, nil
}

// ErrLimited means that a limit of an upstream has no room for a call.
var ErrLimited = errors.New("a limit has no room for the call")

// Call calls an upstream that the operator names and grants. path starts with a slash. It needs the capability call.
func Call(ctx context.Context, upstream, path string, body []byte) (status int, answer []byte, err error) {
	r, err := StateOf(ctx).ask(ctx, &pb.StateCall{Body: &pb.StateCall_Call{
		Call: &pb.UpstreamCall{Upstream: upstream, Path: path, Body: body},
	}})
	switch {
	case err != nil && err.Error() == ErrLimited.Error():
		return 0, nil, ErrLimited
	case err != nil:
		return 0, nil, err
	}
	return int(r.Status), r.Value, nil
}
