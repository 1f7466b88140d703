package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAClientIsToldThatAStreamLivesWhileItsTextIsHeld(t *testing.T) {
	goOn := make(chan struct{})
	g := open(t, setup{chain: redacting(t, ""), url: newFake(t, func(c net.Conn, _ sent) {
		_, _ = io.WriteString(c, streamHead+chunk(roleEvent+textEvent("a"))+chunk(textEvent("{{PII_")))
		<-goOn
		_, _ = io.WriteString(c, chunk(textEvent("x"))+chunk(stopEvent+doneEvent)+chunk(""))
	}).url})
	g.proxy.SetKeepAlive(5 * time.Millisecond)
	res, err := http.DefaultTransport.RoundTrip(g.request("dev", strings.NewReader(chatStream("hi"))))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	r := bufio.NewReader(res.Body)
	var got strings.Builder
	for comments := 0; comments < 3; {
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		got.WriteString(line)
		if line == ": held\n" {
			comments++
		}
	}
	close(goOn)
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	got.Write(rest)
	assert.Equal(t, heard{content: "a{{PII_x", finish: "stop", done: true}, listen(t, got.String()))
	assert.NotContains(t, strings.ReplaceAll(got.String(), ": held\n\n", ""), "held")
}

func TestNoCommentIsSentWhileTheProviderIsSilent(t *testing.T) {
	for _, chain := range []string{"", "action: redact"} {
		goOn := make(chan struct{})
		s := setup{url: newFake(t, func(c net.Conn, _ sent) {
			_, _ = io.WriteString(c, streamHead+chunk(roleEvent+textEvent("a")))
			<-goOn
			_, _ = io.WriteString(c, chunk(textEvent("b"))+chunk(stopEvent+doneEvent)+chunk(""))
		}).url}
		if chain != "" {
			s.chain = redacting(t, chain)
		}
		g := open(t, s)
		g.proxy.SetKeepAlive(time.Millisecond)
		time.AfterFunc(50*time.Millisecond, func() { close(goOn) })
		assert.Equal(t, roleEvent+textEvent("a")+textEvent("b")+stopEvent+doneEvent, g.post("dev", chatStream("hi")).body)
	}
}
