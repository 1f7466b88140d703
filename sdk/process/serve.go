package process

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// endTime is how long a plugin that the gateway has left goes on.
const endTime = 500 * time.Millisecond

// Serve makes a plugin of a stage: it is all that main does. It returns when the gateway
// has let go of the plugin. A program that was not started by a gateway says so and ends
// with status 1.
//
// The stage is called from many goroutines at once. What it keeps for an exchange,
// core.Verdict.Keep, is a []byte of at most 4 KB. What it writes to its standard output
// and standard error is in the gateway's log, ten lines in a second at most.
func Serve(stage core.Stage) {
	s := newServer(stage)
	go func() {
		<-s.over
		time.Sleep(endTime) // the gateway may have asked for the end already
		os.Exit(0)
	}()
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{ProtocolVersion: pb.Version, MagicCookieKey: pb.CookieKey, MagicCookieValue: pb.CookieValue},
		Plugins:         plugin.PluginSet{"stage": served{s: s}},
		Logger:          hclog.NewNullLogger(),
		GRPCServer: func(o []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(o, grpc.MaxRecvMsgSize(pb.MaxMessage), grpc.MaxSendMsgSize(pb.MaxMessage),
				grpc.StaticStreamWindowSize(pb.FlowWindow), grpc.StaticConnWindowSize(pb.FlowWindow))...)
		},
	})
	s.close()
}

// served puts the service into go-plugin's server.
type served struct {
	plugin.NetRPCUnsupportedPlugin
	s *server
}

var _ plugin.GRPCPlugin = served{}

// GRPCServer registers the service.
func (p served) GRPCServer(_ *plugin.GRPCBroker, to *grpc.Server) error {
	to.RegisterService(&grpc.ServiceDesc{
		ServiceName: pb.Service, HandlerType: (*runner)(nil),
		Streams: []grpc.StreamDesc{{
			StreamName: pb.RunDesc.StreamName, ServerStreams: true, ClientStreams: true,
			Handler: func(srv any, stream grpc.ServerStream) error { return srv.(runner).run(stream) },
		}},
	}, p.s)
	return nil
}

type runner interface {
	run(stream grpc.ServerStream) error
}

// GRPCClient is the gateway's side, which is elsewhere.
func (served) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("the plugin's side has no client")
}
