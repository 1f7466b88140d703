package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core/manage/console/script"
)

//go:embed static
var staticFiles embed.FS

// static is a file that pages load.
type static struct {
	path  string // includes the digest of the content, so that browsers can cache it forever
	kind  string
	bytes []byte
	// compress returns the bytes in gzip, or nil for a file that gzip does not shorten. Pages are not compressed: their length would
	// tell what they repeat of a request (BREACH).
	compress func() []byte
}

func readStatics() (map[string]*static, error) {
	out := map[string]*static{}
	err := fs.WalkDir(staticFiles, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if path.Ext(name) == ".tsv" {
			return nil // where files come from
		}
		b, err := staticFiles.ReadFile(name)
		if err != nil {
			return err
		}
		out[path.Base(name)] = newStatic(path.Base(name), b)
		return nil
	})
	out["answer.js"] = newStatic("answer.js", script.Answer)
	return out, err
}

func newStatic(name string, b []byte) *static {
	sum := sha256.Sum256(b)
	return &static{
		path: "/static/" + hex.EncodeToString(sum[:6]) + "/" + name, bytes: b, kind: mime.TypeByExtension(path.Ext(name)),
		compress: sync.OnceValue(func() []byte { return compressFile(b) }),
	}
}

// compressFile returns b in gzip, or nil if that is not shorter.
func compressFile(b []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || out.Len() >= len(b) {
		return nil
	}
	return out.Bytes()
}

// mountStatics mounts the files that pages load.
func (c *Console) mountStatics() {
	for _, s := range c.statics {
		c.engine.GET(s.path, func(g *gin.Context) {
			g.Header("Cache-Control", "public, max-age=31536000, immutable")
			g.Header("Vary", "Accept-Encoding")
			body := s.bytes
			if short := s.compress(); short != nil && acceptsGzip(g.GetHeader("Accept-Encoding")) {
				g.Header("Content-Encoding", "gzip")
				body = short
			}
			g.Data(http.StatusOK, s.kind, body)
		})
	}
	c.engine.GET("/favicon.ico", func(g *gin.Context) { g.Redirect(http.StatusFound, c.statics["icon.svg"].path) })
}

// acceptsGzip reports whether an Accept-Encoding header allows gzip.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return strings.Trim(strings.ReplaceAll(weight, " ", ""), "q=0.") != "" || weight == ""
		}
	}
	return false
}
