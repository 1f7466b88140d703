package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var rollingRestart = trial{
	name:  "rolling restart",
	about: "two nodes behind a plain round robin, restarted one after the other under load: of 2,000 requests none is lost",
	limit: 2 * time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		const requests = 2000
		p, err := startProvider(func(w http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body)
			time.Sleep(20 * time.Millisecond) // the model's response time
			writeAnswer(w, buildAnswer("ok"))
		})
		if err != nil {
			return r, err
		}
		defer p.close()
		var nodes [2]node
		for i := range nodes {
			addr, err := findFreeAddress()
			if err != nil {
				return r, err
			}
			nodes[i].name = "node" + strconv.Itoa(i)
			nodes[i].config = buildSampleConfig(addr, p.url, ", drain_delay: 1s", "chain: []\n")
			if nodes[i].gateway, err = b.startGateway(ctx, nodes[i].name, nodes[i].config); err != nil {
				return r, err
			}
		}
		balancer, err := startBalancer(ctx, &nodes)
		if err != nil {
			return r, err
		}
		defer balancer.close()
		var next atomic.Int64
		var count counts
		var wg sync.WaitGroup
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
		for range 16 {
			wg.Go(func() {
				for next.Add(1) <= requests {
					count.add(sendChat(ctx, client, balancer.url, keyA, buildChat("x", false)))
					time.Sleep(20 * time.Millisecond) // spreads the requests over the restarts
				}
			})
		}
		for i := range nodes {
			err = errors.Join(err, nodes[i].restart(ctx, b))
		}
		during := next.Load()
		wg.Wait()
		for i := range nodes {
			r.peak += nodes[i].gateway.peak.Load()
			err = errors.Join(err, nodes[i].gateway.stop())
		}
		count.fill(&r)
		r.require(r.acknowledged == requests, "%d of %d were not answered", requests-r.acknowledged, requests)
		r.require(during > 200, "only %d requests fell into the restarts", during)
		return r, err
	},
}

// node is one of the gateways behind the balancer.
type node struct {
	name, config string
	gateway      *gateway
	ready        atomic.Bool
}

// restart shuts the node down, starts it again, and waits until the balancer uses it.
func (n *node) restart(ctx context.Context, b *bench) error {
	if err := n.gateway.stop(); err != nil {
		return err
	}
	g, err := b.startGateway(ctx, n.name, n.config)
	if err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	g.peak.Store(max(g.peak.Load(), n.gateway.peak.Load()))
	n.gateway = g
	for !n.ready.Load() && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond) // the balancer polls by the clock
	}
	return ctx.Err()
}

// startBalancer serves a round robin over the ready nodes. It polls each node every 100 ms, never retries, and keeps
// connections.
func startBalancer(ctx context.Context, nodes *[2]node) (*provider, error) {
	var targets [2]*url.URL
	probe := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for i := range nodes {
		targets[i], _ = url.Parse(nodes[i].gateway.url) // our own
		nodes[i].ready.Store(true)
		look := &gateway{url: nodes[i].gateway.url}
		go func() {
			for ctx.Err() == nil {
				nodes[i].ready.Store(look.isReady(probe))
				time.Sleep(100 * time.Millisecond) // the pace of a balancer
			}
		}()
	}
	var turn atomic.Uint64
	proxy := &httputil.ReverseProxy{
		Rewrite: func(q *httputil.ProxyRequest) {
			i := turn.Add(1) % 2
			if !nodes[i].ready.Load() {
				i = 1 - i
			}
			q.SetURL(targets[i])
			q.Out.Body = io.NopCloser(q.In.Body) // a body that cannot be read again: net/http never retries
			q.Out.GetBody = nil
		},
		Transport: &http.Transport{MaxIdleConnsPerHost: 32},
	}
	return startProvider(proxy.ServeHTTP)
}

// findFreeAddress returns an address that is free now, and that the node keeps across its restart.
func findFreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
