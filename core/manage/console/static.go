package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"

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
	return &static{path: "/static/" + hex.EncodeToString(sum[:6]) + "/" + name, bytes: b, kind: mime.TypeByExtension(path.Ext(name))}
}

// mountStatics mounts the files that pages load.
func (c *Console) mountStatics() {
	for _, s := range c.statics {
		c.engine.GET(s.path, func(g *gin.Context) {
			g.Header("Cache-Control", "public, max-age=31536000, immutable")
			g.Data(http.StatusOK, s.kind, s.bytes)
		})
	}
	c.engine.GET("/favicon.ico", func(g *gin.Context) { g.Redirect(http.StatusFound, c.statics["icon.svg"].path) })
}
