package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"time"
)

// newFloorHandler returns the proxy of a kind, which forwards all requests to upstream.
func newFloorHandler(kind string, upstream *url.URL, trust *tls.Config) (http.Handler, error) {
	switch kind {
	case "revproxy":
		return newReverseProxy(upstream, trust), nil
	case "raw":
		return newRawProxy(upstream.Host), nil
	}
	return nil, fmt.Errorf("no floor of kind %q: want revproxy or raw", kind)
}

func runFloor(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("floor", flag.ContinueOnError)
	kind := fs.String("kind", "revproxy", "revproxy or raw")
	addr := fs.String("addr", "127.0.0.1:9201", "listen address")
	to := fs.String("upstream", "http://127.0.0.1:9100", "upstream; https with -tls")
	secure := fs.String("tls", "", "folder of the certificate to serve, and to trust upstream; empty: plain HTTP")
	profiles := fs.String("pprof", "", "listen address of the profiles; empty: none")
	if err := parseFlags(fs, args); err != nil {
		return err
	}
	u, err := url.Parse(*to)
	if err != nil {
		return fmt.Errorf("parse -upstream: %w", err)
	}
	trust, err := loadClientTLS(*secure)
	if err != nil {
		return err
	}
	h, err := newFloorHandler(*kind, u, trust)
	if err != nil {
		return err
	}
	if *profiles != "" {
		mux := http.NewServeMux()
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		go func() {
			if err := serveFloor(ctx, *profiles, "", mux); err != nil {
				log.Printf("profiles: %v", err)
			}
		}()
	}
	return serveFloor(ctx, *addr, *secure, h)
}

// serveFloor serves until ctx ends, with the certificate in the folder secure if there is one.
func serveFloor(ctx context.Context, addr, secure string, h http.Handler) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if l, err = wrapListener(l, secure, "h2", "http/1.1"); err != nil {
		return err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
