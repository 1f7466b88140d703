package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// shellCommands are what somebody types who looks around in the sources of Go and on the machine. None of them changes anything or prints
// variables of the environment.
var shellCommands = strings.Split(`ls -laR src/net
ls -la bin pkg src; du -a src/net/http
find src/os -ls
grep -rn TODO src/cmd/go
grep -rn 'context.Context' src/net/http
wc -l src/*/*.go
sha256sum src/net/http/*.go
diff -ru src/io src/bufio
head -n 40 src/net/http/*.go
tail -n 20 src/os/*.go
go doc -all net/http
go doc -all os/exec
go list -m all; go list std
go tool nm -size bin/go
go env
dpkg -l
dpkg -L git
ps aux
df -h; mount; free -m
stat src/*
file bin/* src/*
cat -n src/net/http/server.go
apt-cache showpkg git
git --help -a
`, "\n")

// sessionOutput bounds the output of a command, as tools of agents cut it, and perSession how many pieces of a length it gives.
const (
	sessionOutput = 64 << 10
	perSession    = 8
)

// collectSessions returns texts of shortText and longText bytes of two kinds that packages lack: logs of this machine, and sessions of
// a shell that runs shellCommands in a folder. The model has learned from neither.
func collectSessions(dir string) map[string][]string {
	texts := map[string][]string{}
	for _, root := range []string{"/var/log", "/var/lib/dpkg"} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && (strings.HasSuffix(path, ".log") || strings.HasPrefix(filepath.Base(path), "status")) {
				if b, err := os.ReadFile(path); err == nil {
					texts["logs"] = cutPieces(texts["logs"], b)
				}
			}
			return nil // an unreadable folder does not end the walk
		})
	}
	for _, command := range shellCommands {
		c := exec.Command("sh", "-c", command)
		c.Dir = dir
		b, _ := c.CombinedOutput() // a program that is missing or fails prints what a session has too
		b = append([]byte("$ "+command+"\n"), b[:min(len(b), sessionOutput)]...)
		texts["shell sessions"] = cutPieces(texts["shell sessions"], b)
	}
	return texts
}

// cutPieces appends the first pieces of a text of both lengths.
func cutPieces(pieces []string, b []byte) []string {
	if !utf8.Valid(b[:max(0, len(b)-utf8.UTFMax)]) {
		return pieces
	}
	for _, size := range []int{shortText, longText} {
		for k := 0; k < perSession && (k+1)*size <= len(b); k++ {
			pieces = append(pieces, strings.ToValidUTF8(string(b[k*size:(k+1)*size]), " "))
		}
	}
	return pieces
}
