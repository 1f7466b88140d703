//go:build !wasip1

package guest

import (
	"crypto/rand"
	"log"
	"time"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// Log writes a line to the program's log.
func Log(level abi.Level, text string) { log.Printf("level %d: %s", level, text) }

// Now is the time in milliseconds since 1970.
func Now() int64 { return time.Now().UnixMilli() }

// Random fills b with random bytes.
func Random(b []byte) { _, _ = rand.Read(b) } // never fails
