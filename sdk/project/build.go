package project

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/sdk"
	"github.com/headgate-dev/headgate/wasm"
)

// Built is a plugin that was built.
type Built struct {
	Language string
	File     string // path of the module
	Size     int
	Digest   string // SHA-256, hex
	Manifest wasm.Manifest
}

// compileTime limits one program of a toolchain. A first build in Go
// compiles the standard library.
const compileTime = 10 * time.Minute

// job is one build in progress.
type job struct {
	dir   string // the project; programs run there
	tmp   string // for intermediate files
	entry string
	out   string // the resulting module
	trace io.Writer
}

// Build compiles the plugin in a folder, packs its manifest (manifest.yaml or manifest.json) into the module, checks the
// result as the host would before running it, and writes it to the existing folder to or, if to is empty, to the plugin's
// folder. The file has the manifest's name. Build writes the commands that it runs to trace, if not nil. If a toolchain is
// not installed, the error is a *MissingError.
func Build(ctx context.Context, dir, to string, trace io.Writer) (Built, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Built{}, fmt.Errorf("find the folder: %w", err)
	}
	l, entry, err := detectLanguage(dir)
	if err != nil {
		return Built{}, err
	}
	text, manifest, err := readManifest(dir)
	if err != nil {
		return Built{}, err
	}
	if to == "" {
		to = dir
	}
	out := filepath.Join(to, manifest.Name+".wasm")
	if trace == nil {
		trace = io.Discard
	}
	tmp, err := os.MkdirTemp("", "headgate-build-")
	if err != nil {
		return Built{}, fmt.Errorf("create a folder for the build: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	j := &job{dir: dir, tmp: tmp, entry: entry, out: filepath.Join(tmp, "plugin.wasm"), trace: trace}
	if err = l.compile(ctx, j); err != nil {
		return Built{}, err
	}
	module, err := os.ReadFile(j.out)
	if err != nil {
		return Built{}, fmt.Errorf("read what was compiled: %w", err)
	}
	if module, err = plugins.Pack(module, text); err != nil {
		return Built{}, fmt.Errorf("the compiled module is not a plugin: %w", err)
	}
	if err = plugins.ReplaceFile(out, module); err != nil {
		return Built{}, err
	}
	sum := sha256.Sum256(module)
	return Built{Language: l.name, File: out, Size: len(module), Digest: hex.EncodeToString(sum[:]), Manifest: *manifest}, nil
}

// Buildable reports whether a folder contains a manifest and a source that Build can build.
func Buildable(dir string) bool {
	_, _, err := detectLanguage(dir)
	if err == nil {
		_, _, err = readManifest(dir)
	}
	return err == nil
}

func readManifest(dir string) (text []byte, m *wasm.Manifest, err error) {
	for _, name := range []string{"manifest.yaml", "manifest.json"} {
		text, err = os.ReadFile(filepath.Join(dir, name)) // the user's own file
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			m, err = plugins.ReadManifest(text)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		return text, m, nil
	}
	return nil, nil, fmt.Errorf("%s contains no manifest.yaml, which states the plugin's name, kind and labels", dir)
}

// run runs a program in the project's folder. Its output is part of the error.
func (j *job) run(ctx context.Context, env []string, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...) // a compiler that the user has installed
	cmd.Dir = j.dir
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = time.Second
	if _, err := fmt.Fprintln(j.trace, "+", formatCommandLine(env, program, args)); err != nil {
		return fmt.Errorf("report the command: %w", err)
	}
	said, err := cmd.CombinedOutput()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s has not ended after %s", filepath.Base(program), compileTime)
	case ctx.Err() != nil:
		return ctx.Err() // the user has ended it
	case err != nil:
		return fmt.Errorf("%s failed (%w):\n%s", filepath.Base(program), err, bytes.TrimSpace(said))
	}
	_, err = j.trace.Write(said) // warnings
	return err                   // the trace is the caller's
}

// readSDKFile returns the SDK's file of a language: the project's own copy if it has one, else the embedded file.
func (j *job) readSDKFile(path string) (string, error) {
	name := filepath.Base(path)
	if _, err := os.Stat(filepath.Join(j.dir, name)); err == nil {
		return name, nil
	}
	b, err := sdk.Files.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the SDK: %w", err)
	}
	to := filepath.Join(j.tmp, name)
	if err = os.WriteFile(to, b, 0o600); err != nil {
		return "", fmt.Errorf("write the SDK's file: %w", err)
	}
	return to, nil
}
