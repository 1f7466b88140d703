package proxy_test

import (
	"flag"
)

var update = flag.Bool("update", false, "write docs/shapes.md anew")

func tableOf(map[string]verdict) string { return "" }
