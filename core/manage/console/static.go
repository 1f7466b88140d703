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
)

//go:embed static
var staticFiles embed.FS

// static is a file that pages load.
type static struct {
	path  string // with the digest of what it holds: another content has another address
	kind  string
	bytes []byte
}

func readStatics() (map[string]*static, error) {
	out := map[string]*static{}
	err := fs.WalkDir(staticFiles, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := staticFiles.ReadFile(name)
		if err != nil {
			return err
		}
		sum, base := sha256.Sum256(b), path.Base(name)
		out[base] = &static{
			path: "/static/" + hex.EncodeToString(sum[:6]) + "/" + base, bytes: b, kind: mime.TypeByExtension(path.Ext(name)),
		}
		return nil
	})
	return out, err
}

// assets mounts what pages load.
func (c *Console) mountStatics() {
	for _, s := range c.statics {
		c.engine.GET(s.path, func(g *gin.Context) {
			g.Header("Cache-Control", "public, max-age=31536000, immutable")
			g.Data(http.StatusOK, s.kind, s.bytes)
		})
	}
	c.engine.GET("/favicon.ico", func(g *gin.Context) { g.Redirect(http.StatusFound, c.statics["icon.svg"].path) })
}
