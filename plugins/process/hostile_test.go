package process

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/protobuf/proto"

	"github.com/headgate-dev/headgate/plugins/process/pb"
)

func init() {
	for name, act := range map[string]func(s grpc.ServerStream, m *pb.FromHost) bool{
		"exits":     func(grpc.ServerStream, *pb.FromHost) bool { os.Exit(3); return false },
		"hangs":     func(grpc.ServerStream, *pb.FromHost) bool { select {} },
		"hangsonce": hangsOnce,
		"ends":      func(grpc.ServerStream, *pb.FromHost) bool { return false },
		"unknown":   func(s grpc.ServerStream, m *pb.FromHost) bool { return say(s, m.Id+1000, pass()) },
		"twice":     func(s grpc.ServerStream, m *pb.FromHost) bool { say(s, m.Id, pass()); return say(s, m.Id, pass()) },
		"hello":     func(s grpc.ServerStream, m *pb.FromHost) bool { return say(s, 0, hello()) },
		"garbage":   func(s grpc.ServerStream, _ *pb.FromHost) bool { return s.SendMsg(raw("\xff\xff\xff\xff")) == nil },
		"empty":     func(s grpc.ServerStream, m *pb.FromHost) bool { return say(s, m.Id, &pb.FromPlugin{}) },
		"oversized": oversized,
		"wrong": func(s grpc.ServerStream, m *pb.FromHost) bool {
			return say(s, m.Id, &pb.FromPlugin{Body: &pb.FromPlugin_Done{Done: &pb.Done{}}})
		},
		"stateflood": stateFlood,
		"fails": func(s grpc.ServerStream, m *pb.FromHost) bool {
			return say(s, m.Id, &pb.FromPlugin{Body: &pb.FromPlugin_Failed{Failed: &pb.Failed{Reason: "no\x1b[31m luck"}}})
		},
		"undecided": func(s grpc.ServerStream, m *pb.FromHost) bool { return say(s, m.Id, verdictOf(&pb.Verdict{})) },
		"outside": func(s grpc.ServerStream, m *pb.FromHost) bool {
			return say(s, m.Id, verdictOf(&pb.Verdict{Action: pb.Action_ACTION_REWRITE, Edits: []*pb.Edit{{Start: 1, End: 9999}}}))
		},
		"pass":   func(s grpc.ServerStream, m *pb.FromHost) bool { return say(s, m.Id, pass()) },
		"orphan": orphan,
	} {
		acts[name] = func() { rawServe(hello(), act) }
	}
	bare := func(line string) func() {
		return func() { fmt.Println(line); hangUntilKilled() }
	}
	acts["silent"] = hangUntilKilled
	acts["chatty"] = bare("hello, I am a plugin")
	acts["long"] = bare(strings.Repeat("x", 1<<20))
	acts["core2"] = bare("2|1|unix|/tmp/x|grpc|")
	acts["version2"] = bare("1|2|unix|/tmp/x|grpc|" + strings.Repeat("A", 100))
	acts["nocert"] = bare("1|1|unix|/tmp/x|grpc|")
	acts["tcp"] = bare("1|1|tcp|127.0.0.1:1|grpc|" + strings.Repeat("A", 100))
	acts["netrpc"] = bare("1|1|unix|/tmp/x|netrpc|" + strings.Repeat("A", 100))
	acts["dies"] = func() { fmt.Fprintln(os.Stderr, "I have\x00 no\x1b[2J config"); os.Exit(2) }
	acts["panicjson"] = func() {
		fmt.Fprintln(os.Stderr, `{"@message": 1, "@level": [], "@timestamp": {}}`)
		rawServe(hello(), func(s grpc.ServerStream, m *pb.FromHost) bool {
			fmt.Fprintln(os.Stderr, `{"@message": 1}`)
			return say(s, m.Id, pass())
		})
	}
	acts["asksunknown"] = func() {
		h := hello()
		h.GetHello().Fields = []string{"password"}
		rawServe(h, nil)
	}
	acts["noname"] = func() {
		h := hello()
		h.GetHello().Name = "No Name"
		rawServe(h, nil)
	}
	acts["verdictfirst"] = func() { rawServe(pass(), nil) }
	acts["loud"] = func() {
		for i := range 5_000 {
			fmt.Fprintf(os.Stderr, "line %d \x1b[31m\u202e%s\n", i, strings.Repeat("y", 3000))
		}
		rawServe(hello(), func(s grpc.ServerStream, m *pb.FromHost) bool { return say(s, m.Id, pass()) })
	}
}

func hello() *pb.FromPlugin {
	return &pb.FromPlugin{Body: &pb.FromPlugin_Hello{Hello: &pb.Hello{
		Name:         "hostile",
		Version:      "1",
		Phases:       []pb.Phase{pb.Phase_PHASE_REQUEST, pb.Phase_PHASE_RESPONSE},
		Texts:        []string{"user"},
		Streams:      true,
		Capabilities: []string{"state"},
	}}}
}

func verdictOf(v *pb.Verdict) *pb.FromPlugin {
	return &pb.FromPlugin{Body: &pb.FromPlugin_Verdict{Verdict: v}}
}

func pass() *pb.FromPlugin { return verdictOf(&pb.Verdict{Action: pb.Action_ACTION_PASS}) }

func say(s grpc.ServerStream, id uint64, m *pb.FromPlugin) bool {
	m.Id = id
	return s.SendMsg(m) == nil
}

// hangsOnce does not answer calls whose text contains the word, but answers all others.
func hangsOnce(s grpc.ServerStream, m *pb.FromHost) bool {
	if c := m.GetCheck(); c != nil && len(c.Segments) > 0 && strings.Contains(c.Segments[0].Text, "hang") {
		return true
	}
	return say(s, m.Id, pass())
}

func oversized(s grpc.ServerStream, m *pb.FromHost) bool {
	return say(s, m.Id, verdictOf(&pb.Verdict{Action: pb.Action_ACTION_PASS, Keep: make([]byte, pb.MaxMessage+1)}))
}

func stateFlood(s grpc.ServerStream, m *pb.FromHost) bool {
	for i := range uint32(100_000) {
		if !say(s, m.Id, &pb.FromPlugin{Body: &pb.FromPlugin_State{State: &pb.StateCall{Number: i}}}) {
			return false
		}
	}
	return true
}

// orphan leaves a child behind that keeps its output open, and exits.
func orphan(s grpc.ServerStream, m *pb.FromHost) bool {
	cmd := exec.Command("/bin/sleep", "3600")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		os.Exit(9)
	}
	fmt.Fprintf(os.Stderr, "orphan %d\n", cmd.Process.Pid)
	return say(s, m.Id, pass())
}

// raw is a message that is sent unchanged.
type raw string

type rawCodec struct{ encoding.Codec }

func (rawCodec) Marshal(v any) ([]byte, error) {
	if r, ok := v.(raw); ok {
		return []byte(r), nil
	}
	return proto.Marshal(v.(proto.Message))
}
func (rawCodec) Unmarshal(b []byte, v any) error { return proto.Unmarshal(b, v.(proto.Message)) }
func (rawCodec) Name() string                    { return "proto" }

// rawServe implements the protocol without an SDK: it sends first, accepts its settings, and answers each call with
// act.
func rawServe(first *pb.FromPlugin, act func(s grpc.ServerStream, m *pb.FromHost) bool) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{ProtocolVersion: pb.Version, MagicCookieKey: pb.CookieKey, MagicCookieValue: pb.CookieValue},
		Plugins:         plugin.PluginSet{"stage": rawPlugin{first: first, act: act}},
		Logger:          hclog.NewNullLogger(),
		GRPCServer: func(o []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(o, grpc.ForceServerCodec(rawCodec{}))...) // the simplest way to send bytes
		},
	})
}

type rawPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	plugin.GRPCPlugin
	first *pb.FromPlugin
	act   func(s grpc.ServerStream, m *pb.FromHost) bool
}

func (p rawPlugin) GRPCServer(_ *plugin.GRPCBroker, to *grpc.Server) error {
	to.RegisterService(&grpc.ServiceDesc{ServiceName: pb.Service, HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{{
		StreamName: "Run", ServerStreams: true, ClientStreams: true, Handler: func(_ any, s grpc.ServerStream) error { return p.run(s) },
	}}}, p)
	return nil
}

func (p rawPlugin) run(s grpc.ServerStream) error {
	if err := s.SendMsg(p.first); err != nil {
		return err
	}
	for {
		m := new(pb.FromHost)
		if err := s.RecvMsg(m); err != nil {
			return err
		}
		switch {
		case m.GetConfigure() != nil:
			say(s, m.Id, &pb.FromPlugin{Body: &pb.FromPlugin_Ready{Ready: &pb.Ready{}}})
		case m.GetCancel() != nil || m.GetState() != nil:
		case !p.act(s, m):
			return nil
		}
	}
}

// hangUntilKilled never returns. Signals that the Go runtime handles wake it, so it waits again.
func hangUntilKilled() {
	for {
		_ = syscall.Pause()
	}
}
